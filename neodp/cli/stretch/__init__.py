"""``neodp stretch …``: similar users, whose likes have privacy weights, and the privacy cost of finding them."""

__all__ = ["COMMANDS"]

COMMANDS = {
    "stretch load": ("stretch.profiles:load", "Load users, and what they like, from a table of ratings."),
    "stretch list": ("stretch.profiles:list_profiles", "List the profiles of the store."),
    "stretch drop": ("stretch.profiles:drop", "Delete profiles and everything that belongs to them."),
    "stretch similarity": ("stretch.similar:similarity", "Show how similar two users are, with noise."),
    "stretch neighbors": ("stretch.similar:neighbors", "Find the most similar users of each user, with noise."),
    "stretch recall": (
        "stretch.experiments:recall",
        "Measure how useful private neighbours are. The output is not private.",
    ),
    "stretch utility": (
        "stretch.experiments:utility",
        "Measure how far off private numbers are. The output is not private.",
    ),
}
"""The module and function of each ``stretch`` command, and one line of help."""

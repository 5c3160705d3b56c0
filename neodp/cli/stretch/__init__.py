"""``neodp stretch …``: similar users, whose likes have privacy weights, and the privacy cost of finding them."""

__all__ = ["COMMANDS"]

COMMANDS = {
    "stretch load": ("stretch.profiles:load", "Load users and what they like from a table of ratings."),
    "stretch list": ("stretch.profiles:list_profiles", "List the profiles of the store."),
    "stretch drop": ("stretch.profiles:drop", "Delete profiles with all that belongs to them."),
    "stretch similarity": ("stretch.similar:similarity", "How similar two users are, privately."),
    "stretch neighbors": ("stretch.similar:neighbors", "The most similar users of each user, privately."),
    "stretch recall": ("stretch.experiments:recall", "Measure how useful private neighbours are. Not private."),
    "stretch utility": ("stretch.experiments:utility", "Measure how far off private numbers are. Not private."),
}
"""The module and function of each ``stretch`` command, and one line of help."""

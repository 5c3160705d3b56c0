"""Questions asked, answers given, and their privacy cost to the people concerned."""

__all__: list[str] = []

"""Dataset graphs, and the tables, generators and names that they come from."""

__all__: list[str] = []

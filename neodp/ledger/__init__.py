"""What was asked and answered, and what it cost the people."""

__all__: list[str] = []

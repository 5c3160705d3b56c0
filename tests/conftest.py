"""What all tests share."""

from hypothesis import settings

settings.register_profile("neodp", deadline=None, derandomize=True)
settings.load_profile("neodp")

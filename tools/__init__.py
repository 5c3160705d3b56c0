"""Tools for developers who work from a checkout; none of them is part of the installed package."""

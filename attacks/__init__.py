"""Attacks on neodp: programs that try for as long as they are told to make it fail."""

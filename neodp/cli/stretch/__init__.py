"""``neodp stretch …``: users with privacy weights on what they like; who is similar, and what that costs."""

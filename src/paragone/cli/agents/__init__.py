"""``paragone agents``: agents that debate. One module a command; ``group.py`` registers them."""

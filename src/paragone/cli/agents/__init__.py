"""``paragone agents``: agents that debate."""

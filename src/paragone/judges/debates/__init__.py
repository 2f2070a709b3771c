"""Debates before a verdict: who speaks, turn by turn, and what is done where one fails."""

"""Agents as values: boards of them, one of them, what they foretold, and what happened between them."""

"""Agents as values: boards of them, one of them, their predictions, and what happened between them."""

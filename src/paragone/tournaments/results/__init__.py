"""Results of a tournament: its board, items, matches, quality and patterns."""

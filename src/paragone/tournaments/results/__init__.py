"""What a tournament came to: its board, one item, one match, whether to trust it, what wins; and boards as files."""

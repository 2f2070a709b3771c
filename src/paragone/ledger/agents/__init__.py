"""What the ledger keeps only for agents: predictions, critiques, relations, and their counts."""

"""What the ledger keeps of agents only: predictions, critiques, relations, and what is counted of them."""

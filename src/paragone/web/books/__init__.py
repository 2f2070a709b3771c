"""What is kept of the ledger and the memory while they stay as they are, and what is made of them aside."""

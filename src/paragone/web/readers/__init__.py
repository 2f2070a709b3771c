"""What the server reads from the ledger and the memory, cached for as long as nothing was written."""

"""Whether a ledger is what it says: the hash chain, and every rating, recount and projection computed again."""

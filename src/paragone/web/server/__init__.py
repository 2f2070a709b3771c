"""The processes that serve an address: how they start and stop."""

"""The processes that serve an address: how they begin, and how they end."""

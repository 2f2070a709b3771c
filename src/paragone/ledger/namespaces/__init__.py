"""The methods of a ledger, by what they are about: ``ledger.matches.record(...)``, ``ledger.agents.board(...)``."""

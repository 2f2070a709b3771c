"""The live board: pages, votes and REST over one ledger. ``serving.py`` starts it, ``app.py`` puts it together."""

"""Plain values of what the ledger holds, for the API and for pages alike: models of pydantic, without HTTP."""

"""From the ledger and the memory to values of ``paragone.wire``, for the API and for pages alike; without HTTP."""

"""Figures, tables and sentences about boards, matches, judges, agents and memory, made once for every delivery.

``figures`` has the charts as plain values, ``table`` declares tables, ``page`` lays both out as one HTML page, and
``files`` writes files whole or not at all. ``board``, ``consistency`` and ``agents`` have what the terminal and the
pages share; ``tournament_report``, ``agents_report`` and ``memory_dashboard`` are the documents, with tables of
their own made of the same columns.
Nothing here reads a ledger or a store: values come in.
"""

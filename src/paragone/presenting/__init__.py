"""Figures, tables and sentences about boards, matches, judges, agents and memory, made once for every delivery.

``figures`` has the charts as plain values, ``cells`` what tables are made of, ``page`` lays both out as one HTML page,
``files`` writes files whole or not at all. ``board_files``, ``tournament_report``, ``agents_report`` and
``memory_dashboard`` say what stands in each document. Nothing here reads a ledger or a store: values come in.
"""

"""Tournaments: plan, run, record and report rankings.

``tournament.py`` is the entry point; ``recorded_votes.py`` and ``vote_import.py`` rank votes that exist already.
``state`` is where a tournament is, ``planning`` decides what comes next, ``running`` plays and records it, ``results``
says what came of it, ``documents`` and ``report`` present it, ``agent`` runs it from a queue of tasks.
"""

"""Tournaments: plan, run, record and report rankings.

``tournament.py`` is the entry point. ``Tournament.run`` has ``running/runner.py`` play until there is a reason to stop:
``planning`` plans rounds, ahead of the answers where it can, ``running/flight.py`` keeps calls in flight,
``running/match_play.py`` judges a match, ``running/recording.py`` writes every answer as it arrives, ``state`` holds
what is on record, ``posterior.py`` fits it, and ``results/tournament_board.py`` makes the board.

``recorded_votes.py`` and ``vote_import.py`` rank votes that exist already; ``proximity.py`` says which items are alike;
``documents`` and ``report`` make records and reports from the ledger; ``agent`` runs a tournament from a task queue.
"""

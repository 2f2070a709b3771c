"""Tournaments: the main job. The doors are here; a tournament's life is in the rooms, in this order.

``door.py`` is the way in, ``single_call.py`` the short one; ``recorded_votes.py`` and ``imports.py`` are for votes that
exist. ``brief.py`` is what was asked for. ``state`` says where a tournament is, ``planning`` what comes next;
``running`` plays and records it, ``results`` says what came of it; ``documents``, ``report`` and ``agent`` tell others.
"""

"""Tournaments: the door for those who rank texts, and the one loop that plans, plays and records.

``door.py`` is the way in. A run is ``runner.py`` asking ``schedule.py`` what is next until there is a reason to stop;
``state.py`` is where it stands, ``standing.py`` what the evidence says, ``results.py`` the board. A new pairing policy
is a function in ``schedule.py``; a new file format for boards is one in ``publish.py``.
"""

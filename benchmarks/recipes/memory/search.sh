python search.py

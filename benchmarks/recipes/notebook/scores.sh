python scores.py

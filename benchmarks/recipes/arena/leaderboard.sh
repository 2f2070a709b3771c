python leaderboard.py

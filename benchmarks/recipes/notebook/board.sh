python board.py

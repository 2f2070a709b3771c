python all_pairs.py

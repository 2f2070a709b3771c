"""What a server tells about itself: which request it answers, lines of its log, counts."""

"""What a server reports about itself: request ids, log lines, metrics."""

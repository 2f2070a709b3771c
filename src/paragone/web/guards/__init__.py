"""What stands before every request: host, size and rate, headers, who is asking, and whether a request is forged."""

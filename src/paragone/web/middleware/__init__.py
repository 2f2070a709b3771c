"""What every request passes through: host, size and rate, headers, who is asking, and whether a request is forged."""

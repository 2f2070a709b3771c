"""What a client does, by theme: each method is one thing that a server is asked for."""

"""What comes next: each pairing policy as a pure step from the state of a tournament to a plan; what it will take."""

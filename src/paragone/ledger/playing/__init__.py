"""What a tournament writes while it is played: rounds, verdicts, turns of debates, events, calls that failed."""

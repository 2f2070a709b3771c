"""Plan a tournament: each pairing policy is a pure step from its state to the next round; and cost estimates."""

"""The documents' tournament as a policy: who meets whom, at which depth, within which budget, and when it is enough."""

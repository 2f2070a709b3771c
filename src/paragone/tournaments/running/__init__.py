"""The one async loop and what a run needs: judge, pace, the gate that stops it, what it records and tells."""

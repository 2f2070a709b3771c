"""The command ``paragone`` for tests of workers: its processes look around and give signs of life more often.

Most of what workers, planners and standbys take is waiting for these. A worker may miss more of them than otherwise
before it counts as dead: a busy machine makes none dead.
"""

import sys

from paragone.cli import main
from paragone.ledger.namespaces import remote_judging
from paragone.tournaments.running import exclusive
from paragone.workers import batching, overview, planner, queue, running, shared_limits, worker

SECONDS = {
    "DEAD_AFTER": (1.0, remote_judging, planner, queue, overview),
    "BEAT": (0.2, worker),
    "HEARTBEAT": (0.2, queue),
    "POLL": (0.2, queue),
    "ANNOUNCED_WAIT": (0.05, planner),
    "LOOK_AGAIN": (0.1, planner),
    "LOOK_FOR_LOST": (1.0, planner),
    "STANDBY_PAUSE": (0.05, running),
    "FOLLOW_PAUSE": (0.5, running),
    "GRACE": (2.0, running),
    "CLAIM_WATCH": (0.2, exclusive),
    "FIRST_PAUSE": (0.02, batching),
    "LONGEST_PAUSE": (0.2, batching),
    "_LOOK_AGAIN": (0.05, shared_limits),
}
"""Each interval that is shortened, and the modules that know it."""

if __name__ == "__main__":
    for name, (seconds, *modules) in SECONDS.items():
        for module in modules:
            if getattr(module, name) <= seconds:
                raise ValueError(f"{module.__name__}.{name} is no longer than {seconds} s by itself")
            setattr(module, name, seconds)
    sys.argv[0] = "paragone"
    main()

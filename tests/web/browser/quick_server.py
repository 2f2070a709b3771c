"""The command ``paragone`` for tests in a browser: its server looks sooner whether a ledger has changed.

Most of what a test of live pages takes is waiting for that.
"""

import sys
from functools import partial

from paragone.cli import main
from paragone.web import app

if __name__ == "__main__":
    vars(app)["Watch"] = partial(app.Watch, soonest=0.05, latest=0.1)
    sys.argv[0] = "paragone"
    main()

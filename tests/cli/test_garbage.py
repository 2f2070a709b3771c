"""When a command looks for garbage."""

import json
import subprocess
import sys

SCRIPT = """
import atexit, gc, json, sys

class Cycle:
    alive = 0

    def __init__(self):
        self.own, Cycle.alive = self, Cycle.alive + 1

    def __del__(self):
        Cycle.alive -= 1

values = {}
atexit.register(lambda: print(json.dumps({**values, "frozen at the end": gc.get_freeze_count()})))
from paragone.cli import main
sys.argv = ["paragone", "--version"]
try:
    main()
except SystemExit:
    pass
values["frozen at first"], values["first"] = gc.get_freeze_count(), gc.get_threshold()[0]
objects = [[] for _ in range(values["first"] + 1)]
values["frozen"], values["then"] = gc.get_freeze_count(), gc.get_threshold()[0]
for _ in range(3 * values["then"]):
    Cycle()
values["garbage"] = Cycle.alive
main.__globals__["_manage_memory"]()
values["again"] = gc.get_threshold()[0]
"""


def test_what_was_loaded_is_left_alone_and_garbage_is_not() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], check=True, capture_output=True, text=True)
    values = json.loads(done.stdout.splitlines()[-1])
    assert values["frozen at first"] == 0
    assert values["frozen"] > values["first"]
    assert values["then"] == values["again"] < values["first"]
    assert values["garbage"] <= values["then"]
    assert values["frozen at the end"] > values["frozen"]

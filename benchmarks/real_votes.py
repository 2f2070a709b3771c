"""Votes and games of real people and real judges: what is predicted, what is not, and what is reproduced.

    .venv/bin/python benchmarks/real_votes.py [--sections agreement heldout coinflips nfl] [--quick] [--json]

The data lie under PARAGONE_DATA (default ../shared/data): LLMFAO's votes (CC BY 4.0) with evalica's golden file, LLNL's
open-ai-co-scientist logs (MIT), FiveThirtyEight's football games (MIT). A section whose data are not there is left out,
with a line that says so. Times are CPU seconds.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: CPU seconds of one core, ours and the peers'

import argparse
import importlib
import json
import sys

from rating_table import Section, as_json, as_text
from real_data import Absent

SECTIONS = {
    "agreement": "votes_agreement:agreement",
    "heldout": "votes_heldout:heldout",
    "coinflips": "votes_coinflips:coinflips",
    "nfl": "votes_nfl:nfl",
}


def section(name: str) -> Section:
    """The function that measures a section; its module is imported when it is asked for."""
    module, _, function = SECTIONS[name].partition(":")
    return getattr(importlib.import_module(module), function)


def main() -> None:
    """Measure the sections and print their tables as they are done."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sections", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    parser.add_argument("--quick", action="store_true", help="the same rows, with fewer splits and runs")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = []
    for name in options.sections:
        try:
            tables = section(name)(options.quick)
        except Absent as missing:
            print(f"{name}: {missing}", file=sys.stderr)
            continue
        for table in tables:
            found.append(as_json(table) | {"section": name})
            if not options.json:
                print(as_text(table), flush=True)
    if options.json:
        print(json.dumps(found))
    sys.exit(0 if found else 1)


if __name__ == "__main__":
    main()

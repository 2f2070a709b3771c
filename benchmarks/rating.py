"""How fast ratings are computed, beside other packages, in one run.

    .venv/bin/python benchmarks/rating.py [--sections elo many growth startup fit intervals] [--quick] [--json]

Times are CPU seconds. Other packages come with ``make peers``; a row whose package is missing is left out, with a line
that says so.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: CPU seconds of one core, ours and the peers'

import argparse
import importlib
import json

from rating_table import Section, as_json, as_text

SECTIONS = {
    "elo": "rating_elo:elo",
    "many": "rating_elo:many",
    "growth": "rating_elo:growth",
    "startup": "rating_startup:startup",
    "fit": "rating_fit:fit",
    "intervals": "rating_fit:intervals",
}


def section(name: str) -> Section:
    """The function that measures a section; its module is imported when it is asked for."""
    module, _, function = SECTIONS[name].partition(":")
    return getattr(importlib.import_module(module), function)


def main() -> None:
    """Measure the sections and print their tables as they are done."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sections", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    parser.add_argument("--quick", action="store_true", help="the same rows, at sizes that take seconds")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = []
    for name in options.sections:
        for table in section(name)(options.quick):
            found.append(as_json(table) | {"section": name})
            if not options.json:
                print(as_text(table), flush=True)
    if options.json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()

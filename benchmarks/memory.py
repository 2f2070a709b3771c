"""Memory, all of it: the index, ratings, search, packs, which model foretells accesses, and feedback.

    .venv/bin/python benchmarks/memory.py [--repository DIR ...] [--only PART ...] [--quick] [--json]

Each part is a script of its own, ``memory_PART.py``, whose docstring says what it measures and beside what; here they
run one after another, each in a process of its own. The folders that --repository names are git checkouts: packs
and models are measured on them as well as on this one.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PARTS = ("index", "ratings", "search", "pack", "evaluate", "feedback")


def command(part: str, repositories: list[Path], *, quick: bool, as_json: bool) -> list[str]:
    """What runs a part."""
    named = {
        "evaluate": [word for folder in repositories for word in ("--repository", str(folder))],
        "pack": ["--repositories", str(HERE.parent), *map(str, repositories)],
    }
    switches = [name for name, on in (("--quick", quick), ("--json", as_json)) if on]
    return [sys.executable, str(HERE / f"memory_{part}.py"), *named.get(part, ()), *switches]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repository", type=Path, action="append", default=[], metavar="DIR")
    parser.add_argument("--only", choices=PARTS, nargs="+", default=list(PARTS), metavar="PART")
    parser.add_argument("--quick", action="store_true", help="small sizes: a look whether all of them run")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    told, failed = {}, []
    for part in asked.only:
        if not asked.json:
            print(f"== memory_{part}.py", flush=True)
        run = subprocess.run(
            command(part, asked.repository, quick=asked.quick, as_json=asked.json),
            stdout=subprocess.PIPE if asked.json else None,
            text=True,
            check=False,
        )
        if run.returncode:
            failed.append(part)
        elif asked.json:
            told[part] = json.loads(run.stdout)
    if asked.json:
        print(json.dumps(told, indent=2))
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())

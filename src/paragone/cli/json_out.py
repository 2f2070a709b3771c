"""What ``--json`` writes."""

import json
import sys

from paragone.domain.text import whole


def print_json(value: object) -> None:
    """Write a value as JSON for people and programs: on standard output, indented, without escapes for letters."""
    sys.stdout.write(whole(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)) + "\n")

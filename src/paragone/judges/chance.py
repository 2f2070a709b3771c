"""Chance that can be repeated: numbers drawn from names, so that the order of calls does not matter."""

import hashlib
import json


def uniform(*names: str | float) -> float:
    """A number in [0, 1) that depends on ``names`` and on nothing else; all 53 bits of it are used."""
    digest = hashlib.sha256(json.dumps(names, separators=(",", ":")).encode()).digest()
    return (int.from_bytes(digest[:8], "big") >> 11) / (1 << 53)


def fingerprint(*parts: object) -> str:
    """Twelve hexadecimal digits that stand for ``parts`` (plain JSON values) in a judge's identity."""
    return hashlib.sha256(json.dumps(parts, separators=(",", ":"), sort_keys=True).encode()).hexdigest()[:12]

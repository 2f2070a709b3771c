"""What happened in a simulation, step by step, and the digest of it."""

import hashlib


class Trace:
    """The steps so far.

    Args:
        keep: Whether to keep the lines themselves, and not only their digest.

    Attributes:
        lines: The lines, if they are kept.
        steps: How many there were.
    """

    def __init__(self, *, keep: bool = False) -> None:
        self.lines: list[str] = []
        self.steps = 0
        self._keep = keep
        self._digest = hashlib.blake2b(digest_size=16)

    def add(self, life: int, at: float, what: str) -> None:
        """Add a step.

        Args:
            life: Which process it happened in, from 0.
            at: Seconds on its event loop's clock.
            what: What happened.
        """
        line = f"{life} {at:10.3f} {what}"
        self.steps += 1
        self._digest.update(line.encode("utf-8", "surrogatepass") + b"\n")
        if self._keep:
            self.lines.append(line)

    @property
    def digest(self) -> str:
        """32 hexadecimal digits that stand for all steps."""
        return self._digest.hexdigest()

"""What happened between two agents (A5)."""

from dataclasses import dataclass, fields


@dataclass(frozen=True, kw_only=True, slots=True)
class Dealings:
    """Counts of what happened between two agents, seen from the first of them; also what is added to such counts.

    Attributes:
        debates: Debates in which both took part.
        agreements: Debates in which they agreed.
        critiques_a_to_b: Critiques that ``a`` made of ``b``.
        critiques_b_to_a: Critiques that ``b`` made of ``a``.
        accepted_a_to_b: Of the critiques of ``a`` those that ``b`` accepted.
        accepted_b_to_a: Of the critiques of ``b`` those that ``a`` accepted.
        changes_a_after_b: Times that ``a`` changed its position after what ``b`` said.
        changes_b_after_a: Times that ``b`` did after what ``a`` said.
        a_wins: Debates that ``a`` won against ``b``.
        b_wins: Debates that ``b`` won against ``a``.

    Raises:
        ValueError: If a count is negative.
    """

    debates: int = 0
    agreements: int = 0
    critiques_a_to_b: int = 0
    critiques_b_to_a: int = 0
    accepted_a_to_b: int = 0
    accepted_b_to_a: int = 0
    changes_a_after_b: int = 0
    changes_b_after_a: int = 0
    a_wins: int = 0
    b_wins: int = 0

    def __post_init__(self) -> None:
        for field in fields(self):
            if getattr(self, field.name) < 0:
                raise ValueError(f"{field.name} counts from 0 upwards, not {getattr(self, field.name)}")

    def __add__(self, other: "Dealings") -> "Dealings":
        return Dealings(**{name: getattr(self, name) + getattr(other, name) for name in DEALINGS})

    @property
    def reversed(self) -> "Dealings":
        """The same, seen from the other one."""
        return Dealings(**{name: getattr(self, _MIRROR.get(name, name)) for name in DEALINGS})


DEALINGS = tuple(field.name for field in fields(Dealings))
"""Names of the counts."""

_PAIRS = (
    ("critiques_a_to_b", "critiques_b_to_a"),
    ("accepted_a_to_b", "accepted_b_to_a"),
    ("changes_a_after_b", "changes_b_after_a"),
    ("a_wins", "b_wins"),
)
_MIRROR = {**dict(_PAIRS), **{b: a for a, b in _PAIRS}}


@dataclass(frozen=True, kw_only=True, slots=True)
class Relation:
    """Two agents and what happened between them.

    Attributes:
        id: Names an addition, so that it counts once; empty where every one counts, and for sums.
        a: Id of the one from whom it is seen.
        b: Id of the other.
        dealings: The counts.

    Raises:
        ValueError: If both are the same.
    """

    id: str = ""
    a: str
    b: str
    dealings: Dealings

    def __post_init__(self) -> None:
        if self.a == self.b:
            raise ValueError(f"an agent has no relation with itself: {self.a!r}")

    @property
    def ordered(self) -> "Relation":
        """The same, seen from the one whose id sorts first."""
        if self.a < self.b:
            return self
        return Relation(id=self.id, a=self.b, b=self.a, dealings=self.dealings.reversed)

    def seen_from(self, agent: str) -> "Relation":
        """The same, seen from one of the two."""
        if agent == self.a:
            return self
        return Relation(id=self.id, a=self.b, b=self.a, dealings=self.dealings.reversed)

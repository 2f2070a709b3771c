"""R by verification: how probably a claim of an author holds, by those of its claims that were checked.

The lower bound of the share of its claims that hold, with an even prior: who has had nothing checked has no R, and few
checks do not open the gate. With a threshold of one half, four proven claims and none disproven are the first to do so.
"""

from dataclasses import dataclass

SURE = 0.95
"""How probably the share lies above the bound."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Checked:
    """How many claims were proven, and how many disproven."""

    verified: int = 0
    disproven: int = 0

    def __post_init__(self) -> None:
        if min(self.verified, self.disproven) < 0:
            raise ValueError("counts of claims are 0 or more")

    def __add__(self, other: "Checked") -> "Checked":
        return Checked(verified=self.verified + other.verified, disproven=self.disproven + other.disproven)


def verification(checked: Checked, *, sure: float = SURE) -> float | None:
    """R in [0, 1]; None where nothing was checked.

    Args:
        checked: What came of the checks.
        sure: How probably the share of claims that hold lies above R.

    Example:
        Of n claims that were all proven R is ``0.05 ** (1 / (n + 1))``: 0.47 for three, 0.55 for four.
    """
    if checked.verified + checked.disproven == 0:
        return None
    from scipy.special import betaincinv

    return float(betaincinv(checked.verified + 1, checked.disproven + 1, 1.0 - sure))

"""R against Elo: the quadrant of content, what to do about it, and alarms for echo chambers.

Search results get used and used content gets shown: content may owe its rating to searches that return it again and
again, or to one agent that prefers it. Each alarm says how far that is so; it accuses nobody.

Source: the memory specification, "R vs ELO: Complementary Signals" and "Echo Chamber Prevention".
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from paragone.domain.content import Content, Quadrant
from paragone.domain.text import counted

OFTEN = 1200.0
"""Elo points above which content counts as often used, where nothing else is said: those of the middle tier."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Meaning:
    """A quadrant in the memory specification's words.

    Attributes:
        signals: High or low R and Elo.
        interpretation: What that says.
        action: What to do.
    """

    signals: str
    interpretation: str
    action: str


MEANINGS: Mapping[Quadrant, Meaning] = {
    Quadrant.BEST: Meaning(signals="High R + High ELO", interpretation="True AND frequently used", action="Prioritize"),
    Quadrant.LATENT: Meaning(signals="High R + Low ELO", interpretation="True but rarely accessed", action="Keep"),
    Quadrant.ECHO: Meaning(signals="Low R + High ELO", interpretation="Frequently accessed noise", action="Penalize"),
    Quadrant.PRUNE: Meaning(signals="Low R + Low ELO", interpretation="Noise you don't use", action="Archive"),
    Quadrant.UNKNOWN: Meaning(signals="R unknown", interpretation="Nothing is known of its truth", action="Find R"),
}


def quadrant(is_high: bool | None, elo: float, *, often: float = OFTEN) -> Quadrant:
    """The quadrant that content belongs to.

    Args:
        is_high: Whether R is above its threshold; None where R is unknown.
        elo: The rating in Elo points.
        often: Ratings above this are high.
    """
    if is_high is None:
        return Quadrant.UNKNOWN
    if elo > often:
        return Quadrant.BEST if is_high else Quadrant.ECHO
    return Quadrant.LATENT if is_high else Quadrant.PRUNE


def sizes(quadrants: Iterable[Quadrant]) -> dict[Quadrant, int]:
    """How many there are of each, in the memory specification's order; 0 where there is none."""
    counts = Counter(quadrants)
    return {quadrant_: counts[quadrant_] for quadrant_ in Quadrant}


@dataclass(frozen=True, kw_only=True, slots=True)
class ContentUsage:
    """How content was used, which gave it its rating.

    Attributes:
        content: Which.
        rating: Its rating in Elo points.
        r: Its R.
        is_high: Whether that is above the threshold.
        uses: How often it was used.
        users: The same by agent, or by session where no agent is named.
        shown: Searches that showed it.
        queries: Different queries among them.
        gained: Elo points that it gained, in all.
        by_search: Those of them that it gained as the result of a search.
    """

    content: Content
    rating: float
    r: float | None
    is_high: bool | None
    uses: int
    users: Mapping[str, int] = field(default_factory=dict)
    shown: int = 0
    queries: int = 0
    gained: float = 0.0
    by_search: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class EchoChamber:
    """Content that is used much although its R is low.

    Attributes:
        usage: The content, and how it came to its rating.
        share: Share of all uses of its kind that are of it, from 0 to 1.
        top_user: Who uses it most; empty where that is not known.
        top_share: Share of its uses that are that one's.
        searched: Share of what it gained that it gained as the result of a search; None where it gained nothing.
        repeated: Share of the searches that showed it whose query had shown it before; None where none showed it.
    """

    usage: ContentUsage
    share: float
    top_user: str
    top_share: float
    searched: float | None
    repeated: float | None

    @property
    def why(self) -> tuple[str, ...]:
        """The same in words; names in them are untrusted."""
        usage = self.usage
        reasons = [f"{self.share:.1%} of all uses ({usage.uses:,})"]
        if self.top_user:
            reasons.append(f"{self.top_share:.0%} of them by {self.top_user}, of {counted(len(usage.users), 'user')}")
        if self.repeated is not None:
            searches = "1 search" if usage.shown == 1 else f"{usage.shown:,} searches"
            reasons.append(f"shown by {searches}, {self.repeated:.0%} of them a query again")
        if self.searched is not None:
            reasons.append(f"{self.searched:.0%} of the {usage.gained:.0f} points that it gained came by searches")
        return tuple(reasons)


def echo_chambers(usages: Iterable[ContentUsage], total: int, *, often: float = OFTEN) -> tuple[EchoChamber, ...]:
    """Content with a low R that is used much, that with the largest share of uses first.

    What nobody used is no echo, whatever rating it was given at first; unknown R is not low R.

    Args:
        usages: Content of one kind.
        total: Uses of all content of that kind.
        often: Ratings above this are high.
    """
    low = [
        usage for usage in usages if usage.uses and quadrant(usage.is_high, usage.rating, often=often) is Quadrant.ECHO
    ]
    alarms = [_alarm(usage, total) for usage in low]
    return tuple(sorted(alarms, key=lambda alarm: (-alarm.share, -alarm.usage.rating, alarm.usage.content.id)))


def _alarm(usage: ContentUsage, total: int) -> EchoChamber:
    uses_by_user = sum(usage.users.values())
    user, most = max(usage.users.items(), key=lambda entry: (entry[1], entry[0]), default=("", 0))
    return EchoChamber(
        usage=usage,
        share=usage.uses / max(total, usage.uses),
        top_user=user,
        top_share=most / uses_by_user if uses_by_user else 0.0,
        searched=usage.by_search / usage.gained if usage.gained > 0.0 else None,
        repeated=1.0 - usage.queries / usage.shown if usage.shown else None,
    )

"""Echo chambers: content with a low R that is used much, and why it is.

What is shown is used, and what is used is shown: content may owe its rating to searches that bring it up again and
again, or to one agent that likes it. Each alarm says how far that is so; it accuses nobody.

Source: document M, "Echo Chamber Prevention".
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from paragone.analysis.content.quadrants import OFTEN, quadrant
from paragone.domain.content import Content, Quadrant
from paragone.domain.text import counted


@dataclass(frozen=True, kw_only=True, slots=True)
class Course:
    """How content came to its rating.

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
    """An alarm.

    Attributes:
        course: The content, and how it came to its rating.
        share: Share of all uses of its kind that are of it, from 0 to 1.
        top_user: Who uses it most; empty where that is not known.
        top_share: Share of its uses that are that one's.
        searched: Share of what it gained that it gained as the result of a search; None where it gained nothing.
        repeated: Share of the searches that showed it whose query had shown it before; None where none showed it.
    """

    course: Course
    share: float
    top_user: str
    top_share: float
    searched: float | None
    repeated: float | None

    @property
    def why(self) -> tuple[str, ...]:
        """The same in words; names in them are untrusted."""
        course = self.course
        said = [f"{self.share:.1%} of all uses ({course.uses:,})"]
        if self.top_user:
            said.append(f"{self.top_share:.0%} of them by {self.top_user}, of {counted(len(course.users), 'user')}")
        if self.repeated is not None:
            searches = "1 search" if course.shown == 1 else f"{course.shown:,} searches"
            said.append(f"shown by {searches}, {self.repeated:.0%} of them a query again")
        if self.searched is not None:
            said.append(f"{self.searched:.0%} of the {course.gained:.0f} points that it gained came by searches")
        return tuple(said)


def echo_chambers(courses: Iterable[Course], total: int, *, often: float = OFTEN) -> tuple[EchoChamber, ...]:
    """Content with a low R that is used much, that with the largest share of uses first.

    What nobody used is no echo, whatever rating it was given at first; unknown R is not low R.

    Args:
        courses: Content of one kind.
        total: Uses of all content of that kind.
        often: Ratings above this are high.
    """
    low = [one for one in courses if one.uses and quadrant(one.is_high, one.rating, often=often) is Quadrant.ECHO]
    found = [_alarm(one, total) for one in low]
    return tuple(sorted(found, key=lambda one: (-one.share, -one.course.rating, one.course.content.id)))


def _alarm(course: Course, total: int) -> EchoChamber:
    known = sum(course.users.values())
    user, most = max(course.users.items(), key=lambda entry: (entry[1], entry[0]), default=("", 0))
    return EchoChamber(
        course=course,
        share=course.uses / max(total, course.uses),
        top_user=user,
        top_share=most / known if known else 0.0,
        searched=course.by_search / course.gained if course.gained > 0.0 else None,
        repeated=1.0 - course.queries / course.shown if course.shown else None,
    )

"""Judges as a server tells of them; the fields are those of its answers."""

from dataclasses import dataclass

from paragone.client.values.spending import Spent


@dataclass(frozen=True, kw_only=True, slots=True)
class Judge:
    """What was found out about one judge; its attributes are those of ``paragone.domain.JudgeReport``.

    Attributes:
        judge: Its identity.
        comparisons: Answers that entered the fit.
        first_share: Share of its decided answers that went to the item shown first.
        tie_rate: Share of its answers that were ties.
        position_bias: Log-odds in favour of the item shown first, in nats.
        position_low: Lower end of its interval.
        position_high: Upper end.
        slope: How sharply it tells items apart, the product over all judges being 1; None where there is one judge.
        slope_low: Lower end of its interval.
        slope_high: Upper end.
        abstentions: Answers that declined to say.
        failures: Calls that brought no answer.
        debates: Debates that it decided.
        cost: Money in US dollars; None where it is not known.
        cost_per_decided: The same for each answer that is neither a tie nor an abstention.
        agreement: Share of its decided answers for the side that the other judges prefer; None where there is no other.
        agreement_low: Lower end of its interval.
        agreement_high: Upper end.
        information: What one call about two equals adds to what is known of their difference, per squared nat.
        information_per_dollar: The same for a dollar.
    """

    judge: str
    comparisons: int
    first_share: float | None
    tie_rate: float | None
    position_bias: float | None
    position_low: float | None
    position_high: float | None
    slope: float | None
    slope_low: float | None
    slope_high: float | None
    abstentions: int | None
    failures: int | None
    debates: int | None
    cost: float | None
    cost_per_decided: float | None
    agreement: float | None
    agreement_low: float | None
    agreement_high: float | None
    information: float | None
    information_per_dollar: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Lists:
    """What was found out about a judge's lists of one length.

    Attributes:
        judge: Its identity.
        size: Items in a list.
        lists: Lists that entered the fit.
        first_share: Share of them with the item shown first on top.
        noise: How many times noisier than a pair; None where no pairs were asked.
        noise_low: Lower end of its interval.
        noise_high: Upper end.
    """

    judge: str
    size: int
    lists: int
    first_share: float | None
    noise: float | None
    noise_low: float | None
    noise_high: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Voice:
    """What a judge or an advocate took.

    Attributes:
        who: Its identity.
        spending: What it took.
    """

    who: str
    spending: Spent


@dataclass(frozen=True, kw_only=True, slots=True)
class Judges:
    """The judges of a tournament.

    Attributes:
        pool: Id of the tournament.
        pending: Whether newer figures are being made: ask again.
        consensus: Whom agreement is with: ``others``, a fit without the judge; ``all``, where the evidence is too large
            for that; ``none`` where there is one judge.
        level: Probability that intervals are meant to hold; those of agreement hold at 0.95.
        judges: The judges, the one that tells most for its price first.
        lists: Their lists.
        spending: What the tournament took.
        voices: What each judge and each advocate took of that.
    """

    pool: str
    pending: bool
    consensus: str
    level: float
    judges: list[Judge]
    lists: list[Lists]
    spending: Spent
    voices: list[Voice]


@dataclass(frozen=True, kw_only=True, slots=True)
class Reliability:
    """How reliable voters are.

    Attributes:
        pending: Whether newer figures are being made: ask again.
        consensus: Whom agreement is with: ``others``, ``all``, or ``none`` where there is one judge; see ``judges``.
        why: Why nothing is known, where that is so.
        voters: Voters, by name; their figures are those of ``judges``.
    """

    pending: bool
    consensus: str
    why: str = ""
    voters: dict[str, Judge]

"""A match: the question that a judge is asked, what is said in a debate, and what came of it."""

from dataclasses import dataclass, field
from enum import StrEnum

from paragone.domain.displayed import Displayed
from paragone.domain.dossier import Dossier
from paragone.domain.item import Item
from paragone.domain.outcome import Choice, Outcome, Usage, Verdict, decide
from paragone.domain.pairing import Lineup, MatchProtocol, Planned, protocol_of
from paragone.domain.scorecard import Scorecard


class Speaker(StrEnum):
    """Whose turn it is, by the order of presentation; the judge's own turn is its verdict."""

    FIRST = "first"
    SECOND = "second"

    @property
    def opponent(self) -> "Speaker":
        """The other side."""
        return Speaker.SECOND if self is Speaker.FIRST else Speaker.FIRST


class Stage(StrEnum):
    """What a turn is for. Source: the Ranking Agent specification, "Multi-Turn Scientific Debate"."""

    OPENING = "opening"
    EXCHANGE = "exchange"
    CLOSING = "closing"


@dataclass(frozen=True, kw_only=True, slots=True)
class DebateTurn:
    """What one side said in one turn. All texts are untrusted.

    Attributes:
        call: The comparison that the debate is for.
        number: Its place in the debate, from 1.
        speaker: Whose advocate spoke.
        stage: Opening, exchange or closing.
        content: What was said.
        claims: The claims made, one sentence each.
        rebuttals: Answers to claims of the other side.
        evidence: What was cited.
        advocate: Identity of whoever spoke: model, prompt, options. Never holds a key.
        prompt_hash: SHA-256 of the prompt template, for advocates that have one.
        usage: What it took.
    """

    call: str
    number: int
    speaker: Speaker
    stage: Stage
    content: str
    claims: tuple[str, ...] = ()
    rebuttals: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    advocate: str = ""
    prompt_hash: str | None = None
    usage: Usage = field(default_factory=Usage)


def stages(turns: int) -> tuple[Stage, ...]:
    """The stages of a side's turns: an opening, exchanges, a closing; a single turn is an opening.

    Args:
        turns: Turns a side.
    """
    if turns <= 1:
        return (Stage.OPENING,) * turns
    return (Stage.OPENING, *(Stage.EXCHANGE,) * (turns - 2), Stage.CLOSING)


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranking:
    """One judge call on a lineup, with its answer.

    Attributes:
        call: Names the call; the same call has the same answer.
        shown: Ids in the order of presentation.
        verdict: The answer; its ``order``, where it has one, is of these places.
    """

    call: str
    shown: tuple[str, ...]
    verdict: Verdict

    def __post_init__(self) -> None:
        if self.verdict.order and len(self.verdict.order) != len(self.shown):
            raise ValueError(f"call {self.call!r} orders {len(self.verdict.order)} of {len(self.shown)} items")

    @property
    def order(self) -> tuple[str, ...]:
        """The ids, best first; empty where there is no evidence."""
        return tuple(self.shown[index] for index in self.verdict.order)


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """One comparison put to a judge; with ``others``, a list of several to be ordered.

    Attributes:
        call: Names the comparison; the same call has the same answer, so draws may be seeded by it.
        first: The item shown first.
        second: The item shown second.
        criteria: What "better" means, in words.
        others: Items shown after the second, for a judge that orders lists.
        turns: Turns a side in the debate that is to precede the verdict; 0 for none.
        transcript: What was said in it, once it was held.
        dossier: What the judge sees beside the texts; None for nothing.
        panel: Whether experts are to argue and vote within the answer.
        level: Which judge of a cascade is asked, from 0.
    """

    call: str
    first: Item
    second: Item
    criteria: str
    others: tuple[Item, ...] = ()
    turns: int = 0
    transcript: tuple[DebateTurn, ...] = ()
    dossier: Dossier | None = None
    panel: bool = False
    level: int = 0

    @property
    def protocol(self) -> MatchProtocol:
        """How it is judged."""
        return protocol_of(self.turns, panel=self.panel)

    @property
    def items(self) -> tuple[Item, ...]:
        """All items, in the order of presentation."""
        return (self.first, self.second, *self.others)


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """One judge call on two items in one order of presentation, with its answer."""

    call: str
    first: str
    second: str
    verdict: Verdict

    @property
    def shown(self) -> tuple[str, str]:
        """The ids in the order of presentation."""
        return (self.first, self.second)

    def score_of(self, item: str) -> float | None:
        """1 if ``item`` won, 0 if it lost, 0.5 for a tie, None where there is no evidence."""
        if not self.verdict.choice.is_evidence:
            return None
        if self.verdict.choice is Choice.TIE:
            return 0.5
        winner = self.first if self.verdict.choice is Choice.FIRST else self.second
        return 1.0 if winner == item else 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Match(Displayed):
    """One contest between two items, or among several.

    A match among several rests on a ranking or on a scorecard: ``a`` is the best of it and ``b`` the last, and ``a``
    has won, or with a scorecard perhaps drawn. A void one has the first and the last shown.

    Attributes:
        id: Names the match within its pool.
        round: The round it was planned in, from 1; 0 for a match that no schedule planned.
        a: One item.
        b: The other.
        outcome: What the match came to.
        comparisons: The judge's calls, in the order in which they were asked; may be empty for an outcome that came
            from elsewhere.
        protocol: How it was judged.
        confidence: Weight in [0.1, 1] of the match in the running Elo.
        ranking: The judge's call on all of them, for a match among several.
        scorecard: What all of them scored, for a match whose scores came from elsewhere.
    """

    id: str
    round: int = 0
    a: str
    b: str
    outcome: Outcome
    comparisons: tuple[Comparison, ...] = ()
    protocol: MatchProtocol = MatchProtocol.SINGLE_TURN
    confidence: float = 1.0
    ranking: Ranking | None = None
    scorecard: Scorecard | None = None

    @property
    def items(self) -> tuple[str, ...]:
        """The ids of all who took part: best first where they were ranked, in the order of presentation otherwise."""
        if self.scorecard is not None:
            return self.scorecard.participants
        if self.ranking is None:
            return (self.a, self.b)
        return self.ranking.order or self.ranking.shown

    @property
    def answers(self) -> tuple[Comparison | Ranking, ...]:
        """The judge's calls, whatever they are."""
        return self.comparisons if self.ranking is None else (*self.comparisons, self.ranking)

    @classmethod
    def of(cls, id: str, planned: Planned, answers: tuple[Comparison | Ranking, ...], *, round: int = 0) -> "Match":
        """A match from its answers, with the outcome they add up to."""
        if isinstance(planned, Lineup):
            ranking = next(answer for answer in answers if isinstance(answer, Ranking))
            return cls.ranked(id, ranking, round=round)
        comparisons = tuple(answer for answer in answers if isinstance(answer, Comparison))
        scores = (comparison.score_of(planned.a) for comparison in comparisons)
        outcome = decide(score for score in scores if score is not None)
        return cls(id=id, round=round, a=planned.a, b=planned.b, outcome=outcome, comparisons=comparisons)

    @classmethod
    def ranked(cls, id: str, ranking: Ranking, *, round: int = 0) -> "Match":
        """A match among several from the answer that ranked them; void where the judge declined."""
        entrants = ranking.order or ranking.shown
        outcome = Outcome.A if ranking.order else Outcome.VOID
        return cls(id=id, round=round, a=entrants[0], b=entrants[-1], outcome=outcome, ranking=ranking)

    @classmethod
    def scored(cls, id: str, scorecard: Scorecard, *, confidence: float = 1.0, round: int = 0) -> "Match":
        """A match from the scores of those who took part; a draw for all unless one has the highest alone."""
        outcome = Outcome.DRAW if scorecard.winner is None else Outcome.A
        return cls(
            id=id,
            round=round,
            a=scorecard.best,
            b=scorecard.last,
            outcome=outcome,
            confidence=confidence,
            scorecard=scorecard,
        )

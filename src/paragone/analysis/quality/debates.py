"""How far a verdict can be relied on, by what it gives as reasons and by how the debate before it was held.

Nothing here knows what is true. It looks for what a careless decision lacks: reasons, scores that go with the decision,
evidence, answers to the other side. Every lack takes something off a quality of 1, and the quality scales the K of the
running Elo, so that a match that was judged carelessly moves ratings less. What was not asked for is not missed.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from paragone.domain import Choice, CriterionScore, DebateTurn, Speaker, Stage, Verdict

LEAST = 0.1
"""The least confidence in a match. Source: the tournament specification."""

NO_RATIONALE = 0.3
BRIEF_RATIONALE = 0.15
CONTRADICTED = 0.4
UNDECIDED_SCORES = 0.15
UNSCORED = 0.2
UNSUPPORTED = 0.2
EMPTY = 0.3
REPEATED = 0.2
UNANSWERED = 0.2

_FEW_WORDS = 6
_CLOSE = 0.05
_APART = 0.2
_ALIKE = 0.8
_WORD = re.compile(r"\w+")
_SOURCE = re.compile(r"https?://|\b10\.\d{4,}/|\bdoi\b|\barxiv\b|\bet al\b|\b(?:19|20)\d\d\b|\[\d+\]", re.IGNORECASE)
_SHINGLE = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class DebateQuality:
    """What a verdict and its debate are worth.

    Attributes:
        score: From 0 to 1; 1 where nothing was found wanting.
        flags: What was, in words.
    """

    score: float = 1.0
    flags: tuple[str, ...] = ()


_Lack = tuple[float, str]
"""What is taken off, and why."""


def debate_quality(
    verdict: Verdict,
    turns: Sequence[DebateTurn] = (),
    *,
    texts: tuple[str, str] = ("", ""),
    rationale: bool = False,
    weights: Mapping[str, float] | None = None,
) -> DebateQuality:
    """The quality of one verdict.

    ======================================================  =====================================
    what is wanting                                         takes off
    ======================================================  =====================================
    no rationale, where one was asked for                   .3
    a rationale of fewer than six words                     .15
    scores that contradict the decision                     .4
    scores on which the two are equal, and yet a winner     .15
    criteria that were asked for and not scored             .2 times their share in the weights
    evidence (debates)                                      .2 times what lacks, see below
    turns that say nothing (debates)                        .3 times their share
    turns that repeat an earlier one (debates)              .2 times their share
    turns that answer nothing (debates)                     .2 times the share of the exchanges
    ======================================================  =====================================

    Evidence of a side is 0 where nothing was cited, 1/2 where what was cited is neither a passage of one of the texts
    nor looks like a source (an address, a DOI, a year, a numbered reference), 1 where all of it does; the sides count
    alike. An answer that is none, or an abstention, has nothing to be judged by: its quality is 1.

    Args:
        verdict: The decision.
        turns: What was said before it; none where no debate was held.
        texts: The texts of the first and the second, to look citations up in.
        rationale: Whether reasons were asked for.
        weights: The criteria that were to be scored, with their weights.

    Source: the Ranking Agent specification, "Debate Quality".
    """
    if verdict.choice not in (Choice.FIRST, Choice.SECOND, Choice.TIE):
        return DebateQuality()
    lacks = [*_reasons(verdict, required=rationale), *_scores(verdict, weights or {}), *_debate(turns, texts)]
    return DebateQuality(
        score=max(0.0, 1.0 - sum(lack for lack, _ in lacks)), flags=tuple(reason for _, reason in lacks)
    )


def confidence_of(*qualities: DebateQuality) -> float:
    """The confidence in a match from the qualities of its verdicts: their mean, from 0.1 to 1; 1 without any.

    It scales the K of the running Elo.
    """
    if not qualities:
        return 1.0
    return min(1.0, max(LEAST, sum(quality.score for quality in qualities) / len(qualities)))


def margin(scores: Sequence[CriterionScore], weights: Mapping[str, float]) -> float | None:
    """How far the scores put the first before the second, in [-1, 1]: the weighted mean of the differences.

    None where nothing was scored. Criteria without a weight count 1, as do all where there are no weights.
    """
    weighted = [(weights.get(score.criterion, 0.0 if weights else 1.0), score) for score in scores]
    total = sum(weight for weight, _ in weighted)
    if not total:
        return None
    return sum(weight * (score.first - score.second) for weight, score in weighted) / total


def _reasons(verdict: Verdict, *, required: bool) -> list[_Lack]:
    words = len(_WORD.findall(verdict.rationale))
    if not required or words >= _FEW_WORDS:
        return []
    return [(BRIEF_RATIONALE, "the rationale is hardly one")] if words else [(NO_RATIONALE, "no rationale")]


def _scores(verdict: Verdict, weights: Mapping[str, float]) -> list[_Lack]:
    lacks = _unscored(verdict, weights)
    lead = margin(verdict.scores, weights)
    if lead is None:
        return lacks
    if _contradicts(verdict.choice, lead):
        lacks.append((CONTRADICTED, f"the scores ({lead:+.2f} for the first) contradict the decision"))
    elif verdict.choice is not Choice.TIE and all(score.first == score.second for score in verdict.scores):
        lacks.append((UNDECIDED_SCORES, "the scores do not tell the two apart"))
    return lacks


def _unscored(verdict: Verdict, weights: Mapping[str, float]) -> list[_Lack]:
    scored, total = {score.criterion for score in verdict.scores}, sum(weights.values())
    missing = [name for name, weight in weights.items() if name not in scored and weight > 0]
    if not missing:
        return []
    share = sum(weights[name] for name in missing) / total
    return [(UNSCORED * share, f"not scored: {', '.join(missing)}")]


def _contradicts(choice: Choice, lead: float) -> bool:
    if choice is Choice.TIE:
        return abs(lead) > _APART
    return lead < -_CLOSE if choice is Choice.FIRST else lead > _CLOSE


def _debate(turns: Sequence[DebateTurn], texts: tuple[str, str]) -> list[_Lack]:
    if not turns:
        return []
    checks = (_unsupported(turns, texts), _empty(turns), _repeated(turns), _unanswered(turns))
    return [lack for lack in checks if lack is not None]


def _unsupported(turns: Sequence[DebateTurn], texts: tuple[str, str]) -> _Lack | None:
    sources = tuple(_flat(text) for text in texts)
    worth = {side: _support([turn for turn in turns if turn.speaker is side], sources) for side in Speaker}
    silent = [f"the {side}" for side, support in worth.items() if support == 0.0]
    lack = 1.0 - sum(worth.values()) / len(worth)
    if not lack:
        return None
    why = f"{' and '.join(silent)} cited nothing" if silent else "evidence that is found in neither text"
    return UNSUPPORTED * lack, why


def _support(turns: Sequence[DebateTurn], sources: Sequence[str]) -> float:
    cited = [source for turn in turns for source in turn.evidence if source.strip()]
    if not cited:
        return 0.0
    return 0.5 + 0.5 * sum(_grounded(source, sources) for source in cited) / len(cited)


def _grounded(citation: str, sources: Sequence[str]) -> bool:
    quoted = _flat(citation)
    return any(quoted and quoted in source for source in sources) or _SOURCE.search(citation) is not None


def _flat(text: str) -> str:
    """The words alone, so that quotation marks and line breaks make no difference."""
    return " ".join(_WORD.findall(text.casefold()))


def _empty(turns: Sequence[DebateTurn]) -> _Lack | None:
    empty = sum(len(_WORD.findall(turn.content)) < _FEW_WORDS // 2 for turn in turns)
    return (EMPTY * empty / len(turns), f"turns that say nothing: {empty} of {len(turns)}") if empty else None


def _repeated(turns: Sequence[DebateTurn]) -> _Lack | None:
    earlier_turns: dict[Speaker, list[frozenset[tuple[str, ...]]]] = {side: [] for side in Speaker}
    repeated = 0
    for turn in turns:
        words = _shingles(turn.content)
        repeated += any(_similarity(words, earlier) >= _ALIKE for earlier in earlier_turns[turn.speaker])
        earlier_turns[turn.speaker].append(words)
    return (REPEATED * repeated / len(turns), f"turns that repeat: {repeated} of {len(turns)}") if repeated else None


def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    return frozenset(tuple(words[at : at + _SHINGLE]) for at in range(max(1, len(words) - _SHINGLE + 1)))


def _similarity(first: frozenset[tuple[str, ...]], second: frozenset[tuple[str, ...]]) -> float:
    together = len(first | second)
    return len(first & second) / together if together else 1.0


def _unanswered(turns: Sequence[DebateTurn]) -> _Lack | None:
    exchanges = [turn for turn in turns if turn.stage is Stage.EXCHANGE]
    silent = sum(not any(rebuttal.strip() for rebuttal in turn.rebuttals) for turn in exchanges)
    if not silent:
        return None
    return UNANSWERED * silent / len(exchanges), f"turns that answer nothing: {silent} of {len(exchanges)}"

"""The transcript of a match: its debates turn by turn, and each verdict."""

from collections.abc import Sequence
from dataclasses import dataclass

from paragone.analysis.quality.debates import DebateQuality, debate_quality
from paragone.domain import Choice, Comparison, CriterionScore, DebateTurn, Match, Pairing, Speaker, Usage
from paragone.ledger import Ledger
from paragone.tournaments.state import State, match_id


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage:
    """A paragraph of a transcript.

    Attributes:
        text: Its text, untrusted; empty for a blank line.
        indent: Columns of indentation.
        hanging: Further indentation of all lines but the first.
    """

    text: str = ""
    indent: int = 0
    hanging: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedComparison:
    """One comparison of a match with its debate.

    Attributes:
        comparison: The call and its verdict.
        planned: Turns a side that its debate was planned with; 0 for none.
        turns_judged: Turns a side that the verdict rests on.
        turns: All turns, also those that the verdict does not rest on.
        quality: The quality of the verdict and its debate.
    """

    comparison: Comparison
    planned: int
    turns_judged: int
    turns: tuple[DebateTurn, ...]
    quality: DebateQuality


def judged_comparisons(ledger: Ledger, state: State, match: Match) -> tuple[JudgedComparison, ...]:
    """The comparisons of a match, each with its debate.

    Args:
        ledger: The ledger, for the turns.
        state: The tournament.
        match: The match as the ledger has it, with rationales.
    """
    planned = planned_turns(state, match)
    return tuple(_judged_comparison(ledger, state, comparison, planned) for comparison in match.comparisons)


def planned_turns(state: State, match: Match) -> int:
    """Turns a side that the debates of a match were planned with."""
    planned = (
        pairing
        for past in state.rounds
        if past.number == match.round
        for position, pairing in enumerate(past.pairings, start=1)
        if match_id(past.number, position) == match.id
    )
    pairing = next(planned, None)
    return pairing.turns if isinstance(pairing, Pairing) else 0


def _judged_comparison(ledger: Ledger, state: State, comparison: Comparison, planned: int) -> JudgedComparison:
    turns_judged = state.turns_left.get(comparison.call, planned)
    turns = ledger.tournaments.turns(state.id, comparison.call) if planned else ()
    verdict, texts = comparison.verdict, {item.id: item.text for item in state.items if item.id in comparison.shown}
    # Models that score are always asked for reasons; what else they were asked for is not in the ledger.
    by_model = verdict.prompt_hash is not None and bool(verdict.scores)
    weights = state.system.policy.criteria_weights if by_model else {}
    scored = {score.criterion for score in verdict.scores}
    quality = debate_quality(
        verdict,
        turns[: 2 * turns_judged],
        texts=(texts[comparison.first], texts[comparison.second]),
        rationale=by_model,
        weights={name: weight for name, weight in weights.items() if name in scored},
    )
    return JudgedComparison(
        comparison=comparison, planned=planned, turns_judged=turns_judged, turns=turns, quality=quality
    )


def transcript(comparisons: Sequence[JudgedComparison]) -> tuple[Passage, ...]:
    """All turns and verdicts in order."""
    return tuple(passage for judged in comparisons for passage in _passages(judged))


def _passages(judged: JudgedComparison) -> list[Passage]:
    comparison = judged.comparison
    heading = f"{comparison.call}: {comparison.first} shown first, {comparison.second} second"
    passages = [Passage(), Passage(text=heading)]
    if judged.planned:
        passages.append(Passage(text=_length(judged), indent=2))
    passages += [passage for turn in judged.turns for passage in _turn(judged, turn)]
    return [*passages, Passage(), *_verdict(judged)]


def _length(judged: JudgedComparison) -> str:
    planned, turns, recorded = judged.planned, judged.turns_judged, len(judged.turns)
    if judged.comparison.verdict.cached and not recorded:
        return "the debate was held for an earlier question: its verdict was reused"
    if turns == planned:
        return f"a debate of {_counted(planned)} a side"
    instead = f"the judge heard {_counted(turns)} a side" if turns else "the two were compared directly"
    return f"a debate of {_counted(planned)} a side was planned and failed: {instead}"


def _counted(turns: int) -> str:
    return f"{turns} turn{'' if turns == 1 else 's'}"


def _turn(judged: JudgedComparison, turn: DebateTurn) -> list[Passage]:
    comparison = judged.comparison
    side = comparison.first if turn.speaker is Speaker.FIRST else comparison.second
    unheard = "" if turn.number <= 2 * judged.turns_judged else ", not heard by the judge"
    head = f"turn {turn.number}, {turn.stage} for {side}{unheard}"
    lists = (("claims", turn.claims), ("answers", turn.rebuttals), ("cites", turn.evidence))
    parts = [
        Passage(text=f"{name}: {entry}", indent=4, hanging=2)
        for name, entries in lists
        for entry in entries
        if entry != turn.content
    ]
    source = f"{turn.advocate}{_prompt(turn.prompt_hash)}{_took(turn.usage)}"
    return [
        Passage(),
        Passage(text=head, indent=2),
        Passage(text=turn.content, indent=4),
        *parts,
        Passage(text=f"({source})", indent=4, hanging=2),
    ]


def _verdict(judged: JudgedComparison) -> list[Passage]:
    verdict = judged.comparison.verdict
    passages = [Passage(text=_decision(judged.comparison), indent=2)]
    passages += [Passage(text=line, indent=4) for line in _scores(verdict.scores)]
    if verdict.rationale:
        passages.append(Passage(text=f"because: {verdict.rationale}", indent=4, hanging=2))
    if judged.quality.flags:
        wanting = "; ".join(judged.quality.flags)
        passages.append(Passage(text=f"quality {judged.quality.score:.2f}: {wanting}", indent=4, hanging=2))
    cached = ", cached" if verdict.cached else _took(verdict.usage)
    source = f"{verdict.judge}{_prompt(verdict.prompt_hash)}{cached}"
    return [*passages, Passage(text=f"({source})", indent=4, hanging=2)]


def _decision(comparison: Comparison) -> str:
    verdict = comparison.verdict
    better = {Choice.FIRST: f"{comparison.first} is better", Choice.SECOND: f"{comparison.second} is better"}
    wording = {**better, Choice.TIE: "neither is better", Choice.ABSTAIN: "the judge declined to say"}
    probability = "" if verdict.probability is None else f", P(first) {verdict.probability:.3f}"
    return f"verdict: {wording.get(verdict.choice, verdict.choice.value)}{probability}"


def _scores(scores: Sequence[CriterionScore]) -> list[str]:
    if not scores:
        return []
    width = max(len(score.criterion) for score in scores)
    rows = [f"{score.criterion:<{width}}  {score.first:5.2f}  {score.second:6.2f}" for score in scores]
    return [f"{'':<{width}}  first  second", *rows]


def _prompt(hash: str | None) -> str:
    return "" if hash is None else f", prompt {hash[:8]}"


def _took(usage: Usage) -> str:
    parts = []
    if usage.input_tokens or usage.output_tokens:
        parts.append(f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out")
    if usage.cost:
        parts.append(f"${usage.cost:.4g}")
    if usage.calls > 1:
        parts.append(f"{usage.calls} calls")
    return "".join(f", {part}" for part in parts)

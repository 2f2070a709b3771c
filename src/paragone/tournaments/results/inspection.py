"""Inspect one item, or one match with the transcript of its debates; export records."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from paragone.analysis.quality.debates import DebateQuality, debate_quality
from paragone.domain import (
    Choice,
    Comparison,
    CriterionScore,
    DebateTurn,
    Match,
    MatchProtocol,
    Pairing,
    Planned,
    Ranking,
    Speaker,
    Usage,
)
from paragone.domain.refusals import quoted
from paragone.domain.suggestions import did_you_mean
from paragone.errors import NotFound
from paragone.ledger import Ledger
from paragone.tournaments.results.tournament_board import board_of
from paragone.tournaments.state import TournamentState, match_id

Record = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class TranscriptParagraph:
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


def judged_comparisons(ledger: Ledger, state: TournamentState, match: Match) -> tuple[JudgedComparison, ...]:
    """The comparisons of a match, each with its debate.

    Args:
        ledger: The ledger, for the turns.
        state: The tournament.
        match: The match as the ledger has it, with rationales.
    """
    planned = planned_turns(state, match)
    return tuple(_judged_comparison(ledger, state, comparison, planned) for comparison in match.comparisons)


def planned_turns(state: TournamentState, match: Match) -> int:
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


def _judged_comparison(
    ledger: Ledger, state: TournamentState, comparison: Comparison, planned: int
) -> JudgedComparison:
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


def transcript(comparisons: Sequence[JudgedComparison]) -> tuple[TranscriptParagraph, ...]:
    """All turns and verdicts in order."""
    return tuple(passage for judged in comparisons for passage in _passages(judged))


def _passages(judged: JudgedComparison) -> list[TranscriptParagraph]:
    comparison = judged.comparison
    heading = f"{comparison.call}: {comparison.first} shown first, {comparison.second} second"
    passages = [TranscriptParagraph(), TranscriptParagraph(text=heading)]
    if judged.planned:
        passages.append(TranscriptParagraph(text=_length(judged), indent=2))
    passages += [passage for turn in judged.turns for passage in _turn(judged, turn)]
    return [*passages, TranscriptParagraph(), *_verdict(judged)]


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


def _turn(judged: JudgedComparison, turn: DebateTurn) -> list[TranscriptParagraph]:
    comparison = judged.comparison
    side = comparison.first if turn.speaker is Speaker.FIRST else comparison.second
    unheard = "" if turn.number <= 2 * judged.turns_judged else ", not heard by the judge"
    head = f"turn {turn.number}, {turn.stage} for {side}{unheard}"
    lists = (("claims", turn.claims), ("answers", turn.rebuttals), ("cites", turn.evidence))
    parts = [
        TranscriptParagraph(text=f"{name}: {entry}", indent=4, hanging=2)
        for name, entries in lists
        for entry in entries
        if entry != turn.content
    ]
    source = f"{turn.advocate}{_prompt(turn.prompt_hash)}{_took(turn.usage)}"
    return [
        TranscriptParagraph(),
        TranscriptParagraph(text=head, indent=2),
        TranscriptParagraph(text=turn.content, indent=4),
        *parts,
        TranscriptParagraph(text=f"({source})", indent=4, hanging=2),
    ]


def _verdict(judged: JudgedComparison) -> list[TranscriptParagraph]:
    verdict = judged.comparison.verdict
    passages = [TranscriptParagraph(text=_decision(judged.comparison), indent=2)]
    passages += [TranscriptParagraph(text=line, indent=4) for line in _scores(verdict.scores)]
    if verdict.rationale:
        passages.append(TranscriptParagraph(text=f"because: {verdict.rationale}", indent=4, hanging=2))
    if judged.quality.flags:
        wanting = "; ".join(judged.quality.flags)
        passages.append(TranscriptParagraph(text=f"quality {judged.quality.score:.2f}: {wanting}", indent=4, hanging=2))
    cached = ", cached" if verdict.cached else _took(verdict.usage)
    source = f"{verdict.judge}{_prompt(verdict.prompt_hash)}{cached}"
    return [*passages, TranscriptParagraph(text=f"({source})", indent=4, hanging=2)]


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Inspection:
    """What is known about one item or match.

    Attributes:
        kind: ``item`` or ``match``.
        heading: Lines that say what it is.
        columns: Columns of the table below.
        lines: Its cells.
        passages: The text below that.
        record: The same as plain values.
    """

    kind: str
    heading: tuple[str, ...]
    columns: tuple[str, ...] = ()
    lines: tuple[tuple[str, ...], ...] = ()
    passages: tuple[TranscriptParagraph, ...] = ()
    record: Record

    def as_dict(self) -> Record:
        """Plain values, ready for JSON."""
        return {"kind": self.kind, **self.record}


def inspect(ledger: Ledger, state: TournamentState, id: str) -> Inspection:
    """Show an item with its matches, or a match with its verdicts; an item where both have that id.

    Raises:
        NotFound: If neither an item nor a match has that id.
    """
    if id in state.ids:
        return _item(ledger, state, id)
    if any(match.id == id for match in state.played):
        seen = _match(ledger, state, ledger.matches.get(state.id, id).match)
        return _with_failures(ledger, state, id, seen)
    place = state.rounds.place(id)
    if place is not None:
        return _with_failures(ledger, state, id, _open_match(id, state.rounds.planned(place)[1]))
    hint = did_you_mean(id, state.ids) or "; `paragone board` lists the items, `paragone matches` the matches"
    raise NotFound(f"no item and no match of {state.id} is called {quoted(id)}{hint}")


def _open_match(id: str, planned: Planned) -> Inspection:
    heading = f"match {id}: {' against '.join(planned.items)}: planned, and not decided"
    record = {"match": {"id": id, "items": list(planned.items)}, "verdicts": []}
    return Inspection(kind="match", heading=(heading,), record=record)


def _with_failures(ledger: Ledger, state: TournamentState, id: str, match: Inspection) -> Inspection:
    """A match with the attempts at its calls that failed, and why."""
    place = state.rounds.place(id)
    if place is None:  # imported, or a vote: nobody was asked
        return replace(match, record={**match.record, "failures": []})
    planned = state.rounds.planned(place)[1]
    calls = [f"{id}.{number}" for number in range(1, len(planned.orders) + 1 if isinstance(planned, Pairing) else 2)]
    failed = ledger.matches.failures(state.id, calls)
    passages = [
        TranscriptParagraph(text=f"{answer.call} failed: {answer.verdict.error} ({answer.verdict.judge})", hanging=2)
        for answer in failed
    ]
    return replace(
        match,
        passages=(*match.passages, *([TranscriptParagraph()] if passages else []), *passages),
        record={**match.record, "failures": [failure_record(answer) for answer in failed]},
    )


def _item(ledger: Ledger, state: TournamentState, id: str) -> Inspection:
    row = board_of(ledger, state)[id]
    records = [record for record in match_records(state) if id in record["items"]]
    columns, lines = match_lines(records, about=id)
    estimate = (
        f"rank {row.rank} ({row.rank_low}-{row.rank_high}), strength {row.rating:.0f} ({row.low:.0f} to {row.high:.0f})"
    )
    record = f"{row.wins} won, {row.losses} lost, {row.ties} drawn"
    heading = (row.id, row.text, f"{estimate}, Elo {row.elo:.0f}, {record}")
    history = [asdict(change) for change in ledger.ratings.changes(state.id, id)]
    full = {"item": asdict(row), "matches": records, "changes": history}
    return Inspection(kind="item", heading=heading, columns=columns, lines=lines, record=full)


def _match(ledger: Ledger, state: TournamentState, match: Match) -> Inspection:
    record = next(record for record in match_records(state) if record["id"] == match.id)
    if match.ranking is not None:
        return _ranked(match, match.ranking, record)
    comparisons = judged_comparisons(ledger, state, match)
    heading = [f"match {match.id}: {match.a} against {match.b}: {_result(record)}", _manner(match)]
    reason = depth_reason(state, match)
    if reason:
        heading.append(_because(reason))
    if record["rolled_back"]:
        heading.append("rolled back: it no longer counts")
    verdicts = [
        {
            **verdict_record(match, judged.comparison),
            "quality": asdict(judged.quality),
            "turns": [turn_record(match, turn) for turn in judged.turns],
            "turns_planned": judged.planned,
            "turns_heard": judged.turns_judged,
        }
        for judged in comparisons
    ]
    full = {"match": record, "verdicts": verdicts, **({"depth": dict(reason)} if reason else {})}
    return Inspection(kind="match", heading=tuple(heading), passages=transcript(comparisons), record=full)


def _manner(match: Match) -> str:
    manner = _MANNERS[match.protocol]
    weight = "" if match.confidence == 1.0 else f", counted in the running Elo with a weight of {match.confidence:.2f}"
    return f"round {match.round}, {manner}{weight}" if match.round else f"{manner}{weight}"


def depth_reason(state: TournamentState, match: Match) -> Mapping[str, Any]:
    """Why a match was planned as more than a direct comparison, as its round notes it; empty where it was not."""
    notes = (
        note
        for event in state.events
        if event.kind == "round" and event.detail.get("number") == match.round
        for note in event.detail.get("depth", ())
        if set(note["pair"]) == {match.a, match.b}
    )
    return next(notes, {})


def _because(reason: Mapping[str, Any]) -> str:
    judge = f" by judge {reason['level'] + 1} of the cascade" if reason.get("level") else ""
    if reason["by"] != "worth":
        words = {"rating": "as the two are rated so highly", "always": "as all matches are"}
        return f"planned as {_FORMS[reason['protocol']]}{judge}, {words[reason['by']]}"
    matter, certainty, times = (reason[name] for name in ("matter", "certainty", "worth"))
    return (
        f"planned as {_FORMS[reason['protocol']]}{judge}: it decides who is in the top with probability {matter:.2f}, "
        f"who is better was {certainty:.0%} sure, and it is worth {times:.1f} times its tokens"
    )


_FORMS = {
    MatchProtocol.SINGLE_TURN.value: "a direct comparison",
    MatchProtocol.MULTI_TURN.value: "a debate",
    MatchProtocol.PANEL.value: "a panel debate",
}
_MANNERS = {
    MatchProtocol.SINGLE_TURN: "a direct comparison",
    MatchProtocol.MULTI_TURN: "a debate",
    MatchProtocol.PANEL: "a panel debate in one answer",
}


def _ranked(match: Match, ranking: Ranking, record: Record) -> Inspection:
    verdict = verdict_record(match, ranking)
    heading = [f"match {match.id}: {len(match.items)} in one call: {_result(record)}"]
    if record["rolled_back"]:
        heading.append("rolled back: it no longer counts")
    heading.append(f"judge {ranking.verdict.judge}" + (" (cached)" if ranking.verdict.cached else ""))
    if ranking.verdict.rationale:
        heading.append(ranking.verdict.rationale)
    ranks = range(1, len(match.items) + 1) if ranking.order else ("",) * len(match.items)
    lines = tuple(
        (str(rank), item, str(ranking.shown.index(item) + 1)) for rank, item in zip(ranks, match.items, strict=True)
    )
    full = {"match": record, "verdicts": [verdict]}
    return Inspection(
        kind="match", heading=tuple(heading), columns=("place", "item", "shown"), lines=lines, record=full
    )


def match_records(state: TournamentState) -> list[Record]:
    """Every match as plain values, in the order of record."""
    return [match_record(match, rolled_back=match.id in state.rolled_back) for match in state.played]


def match_record(match: Match, *, rolled_back: bool) -> Record:
    """A match as plain values."""
    return {
        "id": match.id,
        "round": match.round,
        "a": match.a,
        "b": match.b,
        "outcome": match.outcome.value,
        "winner": _winner(match),
        "items": list(match.items),
        "comparisons": len(match.answers),
        "protocol": match.protocol.value,
        "confidence": match.confidence,
        "rolled_back": rolled_back,
    }


def match_lines(
    records: list[Record], *, about: str | None = None
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Matches as a table: columns and cells; of a list, the rank of the item that they are ``about``."""
    columns = ("match", "a", "b", "result", "calls")
    lines = tuple((r["id"], r["a"], r["b"], _result(r, about), str(r["comparisons"])) for r in records)
    return columns, lines


def _winner(match: Match) -> str | None:
    return {"a": match.a, "b": match.b}.get(match.outcome.value)


def _result(record: Record, about: str | None = None) -> str:
    words = {"draw": "draw", "void": "void: no answer"}
    winner, items = record["winner"], record["items"]
    if len(items) == 2:
        won = f"{winner} won"
    elif about in (None, winner):
        won = f"{winner} first of {len(items)}"
    else:
        won = f"{about} in place {items.index(about) + 1} of {len(items)}"
    result = words.get(record["outcome"]) or won
    return f"{result} (rolled back)" if record["rolled_back"] else result


def verdict_record(match: Match, answer: Comparison | Ranking) -> Record:
    """A verdict as flat values; ``order`` holds ids, best first, where several were put in order."""
    verdict = asdict(answer.verdict)
    usage = _recorded_usage(verdict.pop("usage"))
    first, second, *_ = answer.shown
    about = {"match": match.id, "call": answer.call, "first": first, "second": second, "shown": list(answer.shown)}
    order = list(answer.order) if isinstance(answer, Ranking) else []
    return {**about, **verdict, "choice": answer.verdict.choice.value, "order": order, **usage}


def failure_record(attempt: Comparison | Ranking) -> Record:
    """A failed attempt at a call as flat values; a call is ``ROUND.PLACE.NUMBER``, a match ``ROUND.PLACE``."""
    first, second, *_ = attempt.shown
    return {
        "match": attempt.call.rpartition(".")[0],
        "call": attempt.call,
        "first": first,
        "second": second,
        "shown": list(attempt.shown),
        "judge": attempt.verdict.judge,
        "error": attempt.verdict.error,
        **_recorded_usage(asdict(attempt.verdict.usage)),
    }


def _recorded_usage(usage: Record) -> Record:
    """What is on record of a usage: cached tokens are counted for a run and not for a verdict."""
    return {name: value for name, value in usage.items() if name != "cached_tokens"}


def turn_record(match: Match | None, turn: DebateTurn) -> Record:
    """A turn of a debate as flat values; ``match`` is empty while its match is open."""
    values = asdict(turn)
    usage = _recorded_usage(values.pop("usage"))
    return {"match": "" if match is None else match.id, **values, **usage}


def _turn_records(ledger: Ledger, state: TournamentState) -> list[Record]:
    of = {answer.call: match for match in state.played for answer in match.answers}
    return [turn_record(of.get(turn.call), turn) for turn in ledger.tournaments.turns(state.id)]


def records(ledger: Ledger, state: TournamentState, what: str) -> list[Record]:
    """What ``export`` writes, as plain values in the order of record.

    Args:
        ledger: The ledger.
        state: The tournament.
        what: ``matches``, ``verdicts``, ``failures``, ``turns``, ``changes`` or ``items``.
    """
    makers: dict[str, Callable[[], list[Record]]] = {
        "matches": lambda: match_records(state),
        "verdicts": lambda: [
            verdict_record(recorded.match, answer)
            for recorded in ledger.matches.all(state.id)
            for answer in recorded.match.answers
        ],
        "failures": lambda: list(map(failure_record, ledger.matches.failures(state.id))),
        "turns": lambda: _turn_records(ledger, state),
        "changes": lambda: [asdict(change) for change in ledger.ratings.changes(state.id)],
        "items": lambda: [{"id": item.id, "text": item.text, "kind": item.kind.value} for item in state.items],
    }
    return makers[what]()

"""``paragone agents show``: everything about one agent."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paragone.cli import options
from paragone.cli.agents.pool import Agents, Pool
from paragone.domain import GLOBAL
from paragone.domain.text import counted

if TYPE_CHECKING:
    from paragone.agents import AgentRating
    from paragone.agents.strengths import AgentStrength
    from paragone.domain import Rating, RatingChange, Scorecard
    from paragone.ledger import AgentRecord, RecordedTest, ScoredMatch

_NAMED_OPPONENTS = 3
_RESULTS = {"W": "won", "L": "lost", "D": "drew", ".": "rolled back"}


def show(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="Name of the agent.")],
    pool: Pool,
    output: options.Output,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, metavar="N", help="Show the N newest debates.")] = 5,
) -> None:
    """Show an agent: ratings and strengths, also by domain, record, calibration, rivals and allies, debates, tests."""
    with pool.reading() as agents:
        agents.require(agent)
        profile = _profile(agents, agent, limit)
    output.show(profile, _print, values=_values)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Profile:
    """What a pool holds about one agent."""

    record: "AgentRecord"
    rating: "AgentRating"
    strength: "AgentStrength | None"
    by_domain: "dict[str, AgentStrength]"
    rivals: list[dict[str, Any]]
    allies: list[dict[str, Any]]
    debates: "Sequence[ScoredMatch]"
    tests: "Sequence[RecordedTest]"


def _profile(agents: Agents, name: str, limit: int) -> _Profile:
    record = agents.ledger.agents.records(agents.pool, [name])[0]
    strength, by_domain = _strengths(agents, record)
    return _Profile(
        record=record,
        rating=agents.system.get_rating(name),
        strength=strength,
        by_domain=by_domain,
        rivals=agents.system.get_rivals(name),
        allies=agents.system.get_allies(name),
        debates=agents.ledger.agents.matches(agents.pool, agent=name, count=limit),
        tests=agents.ledger.agents.tests(agents.pool, name),
    )


def _strengths(agents: Agents, record: "AgentRecord") -> "tuple[AgentStrength | None, dict[str, AgentStrength]]":
    """The strength of an agent, and its strengths by domain; nothing if it has not debated.

    Among very many agents the strengths by domain are left out: they would take too long.
    """
    from paragone.agents.strengths import by_domain, is_quick, strengths

    columns, config = agents.ledger.agents.score_columns(agents.pool), agents.ledger.pools.config(agents.pool)
    name, elo = record.rating.item, record.rating.elo
    if name not in columns.agents:
        return None, {}
    overall = next(row for row in strengths(columns, config=config, elo={name: elo}) if row.agent == name)
    if not columns.domains or not is_quick(len(columns.agents), len(columns.domains)):
        return overall, {}
    tables = by_domain(columns, config=config, elo={track.track: {name: track.elo} for track in record.tracks})
    return overall, {domain: row for domain, table in tables.items() for row in table.rows if row.agent == name}


def _values(profile: _Profile) -> dict[str, Any]:
    rating, by_domain = profile.rating, profile.by_domain
    computed = ("win_rate", "critique_acceptance_rate", "calibration_accuracy", "calibration_brier_score")
    return {
        **asdict(rating),
        **{name: getattr(rating, name) for name in (*computed, "calibration_score")},
        "strength": profile.strength,
        "domains": {
            track.track: {
                "elo": track.elo,
                "wins": track.wins,
                "losses": track.losses,
                "draws": track.ties,
                "strength": by_domain.get(track.track),
            }
            for track in profile.record.tracks
        },
        "rivals": profile.rivals,
        "allies": profile.allies,
        "debates": [_debate_values(match, rating.agent_name) for match in profile.debates],
        "tests": [
            {**asdict(test.test), "at": test.at, "elo_change": elo_change(test.changes, test.test.item)}
            for test in profile.tests
        ],
    }


def _print(profile: _Profile) -> None:
    from paragone.cli.tables import Column, figure, figures, out, say, show_rows, text

    say(*_heading(profile))
    if profile.record.tracks:
        by_domain = profile.by_domain
        domains: tuple[Column[Rating], ...] = (
            text("domain", lambda track: track.track),
            figures("strength", lambda track: _strength(by_domain.get(track.track))),
            figures("95% interval", lambda track: _interval(by_domain.get(track.track))),
            figure("Elo", lambda track: track.elo, ".1f"),
            figures("W-L-D", lambda track: f"{track.wins}-{track.losses}-{track.ties}"),
        )
        out().print()
        show_rows(profile.record.tracks, domains)
        if profile.strength is not None and not by_domain:
            say("strengths in a domain: paragone agents board --domain NAME")
    if profile.debates:
        out().print()
        show_rows(profile.debates, _debate_columns(profile.rating.agent_name))
    if profile.tests:
        tests: tuple[Column[RecordedTest], ...] = (
            figures("id", lambda test: test.test.id),
            text("test", lambda test: _measured(test)[0]),
            text("when", lambda test: f"{test.at:%Y-%m-%d %H:%M}"),
            text("domain", lambda test: test.test.domain),
            figure("Elo", lambda test: elo_change(test.changes, test.test.item), "+.2f"),
            text("what was measured", lambda test: _measured(test)[1]),
        )
        out().print()
        show_rows(list(reversed(profile.tests)), tests)


def _strength(strength: "AgentStrength | None") -> str:
    return "" if strength is None else f"{strength.strength:.0f}"


def _interval(strength: "AgentStrength | None") -> str:
    return "" if strength is None else f"{strength.low:.0f} to {strength.high:.0f}"


def _heading(profile: _Profile) -> list[str]:
    rating, model = profile.rating, f" ({profile.rating.model})" if profile.rating.model else ""
    lines = [
        f"{rating.agent_name}{model}: Elo {rating.elo:.1f}{_overall(profile.strength)}",
        f"{counted(rating.debates_count, 'debate')}: won {rating.wins}, lost {rating.losses}, drew {rating.draws}",
    ]
    if rating.critiques_total:
        lines.append(f"critiques: {rating.critiques_accepted} of {rating.critiques_total} accepted")
    lines.append(f"calibration: {_calibration(rating)}")
    for word, relations, score in (
        ("rivals", profile.rivals, "rivalry_score"),
        ("allies", profile.allies, "alliance_score"),
    ):
        if relations:
            lines.append(f"{word}: " + ", ".join(f"{other['agent_b']} ({other[score]:.2f})" for other in relations))
    return lines


def _overall(strength: "AgentStrength | None") -> str:
    if strength is None:
        return ""
    low, high = strength.rank_low, strength.rank_high
    ranks = f"{low}-{high}" if low != high else f"{low}"
    interval = f"[{strength.low:.0f}, {strength.high:.0f}]"
    return f", strength {strength.strength:.0f} {interval}, rank {strength.rank} ({ranks})"


def _calibration(rating: "AgentRating") -> str:
    if not rating.calibration_total:
        return "no prediction has an outcome yet"
    return (
        f"score {rating.calibration_score:.3f}, Brier {rating.calibration_brier_score:.3f}, "
        f"{rating.calibration_correct} of {rating.calibration_total} predictions came true"
    )


def _measured(test: "RecordedTest") -> tuple[str, str]:
    """The kind of a test and what it measured."""
    from paragone.domain import RedTeamResult

    result = test.test
    if isinstance(result, RedTeamResult):
        critical = f", {result.critical} critical" if result.critical else ""
        attacks = f"{result.successful} of {result.total} attacks succeeded{critical}"
        return (
            f"red team{f' {result.session}' if result.session else ''}",
            f"robustness {result.robustness:g}, {attacks}",
        )
    return "verification", f"{result.verified} verified, {result.disproven} disproven, K {result.k:g}"


def elo_change(changes: "Sequence[RatingChange]", agent: str) -> float:
    """Elo points by which changes moved the global rating of an agent."""
    return sum(change.change for change in changes if change.item == agent and change.track == GLOBAL)


def result_letter(match: "ScoredMatch", agent: str) -> str:
    """The result of a debate for an agent: W, L or D; a dot if it was rolled back."""
    card = _scorecard(match)
    if match.rolled_back:
        return "."
    if card.winner is None:
        return "D"
    return "W" if card.winner == agent else "L"


def _scorecard(match: "ScoredMatch") -> "Scorecard":
    """The scores of a debate.

    Raises:
        ValueError: If the match has none.
    """
    card = match.match.scorecard
    if card is None:
        raise ValueError(f"the match {match.match.id!r} has no scorecard")
    return card


def _debate_columns(agent: str) -> "Sequence[Any]":
    from paragone.cli.tables import Column, figure, figures, text

    columns: tuple[Column[ScoredMatch], ...] = (
        text("debate", lambda match: match.match.id),
        text("when", lambda match: f"{match.at:%Y-%m-%d %H:%M}"),
        text("domain", lambda match: _scorecard(match).domain),
        text("result", lambda match: _RESULTS[result_letter(match, agent)]),
        figure("Elo", lambda match: elo_change(match.changes, agent), "+.2f"),
        figures("score", lambda match: f"{_scores(match)[agent]:g}"),
        text("others", lambda match: _opponents(match, agent)),
    )
    return columns


def _scores(match: "ScoredMatch") -> dict[str, float]:
    card = _scorecard(match)
    return dict(zip(card.participants, card.scores, strict=True))


def _opponents(match: "ScoredMatch", agent: str) -> str:
    opponents = [f"{name} {score:g}" for name, score in _scores(match).items() if name != agent]
    surplus = len(opponents) - _NAMED_OPPONENTS
    return ", ".join(opponents[:_NAMED_OPPONENTS]) + (f" and {surplus} more" if surplus > 0 else "")


def _debate_values(match: "ScoredMatch", agent: str) -> dict[str, Any]:
    card = _scorecard(match)
    return {
        "debate_id": match.match.id,
        "winner": card.winner,
        "participants": card.participants,
        "domain": card.domain or None,
        "task": card.task or None,
        "scores": _scores(match),
        "confidence_weight": match.match.confidence,
        "elo_change": elo_change(match.changes, agent),
        "rolled_back": match.rolled_back,
        "created_at": match.at,
    }

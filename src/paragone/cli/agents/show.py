"""``paragone agents show``: all about one agent."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paragone.cli import options
from paragone.cli.agents import opening
from paragone.cli.agents.debates import change_of, debate_line, debate_values
from paragone.cli.json_out import print_json
from paragone.domain.text import counted

if TYPE_CHECKING:
    from paragone.agents import AgentRating
    from paragone.agents.strengths import AgentStrength
    from paragone.domain import Rating
    from paragone.ledger import AgentRecord, RecordedTest, ScoredMatch

DOMAIN = ("domain", "strength", "95% interval", "Elo", "W-L-D")
DEBATE = ("debate", "when", "domain", "result", "Elo", "score", "others")
TEST = ("id", "test", "when", "domain", "Elo", "what was measured")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(show)


def show(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="Its name.")],
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, metavar="N", help="Debates to show, newest first.")] = 5,
    db: options.Database = None,
    pool: opening.Pool = opening.POOL,
    as_json: options.Json = False,
) -> None:
    """Show an agent: rating and strength, also by domain, record, calibration, rivals and allies, debates, tests."""
    with opening.reading(db, pool) as agents:
        agents.require(agent)
        seen = _Seen(agents, agent, limit)
    if as_json:
        print_json(seen.values())
    else:
        _print(seen)


class _Seen:
    """What is there to see of one agent."""

    def __init__(self, agents: opening.Agents, name: str, limit: int) -> None:
        ledger, pool, system = agents.ledger, agents.pool, agents.system
        self.record: AgentRecord = ledger.agents.records(pool, [name])[0]
        self.rating: AgentRating = system.get_rating(name)
        self.strength, self.by_domain = _strengths(agents, self.record)
        self.rivals = system.get_rivals(name)
        self.allies = system.get_allies(name)
        self.debates: tuple[ScoredMatch, ...] = ledger.agents.matches(pool, agent=name, count=limit)
        self.tests: tuple[RecordedTest, ...] = ledger.agents.tests(pool, name)

    def values(self) -> dict[str, Any]:
        """As plain values."""
        one = self.rating
        computed = ("win_rate", "critique_acceptance_rate", "calibration_accuracy", "calibration_brier_score")
        return {
            **asdict(one),
            **{name: getattr(one, name) for name in (*computed, "calibration_score")},
            "strength": None if self.strength is None else asdict(self.strength),
            "domains": {
                track.track: {
                    "elo": track.elo,
                    "wins": track.wins,
                    "losses": track.losses,
                    "draws": track.ties,
                    "strength": None if found is None else asdict(found),
                }
                for track in self.record.tracks
                for found in [self.by_domain.get(track.track)]
            },
            "rivals": self.rivals,
            "allies": self.allies,
            "debates": [debate_values(found, one.agent_name) for found in self.debates],
            "tests": [_test_values(found) for found in self.tests],
        }


def _strengths(
    agents: opening.Agents, record: "AgentRecord"
) -> "tuple[AgentStrength | None, dict[str, AgentStrength]]":
    """How strong an agent is, and how strong in each domain; nothing where it has not debated.

    Among very many agents the strengths by domain are left out: they would take longer than anybody waits for a look.
    """
    from paragone.agents.strengths import by_domain, is_quick, strengths

    columns, config = agents.ledger.agents.score_columns(agents.pool), agents.ledger.pools.config(agents.pool)
    name, elo = record.rating.item, record.rating.elo
    if name not in columns.agents:
        return None, {}
    whole = next(found for found in strengths(columns, config=config, elo={name: elo}) if found.agent == name)
    if not columns.domains or not is_quick(len(columns.agents), len(columns.domains)):
        return whole, {}
    tables = by_domain(columns, config=config, elo={track.track: {name: track.elo} for track in record.tracks})
    return whole, {about: found for about, table in tables.items() for found in table.rows if found.agent == name}


def _print(seen: _Seen) -> None:
    from paragone.cli.show import out, plain, print_table

    console = out()
    for line in _heading(seen):
        console.print(plain(line))
    if seen.record.tracks:
        console.print()
        lines = [_domain_line(track, seen.by_domain.get(track.track)) for track in seen.record.tracks]
        print_table(DOMAIN, lines, right=frozenset(DOMAIN[1:]))
        if seen.strength is not None and not seen.by_domain:
            console.print(plain("strengths in a domain: paragone agents board --domain NAME"))
    if seen.debates:
        console.print()
        lines = [debate_line(found, seen.rating.agent_name) for found in seen.debates]
        print_table(DEBATE, lines, right=frozenset({"Elo", "score"}))
    if seen.tests:
        console.print()
        print_table(TEST, [_test_line(found) for found in reversed(seen.tests)], right=frozenset({"id", "Elo"}))


def _heading(seen: _Seen) -> list[str]:
    one = seen.rating
    lines = [f"{one.agent_name}{f' ({one.model})' if one.model else ''}: Elo {one.elo:.1f}{_strength(seen.strength)}"]
    lines.append(f"{counted(one.debates_count, 'debate')}: won {one.wins}, lost {one.losses}, drew {one.draws}")
    if one.critiques_total:
        lines.append(f"critiques: {one.critiques_accepted} of {one.critiques_total} accepted")
    lines.append(f"calibration: {_calibration(one)}")
    for word, found, score in (("rivals", seen.rivals, "rivalry_score"), ("allies", seen.allies, "alliance_score")):
        if found:
            lines.append(f"{word}: " + ", ".join(f"{other['agent_b']} ({other[score]:.2f})" for other in found))
    return lines


def _strength(found: "AgentStrength | None") -> str:
    if found is None:
        return ""
    ranks = f"{found.rank_low}-{found.rank_high}" if found.rank_low != found.rank_high else f"{found.rank_low}"
    return f", strength {found.strength:.0f} [{found.low:.0f}, {found.high:.0f}], rank {found.rank} ({ranks})"


def _calibration(one: "AgentRating") -> str:
    if not one.calibration_total:
        return "no prediction has an outcome yet"
    return (
        f"score {one.calibration_score:.3f}, Brier {one.calibration_brier_score:.3f}, "
        f"{one.calibration_correct} of {one.calibration_total} predictions came true"
    )


def _domain_line(track: "Rating", found: "AgentStrength | None") -> tuple[str, ...]:
    strength = ("", "") if found is None else (f"{found.strength:.0f}", f"{found.low:.0f} to {found.high:.0f}")
    return (track.track, *strength, f"{track.elo:.1f}", f"{track.wins}-{track.losses}-{track.ties}")


def _test_line(found: "RecordedTest") -> tuple[str, ...]:
    kind, measured = _measured(found)
    moved = change_of(found.changes, found.test.item)
    return (found.test.id, kind, f"{found.at:%Y-%m-%d %H:%M}", found.test.domain, f"{moved:+.2f}", measured)


def _measured(found: "RecordedTest") -> tuple[str, str]:
    from paragone.domain import RedTeamResult

    test = found.test
    if isinstance(test, RedTeamResult):
        critical = f", {test.critical} critical" if test.critical else ""
        measured = f"robustness {test.robustness:g}, {test.successful} of {test.total} attacks succeeded{critical}"
        return f"red team{f' {test.session}' if test.session else ''}", measured
    return "verification", f"{test.verified} verified, {test.disproven} disproven, K {test.k:g}"


def _test_values(found: "RecordedTest") -> dict[str, Any]:
    return {
        **asdict(found.test),
        "at": found.at.isoformat(),
        "elo_change": change_of(found.changes, found.test.item),
    }

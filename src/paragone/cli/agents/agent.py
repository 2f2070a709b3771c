"""``paragone agents show``: everything about one agent."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

from paragone.cli import options
from paragone.cli.agents.pool import OpenPool, PoolOptions, elo_change, result_letter, scorecard
from paragone.cli.options import argument, option
from paragone.domain.text import counted
from paragone.presenting.table import Table, apart, number, table, text

if TYPE_CHECKING:
    from paragone.agents.strengths import AgentStrength
    from paragone.analysis.relationships import RelationshipMetrics
    from paragone.ledger import AgentRecord, RecordedTest, ScoredMatch
    from paragone.wire.agent import AgentRow

_NAMED_OPPONENTS = 3
_MOST_ADJUSTMENTS = 1_000
_RESULTS = {"W": "won", "L": "lost", "D": "drew", ".": "rolled back"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Profile:
    """What a pool holds about one agent."""

    row: "AgentRow"
    record: "AgentRecord"
    by_domain: "dict[str, AgentStrength]"
    rivals: "Sequence[RelationshipMetrics]"
    allies: "Sequence[RelationshipMetrics]"
    debates: "Sequence[ScoredMatch]"
    tests: "Sequence[RecordedTest]"
    versions: Sequence[Mapping[str, str]]


def show(
    agent: Annotated[str, argument("Name of the agent.")],
    pool: PoolOptions,
    output: options.Output,
    limit: Annotated[int, option("Show the N newest debates.", "-n", min=1)] = 5,
) -> None:
    """Show everything about one agent.

    It lists ratings and strengths, also by domain, the record, calibration, rivals and allies, debates, and tests.
    """
    with pool.reading() as agents:
        agents.require(agent)
        profile = _profile(agents, agent, limit)
    output.show(profile, _blocks, values=_values)


def _profile(agents: OpenPool, name: str, limit: int) -> Profile:
    from paragone.agents.seasons import versions_of
    from paragone.agents.standings import AgentStanding, agent_row
    from paragone.analysis.relationships import allies, rivals

    ledger = agents.ledger.agents
    record, tests = ledger.records(agents.pool, [name])[0], ledger.tests(agents.pool, name)
    strength, by_domain = _strengths(agents, record)
    debates, relations = ledger.matches(agents.pool, agent=name, count=limit), ledger.relations(agents.pool, name)
    form, tally = "".join(result_letter(match, name) for match in reversed(debates)), record.tally
    return Profile(
        row=agent_row(
            AgentStanding(record=record, rating=record.rating, strength=strength, form=form),
            tally.calibration_total,
            tally.calibration_correct,
            tally.calibration_brier_sum,
        ),
        record=record,
        by_domain=by_domain,
        rivals=rivals(name, relations),
        allies=allies(name, relations),
        debates=debates,
        tests=tests,
        versions=versions_of(agents.system.evidence(name, kind="adjustment", limit=_MOST_ADJUSTMENTS)),
    )


def _strengths(agents: OpenPool, record: "AgentRecord") -> "tuple[AgentStrength | None, dict[str, AgentStrength]]":
    """The strength of an agent, and its strengths by domain; nothing if it has not debated.

    Among very many agents the strengths by domain are left out: they would take too long.
    """
    from paragone.agents.strengths import by_domain, is_quick, strengths

    columns, config = agents.ledger.agents.score_columns(agents.pool), agents.ledger.pools.config(agents.pool)
    name, elo = record.rating.item, record.rating.elo
    if name not in columns.agents:
        return None, {}
    overall = next(row for row in strengths(columns, config=config, elo={name: elo}) if row.agent == name)
    changing = columns.history is not None
    if not columns.domains or not is_quick(len(columns.agents), len(columns.domains), changing=changing):
        return overall, {}
    tables = by_domain(columns, config=config, elo={track.track: {name: track.elo} for track in record.tracks})
    return overall, {domain: row for domain, table in tables.items() for row in table.rows if row.agent == name}


def _values(profile: Profile) -> dict[str, Any]:
    from paragone.agents.debates import debate_values

    tally, by_domain = profile.record.tally, profile.by_domain
    return {
        **asdict(profile.row),
        "critiques": tally.critiques_total,
        "critiques_accepted": tally.critiques_accepted,
        "domains": [
            {"domain": track.track, **asdict(track), "strength": by_domain.get(track.track)}
            for track in profile.record.tracks
        ],
        "versions": profile.versions,
        "rivals": profile.rivals,
        "allies": profile.allies,
        "last_debates": [{**debate_values(match), "task": scorecard(match).task or None} for match in profile.debates],
        "tests": [
            {**asdict(test.test), "at": test.at, "elo_change": elo_change(test.changes, test.test.item)}
            for test in profile.tests
        ],
    }


def _blocks(profile: Profile) -> "Iterator[str | Table[Any]]":
    from paragone.presenting.agents import strengths_by_domain, tests

    yield from _heading(profile)
    tables: tuple[Table[Any], ...] = (
        strengths_by_domain(profile.record.tracks, profile.by_domain),
        _debates(profile.debates, profile.row.agent),
        tests(profile.tests[::-1], of_one=True),
    )
    yield from apart(tables)
    if profile.record.tracks and profile.row.rank is not None and not profile.by_domain:
        yield "strengths in a domain: paragone agents board --domain NAME"


def _heading(profile: Profile) -> list[str]:
    row, tally = profile.row, profile.record.tally
    lines = [
        f"{row.agent}{f' ({row.model})' if row.model else ''}: Elo {row.elo:.1f}{_overall(row)}",
        f"{counted(row.debates, 'debate')}: won {row.wins}, lost {row.losses}, drew {row.ties}",
    ]
    if profile.versions:
        newest = profile.versions[0]
        lines.append(
            f"version {newest['version']} since {newest['since'][:16].replace('T', ' ')}: its strength is that of now"
        )
    if tally.critiques_total:
        lines.append(f"critiques: {tally.critiques_accepted} of {tally.critiques_total} accepted")
    lines.append(f"calibration: {_calibration(row)}")
    rivals = ", ".join(f"{other.agent_b} ({other.rivalry_score:.2f})" for other in profile.rivals)
    allies = ", ".join(f"{other.agent_b} ({other.alliance_score:.2f})" for other in profile.allies)
    return [*lines, *(f"{word}: {names}" for word, names in (("rivals", rivals), ("allies", allies)) if names)]


def _overall(row: "AgentRow") -> str:
    if row.rank is None:
        return ""
    ranks = f"{row.rank_low}-{row.rank_high}" if row.rank_low != row.rank_high else f"{row.rank_low}"
    return f", strength {row.strength:.0f} [{row.low:.0f}, {row.high:.0f}], rank {row.rank} ({ranks})"


def _calibration(row: "AgentRow") -> str:
    if not row.predictions:
        return "no prediction has an outcome yet"
    score = "too few predictions for a score" if row.score is None else f"score {row.score:.3f}"
    return f"{score}, Brier {row.brier:.3f}, {row.correct} of {row.predictions} predictions came true"


def _debates(matches: "Sequence[ScoredMatch]", agent: str) -> "Table[ScoredMatch]":
    return table(
        matches,
        text("debate", lambda match: match.match.id),
        text("when", lambda match: f"{match.at:%Y-%m-%d %H:%M}"),
        text("domain", lambda match: scorecard(match).domain),
        text("result", lambda match: _RESULTS[result_letter(match, agent)]),
        number("Elo", lambda match: elo_change(match.changes, agent), "+.2f"),
        number("score", lambda match: _scores(match)[agent], "g"),
        text("others", lambda match: _opponents(match, agent)),
    )


def _scores(match: "ScoredMatch") -> dict[str, float]:
    card = scorecard(match)
    return dict(zip(card.participants, card.scores, strict=True))


def _opponents(match: "ScoredMatch", agent: str) -> str:
    opponents = [f"{name} {score:g}" for name, score in _scores(match).items() if name != agent]
    surplus = len(opponents) - _NAMED_OPPONENTS
    return ", ".join(opponents[:_NAMED_OPPONENTS]) + (f" and {surplus} more" if surplus > 0 else "")

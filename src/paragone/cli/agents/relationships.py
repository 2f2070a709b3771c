"""``paragone agents relate``, ``critique`` and ``relations``: what happened between agents."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

from paragone.cli import options
from paragone.cli.agents.pool import EvidenceId, OpenPool, PoolOptions, WritablePool, new_id
from paragone.cli.options import argument, option
from paragone.domain.text import counted
from paragone.errors import InvalidEvidence
from paragone.presenting.table import Table

if TYPE_CHECKING:
    from paragone.analysis.relationships import RelationshipMetrics

_CRITIQUES = (
    ("{a} criticised {b}", "critique_count_a_to_b", "critique_accepted_a_to_b"),
    ("{b} criticised {a}", "critique_count_b_to_a", "critique_accepted_b_to_a"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """What happened between AGENT and OTHER."""

    debates: Annotated[int, option("Debates in which both took part.", min=0)] = 0
    agreements: Annotated[int, option("Debates in which they agreed.", min=0)] = 0
    wins: Annotated[int, option("Debates that AGENT won.", min=0)] = 0
    losses: Annotated[int, option("Debates that OTHER won.", min=0)] = 0
    critiques: Annotated[int, option("Critiques by AGENT.", min=0)] = 0
    accepted: Annotated[int, option("Critiques by AGENT that OTHER accepted.", min=0)] = 0
    received: Annotated[int, option("Critiques by OTHER.", min=0)] = 0
    granted: Annotated[int, option("Critiques by OTHER that AGENT accepted.", min=0)] = 0
    yielded: Annotated[int, option("Times AGENT changed its position.", min=0)] = 0
    other_yielded: Annotated[int, option("Times OTHER changed its position.", "--moved", min=0)] = 0

    def increments(self) -> dict[str, int]:
        """The counts under the names of ``update_relationship``.

        Raises:
            InvalidEvidence: If all are zero.
        """
        increments = {
            "debate_increment": self.debates,
            "agreement_increment": self.agreements,
            "a_win": self.wins,
            "b_win": self.losses,
            "critique_a_to_b": self.critiques,
            "critique_accepted_a_to_b": self.accepted,
            "critique_b_to_a": self.received,
            "critique_accepted_b_to_a": self.granted,
            "position_change_a_after_b": self.yielded,
            "position_change_b_after_a": self.other_yielded,
        }
        if not any(increments.values()):
            raise InvalidEvidence("nothing to add; say what happened, such as --debates 1 --agreements 1")
        return increments


def relate(
    agent: Annotated[str, argument("The agent.")],
    other: Annotated[str, argument("The other agent.")],
    counts: Counts,
    pool: WritablePool,
    output: options.Output,
    id: EvidenceId = None,
) -> None:
    """Add to the counts between two agents. It prints their relationship."""
    from paragone.agents import checks

    increments = counts.increments()
    a, b = checks.agent(agent), checks.agent(other)
    update = checks.optional_identifier(id, "--id") or new_id("relation")
    if a == b:
        raise InvalidEvidence(f"an agent has no relation with itself: {a!r}")
    with pool.writing() as system:
        system.update_relationship(a, b, **increments, update_id=update)
    with pool.reading() as agents:
        metrics = _metrics(agents, a, b)
    output.say({"id": update, **asdict(metrics)}, f"{_in_words(metrics)}; recorded as {update}")


def critique(
    agent: Annotated[str, argument("The agent that made the critique.")],
    accepted: Annotated[bool, option("Whether it was accepted.", "--accepted/--rejected")],
    pool: WritablePool,
    output: options.Output,
    id: EvidenceId = None,
) -> None:
    """Record whether a critique by an agent was accepted."""
    from paragone.agents import checks

    name, critique = checks.agent(agent), checks.optional_identifier(id, "--id") or new_id("critique")
    with pool.writing() as system:
        system.record_critique(name, accepted, critique_id=critique)
        rating = system.get_rating(name)
    accepted_count, total = rating.critiques_accepted, rating.critiques_total
    output.say(
        {"id": critique, "agent": name, "critiques": total, "critiques_accepted": accepted_count},
        f"{name}: {accepted_count} of {total} critiques accepted; recorded as {critique}",
    )


def relations(
    agent: Annotated[str, argument("The agent.")],
    pool: PoolOptions,
    output: options.Output,
    other: Annotated[str | None, argument("Only with this agent, with every count.")] = None,
    limit: options.Limit = 20,
) -> None:
    """Show an agent's relationships, or only that with OTHER. They count debates, agreement, critiques and wins."""
    from paragone.analysis.relationships import metrics

    with pool.reading() as agents:
        agents.require(*([agent] if other is None else [agent, other]))
        if other is not None:
            _show_pair(agents, agent, other, output)
            return
        relations = [relation.seen_from(agent) for relation in agents.ledger.agents.relations(pool.pool, agent)]
    most = sorted(relations, key=lambda relation: (-relation.dealings.debates, relation.b))[:limit]
    rows = [metrics(agent, relation.b, relation) for relation in most]
    output.show(rows, lambda each: _all(agent, each))


def _metrics(agents: OpenPool, a: str, b: str) -> "RelationshipMetrics":
    from paragone.analysis.relationships import metrics

    return metrics(a, b, agents.ledger.agents.relation(agents.pool, a, b))


def _all(agent: str, rows: "list[RelationshipMetrics]") -> Iterator[str | Table[Any]]:
    from paragone.presenting import agents

    if not rows:
        hint = "paragone agents relate records it; name two agents to count their debates by scores"
        yield f"nothing was recorded between {agent} and others; {hint}"
        return
    yield agents.relations(sorted(rows, key=lambda row: -max(row.rivalry_score, row.alliance_score)), agent)


def _show_pair(agents: OpenPool, a: str, b: str, output: options.Output) -> None:
    metrics, counts = _metrics(agents, a, b), agents.system.get_relationship_raw(a, b)
    debates = agents.system.get_head_to_head(a, b)
    if counts is None:
        sentences = [f"{a} and {b}: nothing was recorded between them"]
    else:
        sentences = [_in_words(metrics), *_counts(a, b, counts)]
    output.say(
        {**asdict(metrics), "counts": counts, "debates": debates},
        *sentences,
        f"by scores, in {counted(debates['matches'], 'recorded debate')}: {a} ahead in {debates[f'{a}_wins']}, "
        f"{b} in {debates[f'{b}_wins']}, level in {debates['draws']}",
    )


def _in_words(metrics: "RelationshipMetrics") -> str:
    """What two agents are to each other, in a line."""
    from paragone.presenting.agents import kind

    scores = f"rivalry {metrics.rivalry_score:.2f}, alliance {metrics.alliance_score:.2f}"
    return f"{metrics.agent_a} and {metrics.agent_b}: {kind(metrics)}; {scores}"


def _counts(a: str, b: str, raw: dict[str, Any]) -> list[str]:
    debates = f"{counted(raw['debate_count'], 'debate')}, agreed in {raw['agreement_count']}"
    lines = [f"{debates}; {a} won {raw['a_wins_over_b']}, {b} won {raw['b_wins_over_a']}"]
    lines += [
        f"{sentence.format(a=a, b=b)} {counted(raw[total], 'time')}, accepted {raw[accepted]}"
        for sentence, total, accepted in _CRITIQUES
        if raw[total]
    ]
    changes = ((a, b, "position_changes_a_after_b"), (b, a, "position_changes_b_after_a"))
    return lines + [
        f"{agent} changed its position after {other} {counted(raw[key], 'time')}"
        for agent, other, key in changes
        if raw[key]
    ]

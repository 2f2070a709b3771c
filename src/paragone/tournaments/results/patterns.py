"""What wins and loses in a tournament: analysed, optionally worded by a model, and recorded as an event."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from paragone import extras
from paragone.domain import Outcome, PatternConfig
from paragone.errors import JudgeFailed, NotFound
from paragone.judges.fences import cut, encodable, mark
from paragone.judges.templates import load
from paragone.ledger import Ledger
from paragone.ledger.evidence.tournaments import INSIGHTS
from paragone.llm import Effort, Message, ModelClient, ModelRequest, ask
from paragone.tournaments.state import TournamentState

if TYPE_CHECKING:
    from paragone.analysis.patterns import Patterns

EVENT = "patterns"
"""The kind of event that records an analysis."""


_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"recommendation": {"type": "string"}},
    "required": ["recommendation"],
    "additionalProperties": False,
}
_LONGEST = 1500


def analyse_patterns(
    state: TournamentState,
    *,
    config: PatternConfig | None = None,
    seed: int | None = None,
    texts: Mapping[str, str] | None = None,
) -> "Patterns":
    """What wins and what loses in a tournament.

    Imported votes have no texts, so ``texts`` must provide them.

    Args:
        state: The tournament; topics are the clusters of its ``proximity``, if it has one.
        config: Parameters of the analysis; the tournament's own by default.
        seed: Seeds the analysis; the tournament's own by default.
        texts: Texts by item id, instead of those of the tournament.

    Raises:
        MissingExtra: If scikit-learn is not installed.
    """
    extras.require("patterns need", "scikit-learn")
    from paragone.analysis.patterns import analyse, decided_matches

    text_by_id = texts_of(state) if texts is None else dict(texts)
    return analyse(
        decided_matches(state.matches),
        text_by_id,
        config=config or state.system.pattern_analysis,
        clusters=_clusters(state, text_by_id),
        level=state.settings.level,
        seed=state.settings.seed if seed is None else seed,
    )


def texts_of(state: TournamentState) -> dict[str, str]:
    """The items' texts by id; items of imported votes have none."""
    imported = any(event.kind == "import" for event in state.events)
    return {item.id: item.text for item in state.items if not (imported and item.text == item.id)}


def _clusters(state: TournamentState, texts: Mapping[str, str]) -> dict[str, int] | None:
    if state.proximity is None:
        return None
    clusters = {}
    for id in texts:
        try:
            clusters[id] = state.proximity.cluster_of(id)
        except NotFound:  # such as an item that joined after the graph was made
            continue
    return clusters


def decided_since(state: TournamentState) -> int:
    """Decided matches since the last recorded analysis."""
    last = next((event.detail for event in reversed(state.events) if event.kind == EVENT), {})
    before = int(last.get("method", {}).get("decided_matches", last.get("matches_analyzed", 0)))
    return sum(match.outcome in (Outcome.A, Outcome.B) for match in state.matches) - before


def record_patterns(ledger: Ledger, state: TournamentState, patterns: "Patterns", insights: str = "") -> None:
    """Record an analysis as an event of the tournament, with the insights of a meta-review, if any."""
    insight_events = [(INSIGHTS, {"text": insights, "matches": patterns.matches})] if insights.strip() else []
    ledger.tournaments.add_events(state.id, [(EVENT, patterns.as_dict()), *insight_events])


async def worded(
    patterns: "Patterns",
    client: ModelClient,
    *,
    max_tokens: int = 1024,
    temperature: float = 0.0,
    effort: Effort | None = None,
) -> "Patterns":
    """Have a model word the recommendation; if it fails, the analysis is the same, with a note.

    The model is not asked if nothing was found.

    Args:
        patterns: The analysis.
        client: The model; see ``paragone.llm.connect``. It is left open.
        max_tokens: Maximum length of its answer.
        temperature: Sampling temperature, from 0 to 2.
        effort: Reasoning effort; None leaves it to the model.
    """
    if not patterns.found:
        return patterns
    try:
        request = replace(_request(patterns), max_tokens=max_tokens, temperature=temperature, effort=effort)
        reply = await ask(client, request)
    except JudgeFailed as error:
        return replace(patterns, note=f"not worded by {client.model}: {error}")
    recommendation = (reply.parsed or {}).get("recommendation")
    if not isinstance(recommendation, str) or not recommendation.strip():
        return replace(patterns, note=f"not worded by {client.model}: its answer holds no recommendation")
    return replace(
        patterns,
        recommendation_for_generation=cut(" ".join(recommendation.split()), _LONGEST),
        worded_by=client.model,
        note="",
    )


def _request(patterns: "Patterns") -> ModelRequest:
    template = load("recommendation")
    findings = encodable(_findings(patterns))
    system, user = template.fill(0), template.fill(1, mark=mark(findings), findings=findings)
    messages = (Message(role="system", content=system), Message(role="user", content=user))
    return ModelRequest(messages=messages, schema=_SCHEMA)


def _findings(patterns: "Patterns") -> str:
    """The findings for the prompt, never the texts."""
    parts = {
        "Found": [patterns.summary],
        "Goes with winning": [finding.sentence for finding in patterns.characteristics if finding.wins],
        "Goes with losing": [finding.sentence for finding in patterns.characteristics if not finding.wins],
        "Criteria": [finding.sentence for finding in patterns.criteria],
        "Topics": [finding.sentence for finding in patterns.topics],
    }
    return "\n".join(f"{name}:\n" + "\n".join(f"- {line}" for line in lines) for name, lines in parts.items() if lines)

"""What a run says of itself to whoever traces it: names, ids and numbers of the run, its rounds and its matches."""

from collections.abc import Iterable
from contextlib import AbstractContextManager

from paragone.domain import Comparison, Planned, Ranking, Usage
from paragone.tournaments.state import State
from paragone.tracing import Span, Value, is_traced, span


def run_span(state: State, judge: str) -> AbstractContextManager[Span]:
    """A run."""
    return span("tournament.run", {"paragone.pool": state.id, "paragone.judge": judge})


def round_span(state: State, turn: int, matches: int) -> AbstractContextManager[Span]:
    """A pass over what is open of a round."""
    about = {"paragone.round": len(state.rounds), "paragone.pass": turn, "paragone.matches": matches}
    return span("tournament.round", {"paragone.pool": state.id, **about})


def match_span(state: State, id: str, planned: Planned) -> AbstractContextManager[Span]:
    """A match, from its first question to its last answer; its outcome is written later, in the order of the plan."""
    return span("tournament.match", {"paragone.pool": state.id, "paragone.match": id, "paragone.calls": planned.calls})


def note_answers(told: Span, answers: Iterable[Comparison | Ranking]) -> None:
    """Say what the answers of a match took; one from the cache took nothing now."""
    if not is_traced():
        return
    verdicts = [answer.verdict for answer in answers]
    used = [verdict.usage for verdict in verdicts if not verdict.cached]
    told.note(
        {
            "paragone.answered": sum(verdict.choice.is_answer for verdict in verdicts),
            "paragone.cached": sum(verdict.cached for verdict in verdicts),
            "paragone.input_tokens": sum(usage.input_tokens for usage in used),
            "paragone.output_tokens": sum(usage.output_tokens for usage in used),
            "paragone.cost": _cost(used),
        }
    )


def _cost(used: Iterable[Usage]) -> Value:
    known = [usage.cost for usage in used if usage.cost is not None]
    return sum(known) if known else None

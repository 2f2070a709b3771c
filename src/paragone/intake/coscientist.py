"""Runs of the open AI co-scientists as they write them: hypotheses, reviews and match logs.

The fields are those of their own code, read in November 2026:

- ``Kaimen-Inc/Co-Scientist``: ``co_scientist/models/`` (hypothesis, review, tournament): ids, ``full_text``, scores
  from 0 to 1, matches by ``hyp_a``, ``hyp_b`` and ``winner`` (``a``, ``b`` or null where no verdict could be read).
- ``jataware/open-coscientist`` and ``guy915/Co-Scientist``: ``Hypothesis.to_dict`` and ``tournament_matchups`` of the
  final state: no ids, reviews within hypotheses, matches by the first 200 characters of the texts.
- ``conradry/open-coscientist-agents``: ``ReviewedHypothesis`` and ``RankingMatchResult``: ``uid``, ``hypothesis``,
  ``verification_result``, matches by ``uid1``, ``uid2`` and ``winner`` (1 or 2).

Rows that cannot be used are left out and counted by reason; one odd row does not cost the others.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paragone.domain import Item, Review
from paragone.errors import UnreadableFile
from paragone.intake.items import MAX_ID, id_of
from paragone.intake.text_file import read_text

PREFIX = 200
"""Characters of a text by which matches without ids name it, before an ellipsis."""

_REVIEWED = ("hypothesis_id", "uid", "item")
_FIRST_SIDE, _SECOND_SIDE = ("hyp_a", "uid1", "hypothesis_a", "a"), ("hyp_b", "uid2", "hypothesis_b", "b")
_WINNERS = {"a": 0, "b": 1, "1": 0, "2": 1}
_IDS, _TEXTS = ("id", "uid", "hypothesis_id"), ("full_text", "text", "hypothesis", "statement", "summary", "title")
_MATCHES = ("matches", "tournament_matches", "tournament_matchups", "match_history")
_WITHDRAWN = frozenset({"rejected", "quarantined", "retired"})
_OVERALL = ("overall_score", "score", "overall")

Row = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class PastMatch:
    """A match in a log.

    Attributes:
        a: Id of the one side.
        b: Of the other.
        winner: Id of the winner.
        reason: Why, in words. Untrusted.
        judge: How it was judged, such as ``debate``.
    """

    a: str
    b: str
    winner: str
    reason: str = ""
    judge: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class CoscientistRun:
    """What a run left.

    Attributes:
        goal: The research goal; empty if it was not in the file.
        items: The hypotheses; a text may be empty, see ``intake.items.lacking``.
        reviews: Reviews with a score.
        matches: Matches with a winner, in the order of the file.
        left_out: Rows that could not be used, by reason.
    """

    goal: str
    items: tuple[Item, ...]
    reviews: tuple[Review, ...]
    matches: tuple[PastMatch, ...]
    left_out: Mapping[str, int]


def read_run(path: str | Path) -> CoscientistRun:
    """A run of an open co-scientist from its JSON file.

    Raises:
        UnreadableFile: If it cannot be read, or holds no hypotheses.
    """
    try:
        content = json.loads(read_text(Path(path), None))
    except ValueError as error:
        raise UnreadableFile(f"{path}: it is not valid JSON: {error}") from error
    except RecursionError as error:
        raise UnreadableFile(f"{path}: its JSON is nested too deeply") from error
    if not isinstance(content, Mapping) or not _rows(content.get("hypotheses")):
        raise UnreadableFile(f"{path}: it holds no run of a co-scientist: a JSON object with 'hypotheses' is expected")
    return run_of(content)


def run_of(state: Row) -> CoscientistRun:
    """A run from the state that a co-scientist has in memory, or its JSON."""
    left_out: Counter[str] = Counter()
    rows, reviews_apart = _rows(state.get("hypotheses")), _rows(state.get("reviews"))
    items: dict[str, Item] = {}
    reviewed: list[tuple[str, Row]] = [(_first(row, _REVIEWED), row) for row in reviews_apart]
    for row in rows:
        item = _item(row)
        problem = _problem(row, item, items)
        if problem:
            left_out[problem] += 1
            continue
        items[item.id] = item
        reviewed += [(item.id, review) for review in _rows(row.get("reviews"))]
    scale = _scale([review for _, review in reviewed])
    return CoscientistRun(
        goal=_first(state, ("research_goal", "goal", "objective")),
        items=tuple(items.values()),
        reviews=tuple(_reviews(reviewed, items, scale, left_out)),
        matches=tuple(_matches(state, items, left_out)),
        left_out=dict(left_out),
    )


def _rows(value: object) -> list[Row]:
    """The rows of a list, or of a mapping from id to row; what is no row is left out."""
    if isinstance(value, Mapping):
        value = [{"id": id, **row} for id, row in value.items() if isinstance(row, Mapping)]
    return [row for row in value if isinstance(row, Mapping)] if isinstance(value, list | tuple) else []


def _first(row: Row, names: Sequence[str]) -> str:
    """The first of some fields that holds a text."""
    texts = (row.get(name) for name in names)
    return next((text.strip() for text in texts if isinstance(text, str) and text.strip()), "")


def _item(row: Row) -> Item:
    text = _first(row, [name for name in _TEXTS if name in row][:1])  # an empty text is not made up by the title
    return Item(id=_first(row, _IDS) or (id_of(text) if text else ""), text=text)


def _problem(row: Row, item: Item, items: Mapping[str, Item]) -> str:
    """Why a hypothesis is left out; empty if it is not."""
    if not item.id or len(item.id) > MAX_ID or not item.id.isprintable():
        return "hypotheses without an id or a text"
    if item.id in items:
        return "hypotheses that are there twice"
    return "hypotheses that were withdrawn" if row.get("state") in _WITHDRAWN else ""


def _scale(reviews: Iterable[Row]) -> float:
    """What the scores of a run are out of: 1, 10 or 100, by the largest."""
    largest = max((score for row in reviews for score in _scores(row).values()), default=1.0)
    return next(scale for scale in (1.0, 10.0, 100.0, max(largest, 100.0)) if largest <= scale)


def _scores(row: Row) -> dict[str, float]:
    """All scores of a review, the overall one under an empty name, if there is any."""
    scores = row.get("scores")
    numbers = {str(name): _number(value) for name, value in scores.items()} if isinstance(scores, Mapping) else {}
    overall = next((number for name in _OVERALL if (number := _number(row.get(name))) is not None), None)
    return {name: value for name, value in {**numbers, "": overall}.items() if value is not None}


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value < float("inf"):
        return None
    return float(value)


def _reviews(
    reviewed: Iterable[tuple[str, Row]], items: Mapping[str, Item], scale: float, left_out: Counter[str]
) -> Iterator[Review]:
    """Reviews with a score; the overall score is the mean of the criteria where it is not there."""
    for id, row in reviewed:
        scores = {name: value / scale for name, value in _scores(row).items()}
        overall = scores.pop("", None)
        if id not in items:
            left_out["reviews of unknown hypotheses"] += 1
        elif overall is None and not scores:
            left_out["reviews without a score"] += 1
        else:
            yield Review(
                item=id,
                reviewer=_first(row, ("id", "kind", "reviewer", "agent")) or "review",
                score=sum(scores.values()) / len(scores) if overall is None else overall,
                scores=scores,
                text=_first(row, ("body", "review_summary", "text", "summary", "constructive_feedback")),
            )


def _matches(state: Row, items: Mapping[str, Item], left_out: Counter[str]) -> Iterator[PastMatch]:
    by_prefix = _by_prefix(items.values())
    rows = next((rows for name in _MATCHES if (rows := _rows(state.get(name)))), [])
    for row in rows:
        sides = [_side(row, names, items, by_prefix) for names in (_FIRST_SIDE, _SECOND_SIDE)]
        winner = _WINNERS.get(str(row.get("winner")).strip().lower())
        if None in sides or sides[0] == sides[1]:
            left_out["matches whose sides are unknown or not to be told apart"] += 1
        elif winner is None:
            left_out["matches without a winner"] += 1
        else:
            a, b = (side or "" for side in sides)
            reason = _first(row, ("rationale", "reasoning", "debate"))
            yield PastMatch(a=a, b=b, winner=(a, b)[winner], reason=reason, judge=_first(row, ("mode",)))


def _by_prefix(items: Iterable[Item]) -> dict[str, str | None]:
    """Ids by the beginnings of the texts; None where two texts begin alike."""
    ids: dict[str, str | None] = {}
    for item in items:
        beginning = item.text[:PREFIX]
        ids[beginning] = None if beginning in ids else item.id
    return ids


def _side(row: Row, names: Sequence[str], items: Mapping[str, Item], by_prefix: Mapping[str, str | None]) -> str | None:
    """The id of one side of a match, which is named by its id, or by the beginning of its text."""
    name = _first(row, names)
    return name if name in items else by_prefix.get(name[:PREFIX])

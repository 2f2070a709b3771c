"""What judges see beside the texts, question by question: the tournament's dossier, and what came on record later.

A question of round n sees what is on record before the plan of round n. So what a person adds is in force from the next
planned match on, and a run that is resumed or replayed, or a worker elsewhere, asks the same questions.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from paragone.domain import Dossier, ItemNotes, Review
from paragone.domain.dossier import texts_of
from paragone.domain.refusals import quoted
from paragone.domain.suggestions import did_you_mean
from paragone.errors import InvalidConfig, NotFound
from paragone.judges.base import JudgeCard
from paragone.judges.panel_judge import PanelCard
from paragone.ledger import Event, Ledger
from paragone.ledger.evidence.tournaments import BACKGROUND, DIRECTIVE, DOSSIER, INSIGHTS, WITHDRAWN
from paragone.wire.dossier import Directive

LONGEST_DIRECTIVE = 2_000
"""Characters of a directive, at the most."""
_END = 2**62
"""A sequence number after all."""
_COMMON = ("goal", "preferences", "constraints", "rubric", "max_tokens")
"""What of a dossier may be replaced while a tournament runs; insights are added."""


def directives_of(events: Iterable[Event]) -> tuple[Directive, ...]:
    """The directives that events tell of, in the order in which they were given."""
    directives: list[Directive] = []
    for event in events:
        if event.kind == DIRECTIVE:
            text, by = str(event.detail["text"]), str(event.detail.get("by", ""))
            directives.append(Directive(number=len(directives) + 1, text=text, by=by, at=event.at))
        elif event.kind == WITHDRAWN and 1 <= int(event.detail["number"]) <= len(directives):
            at = int(event.detail["number"]) - 1
            directives[at] = replace(directives[at], withdrawn=True)
    return tuple(directives)


def directives(ledger: Ledger, tournament: str) -> tuple[Directive, ...]:
    """The directives on record.

    Raises:
        NotFound: If there is no such tournament.
    """
    ledger.tournaments.get(tournament)
    return directives_of(event for _, event in ledger.tournaments.guidance(tournament, 0))


def direct(ledger: Ledger, tournament: str, text: str, by: str = "") -> Directive:
    """Put a directive on record; it is in force from the next planned match on.

    Raises:
        InvalidConfig: If it says nothing, or too much.
        NotFound: If there is no such tournament.
    """
    words = text.strip()
    if not words or "\0" in words:
        raise InvalidConfig("a directive says in words what to heed, such as: prefer what can be tested within a year")
    if len(words) > LONGEST_DIRECTIVE:
        raise InvalidConfig(f"a directive has at most {LONGEST_DIRECTIVE:,} characters, not {len(words):,}")
    words = words.encode("utf-8", "replace").decode("utf-8")
    ledger.tournaments.add_event(tournament, DIRECTIVE, {"text": words, **({"by": by} if by else {})})
    return directives(ledger, tournament)[-1]


def withdraw(ledger: Ledger, tournament: str, number: int, by: str = "") -> Directive:
    """Take a directive back, from the next planned match on. Taking it back again changes nothing.

    Raises:
        NotFound: If there is no such directive.
    """
    existing = directives(ledger, tournament)
    if not 1 <= number <= len(existing):
        numbers = f"they are numbered 1 to {len(existing)}" if existing else "none was given"
        raise NotFound(f"{tournament} has no directive {number}; {numbers}")
    if not existing[number - 1].withdrawn:
        ledger.tournaments.add_event(tournament, WITHDRAWN, {"number": number, **({"by": by} if by else {})})
    return replace(existing[number - 1], withdrawn=True)


def dossier_notes(dossier: Mapping[str, Any], card: JudgeCard) -> tuple[str, ...]:
    """What a person should know of a dossier before it costs anything, in words.

    Args:
        dossier: The dossier, as ``present_dossier`` has it.
        card: The card of the judge.
    """
    if not dossier["is_given"]:
        return ()
    shortened = ", ".join(dossier["shortened"])
    words = f"the dossier is longer than {dossier['max_tokens']:,} tokens: {shortened} will be cut"
    unread = f"{card.identity} does not see the dossier, only the criteria and the texts"
    members = card.members if isinstance(card, PanelCard) else (card,)
    is_read = any(member.reads_dossier for member in members)
    return (*((words,) if shortened else ()), *(() if is_read else (unread,)))


def dossiers_of(ledger: Ledger, tournament: str) -> "Dossiers":
    """The dossiers of a tournament's questions.

    Raises:
        NotFound: If there is no such tournament.
    """
    stored = ledger.tournaments.get(tournament).settings.get("dossier")
    return Dossiers(ledger, tournament, None if stored is None else Dossier.of(stored))


def present_dossier(ledger: Ledger, tournament: str) -> dict[str, Any]:
    """The dossier of matches that are planned from now on, as plain values; ``wire.Dossier`` has the same fields.

    Raises:
        NotFound: If there is no such tournament.
    """
    from paragone.judges.dossier_prompt import fitted

    dossier, notes = dossiers_of(ledger, tournament).present()
    visible = Dossier() if dossier is None else dossier
    longest = sorted(notes.values(), key=lambda note: -len(str(note)))[:2]
    return {
        **visible.as_json(),
        "is_given": dossier is not None,
        "rubric": [] if visible.rubric is None else list(visible.rubric.criteria),
        "shortened": list(fitted(replace(visible, notes=tuple(longest))).shortened),
        "items_with_notes": len(notes),
    }


def inform(
    ledger: Ledger,
    tournament: str,
    changes: Mapping[str, Any],
    notes: Mapping[str, ItemNotes] | None = None,
    reviews: Sequence[Review] = (),
) -> None:
    """Change what judges see beside the texts, from the next planned match on: all of it in one transaction.

    Args:
        ledger: The ledger.
        tournament: Id of the tournament.
        changes: Goal, preferences, constraints, rubric or budget, which are replaced, and insights, which are added.
        notes: Attributes and evidence of items, which replace earlier ones.
        reviews: More reviews. Items that rest after losses play again.

    Raises:
        InvalidConfig: Naming the key that is wrong.
        NotFound: If there is no such tournament, or it lacks an item.
    """
    events = (*_changes(changes), *background(notes or {}))
    require_items(ledger, tournament, [*(notes or {}), *(review.item for review in reviews)])
    if events or reviews:
        ledger.tournaments.join(tournament, (), round=1, reviews=reviews, wake=True, events=events)


def add_reviews(ledger: Ledger, tournament: str, reviews: Sequence[Review]) -> tuple[Review, ...]:
    """Add reviews, also while the tournament runs; an item that rests after losses plays again.

    Args:
        ledger: The ledger.
        tournament: Id of the tournament.
        reviews: The reviews; those on record already change nothing.

    Returns:
        The new ones.

    Raises:
        NotFound: If there is no such tournament, or it lacks an item.
    """
    require_items(ledger, tournament, [review.item for review in reviews])
    recorded = set(ledger.items.reviews(tournament))
    fresh = tuple(review for review in reviews if review not in recorded)
    if fresh:
        ledger.tournaments.join(tournament, (), round=1, reviews=fresh, wake=True)
    return fresh


def require_items(ledger: Ledger, tournament: str, ids: Sequence[str]) -> None:
    """Refuse ids of items that a tournament lacks.

    Raises:
        NotFound: If it lacks one, with the nearest id, or there is no such tournament.
    """
    ledger.tournaments.get(tournament)
    items = ledger.items.by_id(tournament, ids) if ids else {}
    missing = next((id for id in ids if id not in items), None)
    if missing is not None:
        ids_there = [item.id for item in ledger.items.all(tournament)]
        raise NotFound(f"there is no item {quoted(missing)} in {tournament}{did_you_mean(missing, ids_there)}")


def _changes(changes: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """The events of changes in the common part."""
    for key in changes:
        if key not in (*_COMMON, "insights"):
            raise InvalidConfig(
                f"a dossier has no {key!r} to change; it has {', '.join((*_COMMON, 'insights'))}", key=key
            )
    checked = Dossier.of({name: value for name, value in changes.items() if value is not None}).as_json()
    detail = {name: checked[name] for name in changes if name in _COMMON}
    texts = texts_of("insights", changes.get("insights"))
    return [*([(DOSSIER, detail)] if detail else []), *((INSIGHTS, {"text": text}) for text in texts)]


def background(notes: Mapping[str, ItemNotes]) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """The event that puts attributes and evidence of items on record, as kind and detail; nothing without notes."""
    items = {
        id: {"attributes": list(map(list, note.attributes)), "evidence": list(note.evidence)}
        for id, note in notes.items()
    }
    return ((BACKGROUND, {"items": items}),) if items else ()


@dataclass(slots=True)
class _History:
    """What was said of one item, with the sequence numbers."""

    seqs: list[int] = field(default_factory=list)
    notes: list[ItemNotes] = field(default_factory=list)
    reviews: list[tuple[int, Review]] = field(default_factory=list)

    def before(self, end: float) -> ItemNotes:
        """The notes on record before a sequence number."""
        at = bisect_left(self.seqs, end)
        notes = self.notes[at - 1] if at else ItemNotes()
        return replace(notes, review=_best([review for seq, review in self.reviews if seq < end]))


def _best(reviews: Sequence[Review]) -> str:
    """The text of the best of an item's reviews: of the last one by each reviewer, that with the highest score."""
    last = {review.reviewer: review for review in reviews}
    with_text = [review for review in last.values() if review.text.strip()]
    if not with_text:
        return ""
    best = max(with_text, key=lambda review: review.score)  # of equal ones the first
    scores = ", ".join([f"overall {best.score:.2f}", *(f"{name} {score:.2f}" for name, score in best.scores.items())])
    return f"{best.text.strip()}\n(scores from 0 to 1: {scores})"


class Dossiers:
    """The dossiers of a tournament's questions, as the ledger has them.

    Args:
        ledger: The ledger.
        tournament: Id of the tournament.
        base: What it began with; None without a dossier.
    """

    def __init__(self, ledger: Ledger, tournament: str, base: Dossier | None) -> None:
        self._ledger, self._tournament, self._base = ledger, tournament, base
        self._events_read = self._reviews_read = 0
        self._events: list[tuple[int, Event]] = []
        self._items: dict[str, _History] = {}
        self._places: dict[int, int] = {}
        self._common: dict[int, Dossier | None] = {}

    def of(self, round: int, ids: Sequence[str]) -> Dossier | None:
        """What the judge of a question sees beside the texts.

        Args:
            round: The round whose plan has its match.
            ids: Ids of the items, in the order of presentation.
        """
        common = self.common(round)
        if common is None or self._items.keys().isdisjoint(ids):
            return common
        plan_seq = self._places[round]
        notes = tuple(self._items[id].before(plan_seq) if id in self._items else ItemNotes() for id in ids)
        return replace(common, notes=notes) if any(note != ItemNotes() for note in notes) else common

    def common(self, round: int) -> Dossier | None:
        """What all questions of a round share; None if there is nothing to see.

        Raises:
            NotFound: If the round is not planned.
        """
        if round not in self._common:
            plan_seq = self._ledger.tournaments.place_of_round(self._tournament, round)
            if plan_seq is None:
                raise NotFound(f"round {round} of {self._tournament} is not planned")
            self._read_events(plan_seq)
            common = _standing(self._base, [event for seq, event in self._events if seq < plan_seq])
            if common is not None:
                self._read_reviews(plan_seq)
            self._places[round], self._common[round] = plan_seq, common
        return self._common[round]

    def present(self) -> tuple[Dossier | None, dict[str, ItemNotes]]:
        """What all questions share whose round would be planned now, and what is noted on items, by id."""
        self._read_events(_END)
        common = _standing(self._base, [event for _, event in self._events])
        if common is None:
            return None, {}
        self._read_reviews(_END)
        notes = {id: history.before(_END) for id, history in self._items.items()}
        return common, {id: note for id, note in notes.items() if note != ItemNotes()}

    def _read_events(self, end: int) -> None:
        """Read the events before a sequence number that were not read yet."""
        if end <= self._events_read + 1:
            return
        news = self._ledger.tournaments.guidance(self._tournament, self._events_read, end)
        self._events += news
        for seq, event in news:
            if event.kind == BACKGROUND:
                for id, values in event.detail["items"].items():
                    history = self._items.setdefault(id, _History())
                    history.seqs.append(seq)
                    history.notes.append(_notes(values))
        self._events_read = end - 1

    def _read_reviews(self, end: int) -> None:
        if end <= self._reviews_read + 1:
            return
        for seq, review in self._ledger.items.reviews_between(self._tournament, self._reviews_read, end):
            self._items.setdefault(review.item, _History()).reviews.append((seq, review))
        self._reviews_read = end - 1


def _notes(values: Mapping[str, Any]) -> ItemNotes:
    attributes = tuple((str(name), str(value)) for name, value in values.get("attributes", ()))
    return ItemNotes(attributes=attributes, evidence=tuple(map(str, values.get("evidence", ()))))


def _standing(base: Dossier | None, events: Sequence[Event]) -> Dossier | None:
    """The dossier after some events; None if there is nothing to see."""
    directives = directives_of(events)
    in_force = tuple(directive.text for directive in directives if not directive.withdrawn)
    changes: dict[str, Any] = {}
    for event in events:
        if event.kind == DOSSIER:
            changes.update(event.detail)
    has_notes = any(event.kind == BACKGROUND for event in events)
    if base is None and not changes and not in_force and not has_notes:
        return None  # what a meta-review left in a tournament without a dossier is for its report alone
    before = Dossier() if base is None else base
    changed = replace(before, **_of(changes), directives=in_force)
    latest = [str(event.detail["text"]) for event in events if event.kind == INSIGHTS]
    return replace(changed, insights=(*before.insights, *latest[-_INSIGHTS:]))


_INSIGHTS = 3
"""Insights that are shown of those that came while the tournament ran: the latest."""


def _of(changes: Mapping[str, Any]) -> dict[str, Any]:
    changed = Dossier.of(changes)
    return {name: getattr(changed, name) for name in changes}

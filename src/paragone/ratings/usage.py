"""Usage: what one event does to ratings of content. The one definition; logs are replayed through it.

A use is a contest: what was used has won against what the same search showed and nobody used, and those pay for it, so
that a pool's mean stays put. Where nothing else was shown, the opponent is the mean of the pool, and nobody pays. What
is used later in the same search gets back what it paid there. A use never lowers the rating of what was used. Content
that is contradicted has lost against the same opponent; nobody gains by that.

Under ``zero_sum=False`` everything that a search shows gains by its rank, as specified, and nobody pays.

Source: the memory specification, "ELO Score Formula" and "What Gets Scored", with its settled readings.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from paragone.domain.content import (
    Action,
    Content,
    ContentKind,
    ContentState,
    OpenSearch,
    Showing,
    Shown,
    TruthSource,
    UsageConfig,
    UsageMove,
    Use,
)
from paragone.ratings.activation import SECONDS_A_DAY, decayed
from paragone.ratings.elo import expected_score

TruthBySource = Sequence[tuple[TruthSource, float]]

_ORDER = tuple(TruthSource)


def holding(truth: TruthBySource) -> tuple[TruthSource, float] | None:
    """The source whose R holds, and R; None where R is unknown."""
    return min(truth, key=lambda pair: _ORDER.index(pair[0]), default=None)


def is_high(truth: TruthBySource, config: UsageConfig) -> bool | None:
    """Whether R lies above its source's threshold; None where R is unknown."""
    strongest = holding(truth)
    return None if strongest is None else strongest[1] > config.thresholds[strongest[0]]


def gate(truth: TruthBySource, config: UsageConfig) -> float:
    """What a change is multiplied by: 1, or the configured share where R is at or below its threshold."""
    return config.gated if is_high(truth, config) is False else 1.0


_READING = "read"
"""Reading, opening and expanding are one thing to a search: its result was of use."""

_IDS = {ContentKind.VECTOR: "hash", ContentKind.FILE: "path", ContentKind.SYMBOL: "symbol", ContentKind.ADR: "adr"}
"""Where a row of results has the id of its content of a kind."""


class UsageLookup(Protocol):
    """The states before a step, which it begins from."""

    def state(self, content: Content) -> ContentState:
        """Where content stands; at its initial rating if it was never used."""
        ...

    def mean(self, kind: ContentKind) -> float:
        """The mean rating of all content of a kind, in Elo points."""
        ...

    def search(self, id: str) -> OpenSearch | None:
        """A search that was counted, and may still be used."""
        ...


@dataclass(kw_only=True, slots=True)
class Step:
    """What one event did: the states that it changed, the moves that say so, and the search that it left open."""

    states: dict[Content, ContentState] = field(default_factory=dict)
    moves: list[UsageMove] = field(default_factory=list)
    search: OpenSearch | None = None


def show(event: Showing, usage: UsageLookup, config: UsageConfig) -> Step:
    """A search showed something. By itself that is no evidence; the literal boosts go by rank.

    Example:
        New content at 1200 with a high R goes to 1216 at rank 1 under ``zero_sum=False``, and does not move by default.
    """
    step = Step(search=OpenSearch(id=event.id, time=event.time, tool=event.tool, results=event.results))
    if config.zero_sum:
        return step
    scoring = _Scoring(event, usage, config, step)
    for kind in ContentKind:
        for content, rank in shown(event.results, kind).items():
            points = boost(rank, config)
            if points:
                participant = scoring.participant(content, accessed=True)
                change = participant.k / config.k_new * points * participant.gate
                scoring.move(participant, change, f"{event.tool}_rank_{rank}", accessed=True)
    return step


def use(event: Use, usage: UsageLookup, config: UsageConfig) -> Step:
    """Content was used, or contradicted. What counted for the same search already changes nothing.

    A use that names a search later than ``search_days``, or one that is not known, counts as one without a search.
    """
    search = _open(event, usage, config)
    step = Step(search=search)
    scoring = _Scoring(event, usage, config, step)
    for kind in dict.fromkeys(content.kind for content in event.contents):
        fresh = [
            content
            for content in dict.fromkeys(event.contents)
            if content.kind is kind and not _counted(search, content, event)
        ]
        if fresh:
            _contest(scoring, event, fresh, _rivals(search, kind, fresh))
    if search is not None and event.action is not Action.CONTRADICTED:
        _reward_chunks(scoring, event, search)
    if step.search is not None:
        step.search = _with_counted(step.search, event)
    return step


def boost(rank: int, config: UsageConfig) -> float:
    """Elo points that a rank of a search is worth to new content: 16 for 1, 8 for 2 to 5, 4 for 6 to 10, then none."""
    if rank > 10:
        return 0.0
    return config.boost_first if rank == 1 else config.boost_near if rank <= 5 else config.boost_far


def shown(results: Iterable[Shown], kind: ContentKind) -> dict[Content, int]:
    """What a search showed of a kind, each at its best rank: ten chunks of a file are one file."""
    ranks: dict[Content, int] = {}
    attribute = _IDS[kind]
    for row in results:
        id = getattr(row, attribute)
        if id:
            content = Content(kind=kind, id=id, path=row.path)
            best = ranks.get(content)
            if best is None or row.rank < best:
                ranks[content] = row.rank
    return ranks


def touched(event: Showing | Use, search: OpenSearch | None) -> set[Content]:
    """All content whose state a step may ask for, so that a store can read it at once."""
    results = event.results if isinstance(event, Showing) else search.results if search else ()
    own = set() if isinstance(event, Showing) else set(event.contents)
    for kind in ContentKind:
        own.update(shown(results, kind))
    return own | {
        Content(kind=ContentKind.FILE, id=path, path=path) for path in {content.path for content in own} if path
    }


UNUSED = "shown_unused"
"""The reason of a move of content that a search showed and nobody used."""

RETURNED = "shown_payment_returned"
"""The reason of a move of a chunk whose file was used after all, by another chunk of it: it has back what it paid."""

_REASONS = {
    (Action.READ, ContentKind.FILE): "file_read",
    (Action.EXPANDED, ContentKind.FILE): "file_read",
    (Action.EXPANDED, ContentKind.SYMBOL): "symbol_expansion",
    (Action.CITED, ContentKind.ADR): "adr_citation",
    (Action.CITED, ContentKind.FILE): "file_citation",
    (Action.CITED, ContentKind.SYMBOL): "symbol_citation",
    (Action.CITED, ContentKind.VECTOR): "vector_citation",
}


def reason_of(action: Action, kind: ContentKind) -> str:
    """Why a rating moves, in the memory specification's words where it has one."""
    return _REASONS.get((action, kind), f"{kind}_{action}")


@dataclass(kw_only=True, slots=True, eq=False)
class _Participant:
    """Content as it goes into an event: where it stood, what it moves from, how fast, and through which gate."""

    content: Content
    before: ContentState
    elo: float
    k: float
    gate: float
    r: float | None


class _Scoring:
    """One event under way: who takes part in it, each with one move at the most, and what it did so far."""

    def __init__(self, event: Showing | Use, usage: UsageLookup, config: UsageConfig, step: Step) -> None:
        self._event, self._usage = event, usage
        self.config, self.step = config, step

    def participant(self, content: Content, *, accessed: bool) -> _Participant:
        """Content with what decides how it moves; accessed content moves from its decayed rating, if configured."""
        before, config = self._usage.state(content), self.config
        truth = before.truth or self._truth_of_file(content)
        holds = holding(truth) if truth else None
        return _Participant(
            content=content,
            before=before,
            elo=decayed(before.elo, before.last_use, self._event.time, config)
            if accessed and config.fold_decay
            else before.elo,
            k=config.k_new if before.updates < config.established else config.k_established,
            gate=gate(truth, config) if truth else 1.0,
            r=None if holds is None else holds[1],
        )

    def mean(self, kind: ContentKind) -> float:
        """The mean rating of a pool."""
        return self._usage.mean(kind)

    def move(
        self, participant: _Participant, change: float, reason: str, *, accessed: bool = False, used: bool = False
    ) -> float:
        """Moves a rating, within floor and ceiling, and returns by how much; a change of 0 is no move.

        What is accessed decays from now on; a use counts for need besides.
        """
        old = participant.elo
        new = min(max(old + change, self.config.floor), self.config.ceiling) if change else old
        after = _after(
            participant.before, new, self._event.time, self.config, updated=bool(change), accessed=accessed, used=used
        )
        self.step.states[participant.content] = after
        if change:
            move = UsageMove(
                content=participant.content,
                event=self._event.id,
                time=self._event.time,
                old=old,
                new=new,
                reason=reason,
                gate=participant.gate,
                r=participant.r,
                clamped=old + change - new,
            )
            self.step.moves.append(move)
        return new - old

    def _truth_of_file(self, content: Content) -> TruthBySource:
        path = content.path
        if not path or content.kind is ContentKind.FILE:
            return ()
        return self._usage.state(Content(kind=ContentKind.FILE, id=path, path=path)).truth


def _after(
    before: ContentState, elo: float, time: float, config: UsageConfig, *, updated: bool, accessed: bool, used: bool
) -> ContentState:
    """A state after a move. Uses may come in any order of time: logs of several are counted one after another."""
    first, last, recent = before.first_use, before.last_use, before.recent
    if accessed:
        last = time if last is None else max(last, time)
    if used:
        first = time if first is None else min(first, time)
        in_order = not recent or recent[-1] <= time
        recent = ((*recent, time) if in_order else tuple(sorted((*recent, time))))[-config.need_recent :]
    return ContentState(
        content=before.content,
        elo=elo,
        initial=before.initial,
        updates=before.updates + updated,
        uses=before.uses + used,
        first_use=first,
        last_use=last,
        recent=recent,
        truth=before.truth,
    )


def _contest(scoring: _Scoring, event: Use, used: Sequence[Content], rivals: Sequence[Content]) -> None:
    """Those used against those shown and not used, all from the ratings before it."""
    config = scoring.config
    is_use = event.action is not Action.CONTRADICTED
    winners = [scoring.participant(participant, accessed=is_use) for participant in used]
    opponents = [scoring.participant(participant, accessed=False) for participant in rivals]
    opponent = _mean([participant.elo for participant in opponents]) if opponents else scoring.mean(used[0].kind)
    reason = reason_of(event.action, used[0].kind)
    if not is_use:
        for participant in winners:
            scoring.move(
                participant, -participant.k * expected_score(participant.elo, opponent) * participant.gate, reason
            )
        return
    bonus = {Action.CITED: config.cited_bonus, Action.USED: config.used_bonus}.get(event.action, 1.0)
    gains = [
        (participant, bonus * participant.k * (1.0 - expected_score(participant.elo, opponent)), reason)
        for participant in winners
    ]
    _reward(scoring, gains, opponents)


def _reward(
    scoring: _Scoring,
    gains: Sequence[tuple[_Participant, float, str]],
    rivals: Sequence[_Participant],
    beside: Sequence[_Participant] = (),
) -> None:
    """Gives points, and what was paid before, and has rivals pay for both, as far as each was expected to be used.

    Those ``beside`` what was used have no points, and have back what they paid.
    """
    search = scoring.step.search
    paid = dict(search.paid) if search is not None else {}
    total = 0.0
    for participant, points, reason in gains:
        # What it paid while others were used comes back in full; the gate of R is for new points alone.
        change = points * participant.gate + paid.pop(participant.content, 0.0)
        total += scoring.move(participant, change, reason, accessed=True, used=True)
    for participant in beside:
        total += scoring.move(participant, paid.pop(participant.content, 0.0), RETURNED)
    if scoring.config.zero_sum and total:
        # Rivals pay what was gained in all, each by how fast it moves and by how likely it was to be used instead: the
        # pool's mean stays where it is, but for floor and ceiling.
        level = _mean([participant.elo for participant, _, _ in gains])
        shares = [participant.k * participant.gate * expected_score(participant.elo, level) for participant in rivals]
        total_share = sum(shares)
        for participant, share in zip(rivals, shares, strict=True) if total_share > 0.0 else ():
            lost = scoring.move(participant, -total * share / total_share, UNUSED)
            paid[participant.content] = paid.get(participant.content, 0.0) - lost
    if search is not None:
        scoring.step.search = replace(search, paid=paid)


def _reward_chunks(scoring: _Scoring, event: Use, search: OpenSearch) -> None:
    """The vector that led to what was used gains by its rank, once a search, and those that led nowhere pay.

    Where vectors were used themselves, that was their contest; under the literal boosts they have gained already.
    """
    config = scoring.config
    if not config.zero_sum or any(content.kind is ContentKind.VECTOR for content in event.contents):
        return
    before = _used_paths(search)
    now = {content.path or content.id for content in event.contents} - before
    ranks = shown(search.results, ContentKind.VECTOR)
    best = _best_of_each(ranks, now)
    if not best:
        return
    players = [(scoring.participant(content, accessed=True), ranks[content]) for content in best]
    gains = [
        (content, content.k / config.k_new * boost(rank, config), f"{search.tool}_rank_{rank}")
        for content, rank in players
    ]
    rivals = [scoring.participant(content, accessed=False) for content in ranks if content.path not in before | now]
    beside = [
        scoring.participant(content, accessed=False) for content in ranks if content.path in now and content not in best
    ]
    _reward(scoring, gains, rivals, beside)


def _best_of_each(ranks: Mapping[Content, int], paths: Iterable[str]) -> list[Content]:
    """The content with the best rank in each of some files that has any, in the order of their names."""
    best: dict[str, tuple[int, str, Content]] = {}
    for content, rank in ranks.items():
        best_in_path = best.get(content.path)
        if best_in_path is None or (rank, content.id) < best_in_path[:2]:
            best[content.path] = (rank, content.id, content)
    return [best[path][2] for path in sorted(paths) if path in best]


def _open(event: Use, usage: UsageLookup, config: UsageConfig) -> OpenSearch | None:
    search = usage.search(event.search) if event.search else None
    if search is None or abs(event.time - search.time) > config.search_days * SECONDS_A_DAY:
        return None
    return search


def _class_of(action: Action) -> str:
    return _READING if action in {Action.READ, Action.OPENED, Action.EXPANDED} else str(action)


def _counted(search: OpenSearch | None, content: Content, event: Use) -> bool:
    return search is not None and (content, _class_of(event.action)) in search.counted


def _with_counted(search: OpenSearch, event: Use) -> OpenSearch:
    return replace(search, counted=search.counted | {(content, _class_of(event.action)) for content in event.contents})


def _rivals(search: OpenSearch | None, kind: ContentKind, used: Sequence[Content]) -> list[Content]:
    """What the search showed of this kind and nobody has used so far."""
    if search is None:
        return []
    gone = {content for content, how in search.counted if how != Action.CONTRADICTED} | set(used)
    return [content for content in shown(search.results, kind) if content not in gone]


def _used_paths(search: OpenSearch) -> set[str]:
    return {content.path or content.id for content, how in search.counted if how != Action.CONTRADICTED}


def _mean(ratings: Sequence[float]) -> float:
    return sum(ratings) / len(ratings)

"""A tournament before it is on record: checked as a whole, then recorded in one transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

from paragone.domain import Item, ItemNotes, RatingConfig, Review, SideInformation
from paragone.intake.item_values import as_reviews
from paragone.intake.items import as_items
from paragone.ledger import Ledger
from paragone.tournaments.dossiers import background
from paragone.tournaments.running.participants import (
    AnyAdvocate,
    AnyJudge,
    Participants,
    advocate_name,
    as_advocate,
    as_judge,
    cascade_costs,
    check_dossier,
    check_judge_knows,
    check_lists,
    check_price,
    recorded_spec,
    with_lists,
    with_protocol,
)
from paragone.tournaments.state import TournamentState
from paragone.tournaments.tournament_settings import TournamentOptions, TournamentSettings, settings_for

if TYPE_CHECKING:
    from paragone.tournaments.side_information import Names

Events = tuple[tuple[str, Mapping[str, Any]], ...]
"""Events to record, each a kind and its detail."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """A tournament that can be recorded.

    Attributes:
        settings: Its settings.
        items: Its items.
        config: How its running Elo moves.
        participants: Its judge and its advocate, opened.
        reviews: Reviews that seed the ratings of its items.
        events: Events that it begins with, each a kind and its detail: incomplete items, notes on items.
    """

    settings: TournamentSettings
    items: tuple[Item, ...]
    config: RatingConfig
    participants: Participants
    reviews: tuple[Review, ...]
    events: Events

    def begin(self, ledger: Ledger, name: str, *, wish: Mapping[str, str] | None = None) -> TournamentState:
        """Record it, all of it or nothing.

        Args:
            ledger: The ledger.
            name: Its title, from which its id is made.
            wish: Identifies the request; see ``ledger.tournaments.create``.

        Raises:
            LedgerError: If the ledger cannot be written.
        """
        return TournamentState.begin(
            ledger, name, self.settings, self.items, self.config, reviews=self.reviews, events=self.events, wish=wish
        )


def drafted(
    items: object,
    *,
    judge: AnyJudge,
    criteria: str,
    spec: str | None = None,
    config: RatingConfig | None = None,
    advocate: AnyAdvocate | None = None,
    reviews: object = None,
    attributes: object = None,
    evidence: object = None,
    use: "Names" = None,
    adjust_for: "Names" = None,
    columns: object = None,
    **options: Unpack[TournamentOptions],
) -> Draft:
    """A tournament from whatever a caller has; nothing is written, and no judge is asked.

    Args:
        items: As for ``Tournament.create``, and so are those below.
        judge: Its judge.
        criteria: What "better" means, in words.
        spec: What the settings name as the judge; by default what was given as ``judge``.
        config: How the running Elo moves.
        advocate: Argues in debates.
        reviews: Reviews of the items.
        attributes: Attributes of the items.
        evidence: What items cite.
        use: What is known of the items and may count.
        adjust_for: What must not count.
        columns: Where the columns stand that these name; the items' own by default.
        options: See ``TournamentOptions``.

    Raises:
        UsageError: Naming what is wrong with the items, the judge or a parameter.
    """
    is_weighted = options.get("pairing") == "weighted"
    candidates = as_items(items, without_texts=is_weighted)
    item_list, partial = _split(candidates) if is_weighted else (candidates, ())
    settings = settings_for(len(item_list), criteria=criteria, judge="?", **options)
    opened = as_judge(judge, settings)
    if options.get("group_size") is None and options.get("budget") is None:
        settings = with_lists(settings, opened, len(item_list))
    settings = replace(
        settings,
        judge=recorded_spec(judge, opened) if spec is None else spec,
        advocate=advocate_name(advocate, opened, settings),
        system=with_protocol(settings.system, opened),
        cascade=cascade_costs(opened, settings, item_list),
    )
    participants = Participants(judge=opened, advocate=as_advocate(advocate, opened, settings))
    _check(settings, participants, item_list)
    given_reviews = () if reviews is None else as_reviews(reviews, item_ids={item.id for item in candidates})
    if isinstance(columns, SideInformation):
        settings = replace(settings, side_information=columns)
    elif use is not None or adjust_for is not None:
        from paragone.tournaments.side_information import resolve  # loads what fits columns

        source = items if columns is None else columns
        side = resolve(item_list, source, use=use, adjust_for=adjust_for, reviews=given_reviews)
        settings = replace(settings, side_information=side)
    ids = {item.id for item in item_list}
    movement = config or (RatingConfig() if settings.system is None else settings.system.rating)
    return Draft(
        settings=settings,
        items=item_list,
        config=movement,
        participants=participants,
        reviews=tuple(review for review in given_reviews if review.item in ids),
        events=(
            *_flags(partial, given_reviews, movement.initial),
            *background(_item_notes(attributes, evidence, candidates)),
        ),
    )


def _check(settings: TournamentSettings, participants: Participants, items: tuple[Item, ...]) -> None:
    """Refuse settings that do not go with the judge or with the items."""
    check_price(settings, participants, items)
    check_lists(settings, participants.judge)
    check_dossier(settings, participants.judge)
    check_judge_knows(participants.judge, items)
    if settings.gold or settings.prior is not None:
        from paragone.tournaments.model_ratings import check_known

        check_known(settings.gold, settings.prior, [item.id for item in items])
    if settings.similarity is not None:
        from paragone.tournaments.proximity import check_similarity

        check_similarity(settings.similarity, items)


def _split(items: tuple[Item, ...]) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
    from paragone.tournaments.incomplete_hypotheses import split  # hypotheses alone may be incomplete

    return split(items)


def _flags(partial: Sequence[Item], reviews: Sequence[Review], initial: float) -> Events:
    if not partial:
        return ()
    from paragone.tournaments.incomplete_hypotheses import flagging

    return flagging(partial, reviews, initial)


def _item_notes(attributes: object, evidence: object, items: Sequence[Item]) -> Mapping[str, ItemNotes]:
    if attributes is None and evidence is None:
        return {}
    from paragone.intake.dossiers import as_item_notes

    return as_item_notes(attributes, evidence, ids={item.id for item in items})

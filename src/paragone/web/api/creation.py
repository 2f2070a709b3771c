"""New tournaments for judges of the server's list, over HTTP. Nothing is asked before somebody starts a run."""

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Response
from pydantic import Field

from paragone.domain import Dossier, ItemKind, PairingPolicy
from paragone.domain.config_values import system_of
from paragone.domain.refusals import quoted
from paragone.domain.suggestions import did_you_mean
from paragone.errors import InvalidConfig
from paragone.intake.items import checked
from paragone.judges.base import Judge
from paragone.tournaments.draft import Draft, drafted
from paragone.tournaments.running.delegation import LISTED_PREFIX
from paragone.web.api.dossiers import DossierChange
from paragone.web.api.pools import Key, NewItem, wish_of
from paragone.web.api.tournaments import Money, Sure, Whole
from paragone.web.api_router import api_router
from paragone.web.middleware.authorization import Admin
from paragone.web.parameters import Body, ConfigDep, LedgerDep, StorableText
from paragone.web.problems import refusals
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views import pools as views
from paragone.wire.address import API, pool_url
from paragone.wire.judge import ListedJudge, ListedJudges
from paragone.wire.pool import Pool
from paragone.workers.judge_list import JudgeList

router = api_router(tags=["tournaments"])


class NewTournament(Body):
    """A tournament that a judge of the server's list judges.

    Attributes:
        name: What its id begins with.
        items: Its items, two or more.
        judge: The name of a judge of the list.
        criteria: What "better" means, in words; the criteria of the rubric if None.
        dossier: What the judge sees beside the texts, and reviews, which seed ratings; None for nothing.
        pairing: How pairs are chosen; `weighted` for hypotheses, with debates, budgets and tasks.
        parameters: Parameters of the weighted pairing, as `parameters` of a tournament has them.
        debates: Whether the judge's own model may debate, in the weighted pairing.
        budget: Maximum number of judge calls.
        max_cost: Maximum cost in US dollars.
        max_tokens: Maximum number of tokens, sent and received.
        top: Settle which items are in the top ``top``; the whole order if None.
        winner: Settle which item is the best.
        whole_order: Settle the whole order, without extra effort at the top.
        confidence: How sure the ranking has to be.
        orders: Comparisons in each match, in alternating order.
        seed: Seed of the pairing; random if None.
        level: Probability of intervals.
    """

    name: Annotated[StorableText, Field(min_length=1, max_length=200)]
    items: Annotated[list[NewItem], Field(min_length=2)]
    judge: Annotated[StorableText, Field(min_length=1, max_length=60)]
    criteria: Annotated[StorableText, Field(min_length=1, max_length=10_000)] | None = None
    dossier: DossierChange | None = None
    pairing: PairingPolicy = PairingPolicy.INFORMATIVE
    parameters: dict[str, Any] | None = None
    debates: bool = True
    budget: Whole = None
    max_cost: Money = None
    max_tokens: Whole = None
    top: Annotated[int, Field(ge=1)] | None = None
    winner: bool = False
    whole_order: bool = False
    confidence: Sure = None
    orders: Annotated[int, Field(ge=1, le=100)] | None = None
    seed: Annotated[int, Field(ge=0, lt=2**31)] | None = None
    level: Annotated[float, Field(ge=0.5, le=0.999)] = 0.95


@router.get("/judges")
def list_judges(config: ConfigDep, _: Admin) -> ListedJudges:
    """The judges that a new tournament may name. Where they are and what they are called there is not told."""
    return ListedJudges(judges=[_described(name, listed.open()) for name, listed in sorted(config.judges.items())])


@router.post("/tournaments", status_code=201, responses={200: {"model": Pool}, **refusals(409)})
def create_tournament(
    body: NewTournament,
    reader: LedgerDep,
    config: ConfigDep,
    who: Admin,
    response: Response,
    idempotency_key: Key = None,
) -> Pool:
    """Make a tournament that a judge of the server's list judges; nothing is asked and nothing is spent.

    Ask for its `forecast` next, and start its `run` with the `confirm` of that. The same request with the same
    `Idempotency-Key` makes no other tournament, and gets 200.
    """
    id, is_new = begin_tournament(reader, config.judges, body, idempotency_key)
    if is_new:
        reader.log_act(id, who.name, "create")
    response.status_code = 201 if is_new else 200
    response.headers["location"] = API + pool_url(id)
    return views.pool(reader, id)


def begin_tournament(
    reader: LedgerReader, judges: JudgeList, request: NewTournament, key: str | None = None
) -> tuple[str, bool]:
    """Make a tournament that a judge of a list judges.

    Args:
        reader: The ledger.
        judges: The list.
        request: The tournament.
        key: Names the request; the same again makes no other tournament.

    Returns:
        Its id, which is the name and a number; and whether it was made now.

    Raises:
        Conflict: If the key was used for another request.
        UsageError: If the judge is not on the list, or something else in the request is wrong.
    """
    wish = wish_of(request, key)
    existing = None if wish is None else reader.ledger.tournaments.for_request(wish)
    if existing is not None:
        return existing.id, False
    draft = _draft(judges, request)
    try:
        return draft.begin(reader.ledger, request.name, wish=wish).id, True
    finally:
        asyncio.run(draft.participants.close())


def _draft(judges: JudgeList, request: NewTournament) -> Draft:
    listed = judges.get(request.judge)
    if listed is None:
        available = f"there are {', '.join(sorted(judges))}" if judges else "it has none: see paragone serve --judge"
        raise InvalidConfig(
            f"no judge of this server is called {quoted(request.judge)}{did_you_mean(request.judge, judges)}; "
            f"{available}",
            key="judge",
        )
    new_items = [item.item(ItemKind.TEXT) for item in request.items]
    options = {"budget", "max_cost", "max_tokens", "top", "winner", "whole_order", "confidence", "seed", "level"}
    values = request.model_dump(include=options, exclude_none=True)
    background = request.dossier or DossierChange()
    dossier = _dossier(background)
    return drafted(
        checked(new_items, [f"items.{index}" for index in range(len(new_items))], source="items"),
        judge=listed.spec,
        spec=LISTED_PREFIX + request.judge,
        criteria=_criteria(request, dossier),
        advocate=None if request.debates else "none",
        reviews=[each.review for each in background.reviews] or None,
        attributes={each.item: each.attributes for each in background.notes},
        evidence={each.item: each.evidence for each in background.notes},
        pairing=request.pairing.value,
        comparison_rounds=request.orders,
        price=listed.price,
        system=_system(request),
        dossier=dossier,
        **values,
    )


def _dossier(request: DossierChange) -> Dossier | None:
    parts: Mapping[str, Any] = request.model_dump(exclude={"notes", "reviews"}, exclude_none=True)
    return Dossier.of(parts) if parts or request.notes else None


def _criteria(request: NewTournament, dossier: Dossier | None) -> str:
    if request.criteria is not None:
        return request.criteria
    if dossier is None or dossier.rubric is None:
        raise InvalidConfig(
            "say what makes one item better than another: criteria in words, or a rubric", key="criteria"
        )
    return ", ".join(dossier.rubric.weights)


def _system(request: NewTournament) -> Any:  # noqa: ANN401 - of TournamentOptions
    if request.parameters is None:
        return None
    if request.pairing is not PairingPolicy.WEIGHTED:
        raise InvalidConfig("parameters belong to the weighted pairing", key="parameters")
    return system_of(request.parameters)


def _described(name: str, judge: Judge) -> ListedJudge:
    card = judge.card
    asyncio.run(judge.close())
    return ListedJudge(name=name, reads_dossier=card.reads_dossier, debates=card.debates is not None)

"""The settings that determine a tournament, stored in the ledger; and how calls are made, which changes no result."""

import dataclasses
import math
import operator
import secrets
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, cast

from paragone.domain import (
    PAIRED,
    Aim,
    Dossier,
    Draws,
    Goal,
    GoldPair,
    PairedDesign,
    SideInformation,
    TournamentSystemConfig,
)
from paragone.domain.config_values import system_of
from paragone.domain.refusals import listed
from paragone.domain.suggestions import did_you_mean
from paragone.errors import InvalidConfig
from paragone.tournaments.pairing_registry import check_pairing

if TYPE_CHECKING:
    from paragone.ledger import Event
    from paragone.wire.live import RunLimits

AUTO = "auto"
"""A group size that a pilot measures."""

OBJECT_PREFIX = "given: "
"""Precedes the identity of a judge that was passed as an object or a function, and cannot be opened again."""

IMPORTED = f"{OBJECT_PREFIX}votes"
"""The judge of imported votes, whose items have ids but no texts."""

CALLS_PER_ITEM = 10
"""Default budget of the informative pairing: enough for a Kendall tau around .85 with a middling judge."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TournamentSettings:
    """The settings of one tournament.

    Attributes:
        criteria: What "better" means, in words.
        judge: Spec of the judge, or the identity of one that was passed as an object.
        pairing: One of ``PairingPolicy``, that of a plugin, or ``PAIRED``.
        goal: The ranking asked for.
        budget: Maximum number of comparisons, cached verdicts included; None for as many as the pairing asks for.
            A call without an answer does not count: it is reported and repeated.
        max_cost: Maximum cost in US dollars.
        max_tokens: Maximum number of tokens, sent and received.
        price: US dollars per million tokens sent and received, where the caller knows better than the price list.
        seed: Seeds the pairing, the order of presentation and the draws.
        comparison_rounds: Comparisons a match, in alternating order.
        elimination_count: Losses that eliminate, for Swiss.
        draws: What a draw means in Swiss: ``loss``, ``replay`` or ``none``.
        audit_share: Share of pairs that ``informative`` asks again in the other order.
        level: Probability that intervals are meant to hold.
        group_size: Items in a call: 2 are pairs, more are put in order by the judge, and with ``auto`` a pilot chooses.
        system: The parameters of the ``weighted`` pairing; None for the others.
        advocate: Argues in its debates: a spec, ``judge`` for the judge's own model, or the identity of one that was
            passed as an object; None without debates.
        similarity: Which items are alike: an embedder, ``vectors:FILE`` or ``pairs:FILE``; None if nothing or a program
            says so.
        title: The name that its creator gave it, from which its id is made.
        dossier: What judges see beside the texts; None for nothing.
        cascade: What an answer of each judge of a cascade costs relative to the first one's; None for other judges.
        side_information: What is known of the items beside the answers, and what must not count.
        gold: Pairs whose better item is known.
        prior: The rating of each item by a model, which the judge's answers correct; None for no prior.
        paired: The test of a paired comparison; None for other pairings.
    """

    criteria: str
    judge: str
    pairing: str = "informative"
    goal: Goal = field(default_factory=Goal)
    budget: int | None = None
    max_cost: float | None = None
    max_tokens: int | None = None
    price: tuple[float, float] | None = None
    seed: int = 0
    comparison_rounds: int = 1
    elimination_count: int = 2
    draws: str = "loss"
    audit_share: float = 0.04
    level: float = 0.95
    group_size: int | str = 2
    system: TournamentSystemConfig | None = None
    advocate: str | None = None
    similarity: str | None = None
    title: str = ""
    dossier: Dossier | None = None
    cascade: tuple[float, ...] | None = None
    side_information: SideInformation = field(default_factory=SideInformation)
    gold: tuple[GoldPair, ...] = ()
    prior: Mapping[str, float] | None = None
    paired: PairedDesign | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.criteria, str) or not self.criteria.strip():
            raise InvalidConfig("the criteria are empty: say in words what makes one item better than another")
        if (self.pairing == PAIRED) != (self.paired is not None):
            raise InvalidConfig(f"the pairing {PAIRED!r} and the test of a paired comparison belong together")
        _one_of("draws", self.draws, Draws)
        _at_least("budget", self.budget, 1)
        _at_least("max_tokens", self.max_tokens, 1)
        _at_least("comparison_rounds", self.comparison_rounds, 1)
        _at_least("elimination_count", self.elimination_count, 1)
        _at_least("seed", self.seed, 0)
        if self.max_cost is not None and not self.max_cost > 0:
            raise InvalidConfig(f"max_cost must be positive, not {self.max_cost}")
        if self.price is not None and not min(self.price) >= 0:
            raise InvalidConfig(f"prices must not be negative: {self.price}")
        if not 0 <= self.audit_share <= 1:
            raise InvalidConfig(f"audit_share lies in [0, 1], not {self.audit_share}")
        if not 0 < self.level < 1:
            raise InvalidConfig(f"level lies strictly between 0 and 1, not {self.level}")
        if (self.system is None) == (self.pairing == "weighted"):
            raise InvalidConfig("the parameters of a tournament of hypotheses (system) belong to the weighted pairing")
        if self.similarity is not None and self.pairing != "weighted":
            raise InvalidConfig(f"similarity matters to the weighted pairing alone, not to {self.pairing!r}")
        self._check_groups()

    def _check_groups(self) -> None:
        if isinstance(self.group_size, str):
            if self.group_size != AUTO:
                raise InvalidConfig(f"group_size is a number from 2, or {AUTO!r}, not {self.group_size!r}")
        else:
            _at_least("group_size", self.group_size, 2)
        if self.group_size != 2 and self.pairing != "informative":
            raise InvalidConfig(f"groups are planned by the informative pairing alone, not by {self.pairing!r}")
        if self.group_size != 2 and self.comparison_rounds != 1:
            raise InvalidConfig("a group is shown once, in a random order: comparison_rounds (--orders) is for pairs")

    @property
    def budget_set(self) -> int | None:
        """The budget that a user set; None for imported votes, whose budget of 1 keeps judges from going on."""
        return None if self.judge == IMPORTED and self.budget == 1 else self.budget

    @property
    def noun(self) -> str:
        """What one of its items is called: a hypothesis where the pairing is that of hypotheses."""
        return "item" if self.system is None else "hypothesis"

    @property
    def nouns(self) -> str:
        """The plural of ``noun``."""
        return "items" if self.system is None else "hypotheses"

    def as_json(self) -> dict[str, Any]:
        """Plain values, as the ledger stores them."""
        values = dataclasses.asdict(self)
        for name, absent in (("dossier", None), ("gold", ()), ("prior", None), ("paired", None)):
            if getattr(self, name) == absent:
                del values[name]
        del values["side_information"]
        stored = {"side_information": self.side_information.as_json()} if self.side_information.columns else {}
        return {**values, **stored}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "TournamentSettings":
        """The settings that ``as_json`` wrote, also in an older version with fewer attributes."""
        goal = Goal(**{**values["goal"], "aim": Aim(values["goal"]["aim"])})
        price = None if values.get("price") is None else tuple(values["price"])
        system = None if values.get("system") is None else system_of(_with_rules(values["system"]))
        cascade = None if values.get("cascade") is None else tuple(values["cascade"])
        dossier = None if values.get("dossier") is None else Dossier.of(values["dossier"])
        recorded = values.get("side_information")
        side = SideInformation() if recorded is None else SideInformation.from_json(recorded)
        gold = tuple(GoldPair(**pair) for pair in values.get("gold", ()))
        read: dict[str, Any] = {"goal": goal, "price": price, "system": system, "cascade": cascade, "dossier": dossier}
        read |= {"side_information": side, "gold": gold}
        read |= {"paired": PairedDesign(**values["paired"])} if "paired" in values else {}
        return cls(**{**values, **read})

    def after(self, events: "Iterable[Event]") -> "TournamentSettings":
        """The settings after later changes of limits.

        Args:
            events: The events of the tournament, in the order of record.
        """
        settings = self
        for event in events:
            if event.kind == "extended":
                settings = settings.extended(cast("RunLimits", event.detail))
        return settings

    def extended(self, changes: "RunLimits") -> "TournamentSettings":
        """The settings with another budget, limit or confidence, as ``resume`` may set it."""
        rest: dict[str, Any] = dict(changes)
        goal = self.goal
        if "confidence" in rest:
            goal = dataclasses.replace(goal, confidence=rest.pop("confidence"))
        return dataclasses.replace(self, goal=goal, **rest)


def _with_rules(system: Mapping[str, Any]) -> dict[str, Any]:
    """Recorded parameters, where those of earlier versions decide as these did."""
    return {**system, "policy": {"debate_rule": "rating", "tiers_by": "elo", **system.get("policy", {})}}


def _one_of(name: str, value: object, options: Iterable[str]) -> None:
    values = tuple(map(str, options))
    if value not in values:
        raise InvalidConfig(f"{name} must be {listed(values)}, not {value!r}{did_you_mean(str(value), values)}")


def _at_least(name: str, value: int | None, least: int) -> None:
    if value is None:
        return
    try:
        number = operator.index(value)
    except TypeError:
        raise InvalidConfig(f"{name} is a whole number, not {value!r}") from None
    if number < least:
        raise InvalidConfig(f"{name} must be at least {least}, not {value}")


class TournamentOptions(TypedDict, total=False):
    """The options of a tournament besides its items, its criteria and its judge.

    Attributes:
        pairing: ``informative`` (the default), ``swiss``, ``round-robin``, ``weighted``, or that of a plugin.
        budget: Maximum number of calls; by default the informative pairing takes ten an item, at most one for each
            order of each pair, or in groups as many as show the same number of texts.
        top: Settle which items are the top k.
        winner: Settle which item is the best.
        whole_order: Settle the whole order, without extra effort at the top.
        confidence: Stop once the forecast for that ranking reaches this; 0.9 by default.
        seed: The seed; random by default.
        comparison_rounds: Comparisons a match; by default both orders in Swiss, one elsewhere.
        elimination_count: Losses that eliminate, in Swiss.
        draws: What a draw is in Swiss: ``loss``, ``replay`` or ``none``.
        audit_share: Share of pairs that the informative pairing asks again in the other order.
        level: Probability that intervals are meant to hold.
        group_size: Items that the judge puts in order in one call; or ``auto``. By default ``auto`` for a language
            model that ranks thirty items or more without a budget of calls, else 2.
        max_cost: Maximum cost in US dollars.
        max_tokens: Maximum number of tokens, sent and received.
        price: US dollars per million tokens sent and received, where the caller knows better than the price list.
        system: The parameters of the weighted pairing; the specifications' defaults if not given.
        similarity: Which items are alike, for the weighted pairing: an embedder, such as ``local``; ``vectors:FILE``
            (.npy, .jsonl or .parquet); or ``pairs:FILE`` (.csv with a, b, similarity).
        dossier: What judges see beside the texts: a .toml or .json file, a mapping or a ``Dossier``; and its parts:
        goal: The research goal.
        preferences: What is preferred among equals: a text, or several.
        constraints: What must hold: a text, or several.
        rubric: Criteria with definitions, scales and weights: a file, a list, a ``Rubric``, or names of known criteria
            with commas.
        insights: What a meta-review found: a text, or several.
        gold: Pairs whose better item is known: a file, a table or a list, as ``read_votes`` takes them. They tell which
            judges are right.
        prior: What a model holds of the items, which the judge's answers correct: a file or a mapping of ratings, a
            board, or the model's votes. The first pairs are chosen by it.
        paired: The test of a paired comparison, which ``compare`` makes.
    """

    pairing: str
    budget: int | None
    top: int | None
    winner: bool
    whole_order: bool
    confidence: float
    seed: int | None
    comparison_rounds: int | None
    elimination_count: int
    draws: str
    audit_share: float
    level: float
    group_size: int | str | None
    max_cost: float | None
    max_tokens: int | None
    price: tuple[float, float] | None
    system: TournamentSystemConfig | None
    similarity: str | None
    dossier: object
    goal: str | None
    preferences: str | Collection[str] | None
    constraints: str | Collection[str] | None
    rubric: object
    insights: str | Collection[str] | None
    gold: object
    prior: object
    paired: PairedDesign | None


def settings_for(items: int, *, criteria: str, judge: str, **options: Unpack[TournamentOptions]) -> TournamentSettings:
    """The settings for so many items, with defaults filled in.

    Args:
        items: Number of items.
        criteria: What "better" means, in words.
        judge: Spec or identity of the judge.
        options: See ``TournamentOptions``.

    Raises:
        InvalidConfig: Naming the parameter that is wrong.
    """
    rest: dict[str, Any] = dict(options)
    unknown = rest.keys() - TournamentOptions.__annotations__.keys()
    if unknown:
        raise InvalidConfig(
            f"no option is called {min(unknown)!r}; there are {', '.join(TournamentOptions.__annotations__)}"
        )
    goal = _goal(
        items,
        top=rest.pop("top", None),
        winner=rest.pop("winner", False),
        whole_order=rest.pop("whole_order", False),
        confidence=rest.pop("confidence", 0.9),
    )
    parts = {name: rest.pop(name, None) for name in ("goal", "preferences", "constraints", "rubric", "insights")}
    rest["dossier"] = _dossier(rest.pop("dossier", None), parts)
    rest["gold"], rest["prior"] = _anchors(rest.pop("gold", None), rest.pop("prior", None))
    pairing = rest.setdefault("pairing", "informative")
    if rest.get("paired") is None:
        check_pairing(pairing)
    if pairing == "weighted" and rest.get("system") is None:
        rest["system"] = TournamentSystemConfig()
    if rest.get("group_size") is None:
        rest["group_size"] = 2
    size = rest["group_size"]
    if not isinstance(size, str):
        _at_least("group_size", size, 2)
    if not isinstance(size, str) and size > max(items, 2):
        raise InvalidConfig(f"a group of {size} cannot be made of {items} items")
    if size == AUTO and items < 3:
        raise InvalidConfig("two items are a pair: there is no group size to be chosen")
    if rest.get("budget") is None and pairing == "informative" and not isinstance(size, str):
        rest["budget"] = default_budget(items, size)
    if rest.get("comparison_rounds") is None:
        rest["comparison_rounds"] = 2 if pairing == "swiss" else 1
    _at_least("seed", rest.get("seed"), 0)
    rest["seed"] = secrets.randbelow(2**31) if rest.get("seed") is None else operator.index(rest["seed"])
    return TournamentSettings(criteria=criteria, judge=judge, goal=goal, **rest)


def _dossier(source: object, parts: dict[str, Any]) -> Dossier | None:
    if source is None and all(part is None for part in parts.values()):
        return None
    from paragone.intake.dossiers import DossierParts, as_dossier

    return as_dossier(source, cast("DossierParts", parts))


def _anchors(gold: object, prior: object) -> tuple[tuple[GoldPair, ...], Mapping[str, float] | None]:
    """Gold pairs and a prior's ratings, read."""
    pairs: tuple[GoldPair, ...] = ()
    if gold is not None:
        from paragone.intake.gold import read_gold

        pairs = read_gold(gold)
    if prior is None:
        return pairs, None
    from paragone.tournaments.model_ratings import prior_ratings

    return pairs, prior_ratings(prior)


def default_budget(items: int, size: int) -> int:
    """The default budget: ten pairs an item, at most each in both orders, or as many lists as show as many texts."""
    pairs = CALLS_PER_ITEM * items
    return min(pairs, items * (items - 1)) if size <= 2 else math.ceil(2 * pairs / size)


def _goal(items: int, *, top: int | None, winner: bool, whole_order: bool, confidence: float) -> Goal:
    if sum((top is not None, winner, whole_order)) > 1:
        raise InvalidConfig("ask for one ranking: the top k, the winner, or the whole order")
    if top is not None and top >= items:
        raise InvalidConfig(
            f"the top {top} of {items} items leaves nothing to choose: ask for fewer, or for the whole order"
        )
    aim = Aim.TOP if top is not None else Aim.WINNER if winner else Aim.ORDER if whole_order else Aim.BALANCED
    return Goal(aim=aim, k=top, confidence=confidence)

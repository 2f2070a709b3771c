"""What a judge sees beside the texts: goal, rubric, preferences, and notes on each item."""

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from paragone.domain.parameter import SYNONYMS, unknown
from paragone.domain.refusals import quoted
from paragone.errors import InvalidConfig

DOSSIER_TOKENS = 6_000
"""The length of a dossier at the most, in tokens, where nothing else is said."""

_NAME = re.compile(r"[^\W\d_][\w-]{0,39}")
_UNIT = "from 0, not at all, to 1, outstanding"
_CLOSE = 1e-6


@dataclass(frozen=True, kw_only=True, slots=True)
class Criterion:
    """One criterion of a rubric.

    Attributes:
        name: A single word, since it is a key of the judge's answer.
        definition: What is meant by it.
        scale: What the ends of the scale mean; scores are numbers from 0 to 1.
        weight: Its share in the decision, from 0 to 1.
    """

    name: str
    definition: str
    scale: str = _UNIT
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            raise InvalidConfig(
                f"the name of a criterion is a single word of at most 40 letters, not {quoted(self.name)}", key="name"
            )
        if not self.definition.strip():
            raise InvalidConfig(
                f"the criterion {self.name!r} has no definition: say what is meant by it", key=self.name
            )
        if not (math.isfinite(self.weight) and 0.0 <= self.weight <= 1.0):
            raise InvalidConfig(f"the weight of {self.name!r} lies between 0 and 1, not {self.weight}", key=self.name)


def _known(name: str, definition: str) -> tuple[str, Criterion]:
    return name, Criterion(name=name, definition=definition)


CRITERIA: Mapping[str, Criterion] = dict(
    [
        _known("novelty", "How far it goes beyond what is known; a restatement of established work scores low."),
        _known("correctness", "Whether it agrees with the evidence, and its reasoning holds; errors score low."),
        _known("testability", "Whether a feasible experiment could refute it, with an outcome to be measured."),
        _known("impact", "What would follow for science or for people if it held."),
        _known("clarity", "Whether it is stated so precisely that an expert knows what is claimed, and what is not."),
        _known("relevance", "How directly it serves the research goal, within its constraints."),
        _known("feasibility", "Whether it can be carried out with means, time and skills that are at hand."),
        _known("safety", "How little harm its test or its use could do to people, animals or the environment."),
        _known("plausibility", "How likely its mechanism is, given what is known, before any test."),
        _known("specificity", "Whether it names the entities, conditions and sizes of effects that it is about."),
    ]
)
"""Criteria that a rubric may name without a definition of its own. The first five are specified for hypotheses."""

FIELDS_OWN = ("novelty", "correctness", "testability", "impact", "clarity")
"""The criteria of the default rubric."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rubric:
    """The criteria by which a panel scores.

    Attributes:
        criteria: The criteria; their weights add up to 1.
    """

    criteria: tuple[Criterion, ...]

    def __post_init__(self) -> None:
        names = [criterion.name for criterion in self.criteria]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise InvalidConfig(f"the rubric has the criterion {twice!r} twice", key=twice)
        if not names:
            raise InvalidConfig("the rubric has no criterion", key="criteria")
        total = sum(criterion.weight for criterion in self.criteria)
        if abs(total - 1.0) > _CLOSE:
            raise InvalidConfig(
                f"the weights of the rubric add up to {total:.6g}, not to 1: "
                + ", ".join(f"{criterion.name} {criterion.weight:g}" for criterion in self.criteria),
                key="weight",
            )

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each criterion that has any, by name."""
        return {criterion.name: criterion.weight for criterion in self.criteria if criterion.weight > 0.0}

    @classmethod
    def named(cls, names: Iterable[str] = FIELDS_OWN) -> "Rubric":
        """A rubric of known criteria, of equal weight.

        Raises:
            InvalidConfig: If a name is unknown or repeated.
        """
        return cls.of({"criteria": list(names)})

    @classmethod
    def of(cls, values: object) -> "Rubric":
        """A rubric from plain values.

        Args:
            values: A list of criteria, or a mapping with the key ``criteria`` that is one, or a mapping from name to
                criterion. A criterion is a name that is known, or a mapping with ``name``, ``definition``, ``scale``
                and ``weight``; a number alone is its weight. Weights are given for all criteria, as shares or per cent,
                or for none.

        Raises:
            InvalidConfig: Naming the criterion that is wrong.
        """
        if isinstance(values, Mapping) and "criteria" in values:
            surplus = next((str(name) for name in values if name != "criteria"), None)
            if surplus is not None:
                raise unknown("key", surplus, surplus, ("criteria",))
            values = values["criteria"]
        if isinstance(values, Mapping):
            values = [_entry(str(name), value) for name, value in values.items()]
        if not isinstance(values, list | tuple):
            raise InvalidConfig(f"a rubric is a list of criteria, not {quoted(values)}", key="criteria")
        return cls(criteria=_weighted([_given(value) for value in values]))


def _entry(name: str, value: object) -> object:
    if isinstance(value, Mapping):
        return {"name": name, **value}
    if isinstance(value, str):
        return {"name": name, "definition": value}
    return {"name": name, "weight": value}


def _given(value: object) -> dict[str, Any]:
    """A criterion as it was given, with its name in this package's spelling and its definition."""
    values = {"name": value} if isinstance(value, str) else value
    if not isinstance(values, Mapping) or not isinstance(values.get("name"), str):
        raise InvalidConfig(f"a criterion is a name or a table with a name, not {quoted(value)}", key="criteria")
    fields = ("name", "definition", "scale", "weight")
    for key in values:
        if key not in fields:
            raise unknown("key", f"{values['name']}.{key}", str(key), fields)
    folded = values["name"].strip().casefold()
    name = SYNONYMS.get(folded, folded)
    known_criterion = CRITERIA.get(name)
    if known_criterion is None and not values.get("definition"):
        raise unknown(
            "criterion", values["name"], values["name"], CRITERIA,
            otherwise=f"give it a definition, or take some of {', '.join(CRITERIA)}",
        )  # fmt: skip
    entry = {"name": name, "definition": known_criterion.definition if known_criterion else "", **_texts(name, values)}
    return {**entry, **({} if values.get("weight") is None else {"weight": _number(name, values["weight"])})}


def _texts(name: str, values: Mapping[str, Any]) -> dict[str, str]:
    texts = {field: values[field] for field in ("definition", "scale") if values.get(field) is not None}
    wrong = next((field for field, text in texts.items() if not isinstance(text, str)), None)
    if wrong is not None:
        raise InvalidConfig(f"the {wrong} of {name!r} is text, not {quoted(texts[wrong])}", key=name)
    return texts


def _number(name: str, weight: object) -> float:
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not math.isfinite(weight) or weight < 0:
        raise InvalidConfig(f"the weight of {name!r} is a number from 0 up, not {quoted(weight)}", key=name)
    return float(weight)


def _weighted(criteria: list[dict[str, Any]]) -> tuple[Criterion, ...]:
    """Criteria with their weights: those that are given as shares or per cent, or equal ones."""
    without = [entry["name"] for entry in criteria if "weight" not in entry]
    if without and len(without) < len(criteria):
        raise InvalidConfig(f"give a weight to all criteria or to none; {without[0]!r} has none", key=without[0])
    if without:
        return tuple(Criterion(**entry, weight=1.0 / len(criteria)) for entry in criteria)
    per_cent = abs(sum(entry["weight"] for entry in criteria) - 100.0) <= 100.0 * _CLOSE
    if not per_cent and sum(entry["weight"] for entry in criteria) > 1.0 + _CLOSE:  # a Criterion would name only one
        total = sum(entry["weight"] for entry in criteria)
        shares = ", ".join(f"{entry['name']} {entry['weight']:g}" for entry in criteria)
        raise InvalidConfig(f"the weights of the rubric add up to {total:.6g}, not to 1: {shares}", key="weight")
    return tuple(Criterion(**{**entry, "weight": entry["weight"] / (100.0 if per_cent else 1.0)}) for entry in criteria)


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemNotes:
    """What is known about an item besides its text. All of it is untrusted.

    Attributes:
        attributes: Names and values.
        review: The text of its best review, with its score.
        evidence: What it cites, one source each.
    """

    attributes: tuple[tuple[str, str], ...] = ()
    review: str = ""
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Dossier:
    """What a judge sees besides the texts. All of it is untrusted: it says what to judge by, and gives no orders.

    Attributes:
        goal: The research goal.
        preferences: What is preferred among equals.
        constraints: What must hold.
        rubric: By what to score; None leaves it to the criteria in words.
        insights: What a meta-review found.
        directives: What people asked for while the tournament runs, in the order in which they did.
        notes: One for each item shown, in the order of presentation; empty where nothing is known of any.
        max_tokens: Its length at the most.
    """

    goal: str = ""
    preferences: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    rubric: Rubric | None = None
    insights: tuple[str, ...] = ()
    directives: tuple[str, ...] = ()
    notes: tuple[ItemNotes, ...] = ()
    max_tokens: int = DOSSIER_TOKENS

    def __post_init__(self) -> None:
        if not isinstance(self.max_tokens, int) or isinstance(self.max_tokens, bool) or self.max_tokens < 100:
            raise InvalidConfig(f"a dossier has at least 100 tokens, not {self.max_tokens}", key="max_tokens")

    @property
    def hash(self) -> str:
        """SHA-256 of everything in it, in hexadecimal."""
        return hashlib.sha256(json.dumps(self.as_json(), sort_keys=True).encode("ascii")).hexdigest()

    @property
    def common(self) -> "Dossier":
        """What all questions of a tournament share: everything but the notes."""
        return replace(self, notes=()) if self.notes else self

    @property
    def is_empty(self) -> bool:
        """Whether nothing would be shown."""
        return not any(
            (self.goal, self.preferences, self.constraints, self.rubric, self.insights, self.directives)
        ) and (not any(self.notes) or all(note == ItemNotes() for note in self.notes))

    def as_json(self) -> dict[str, Any]:
        """Plain values, which ``of`` reads."""
        return asdict(self)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> "Dossier":
        """A dossier from plain values; a preference, a constraint or an insight may be a text or a list of texts.

        Raises:
            InvalidConfig: Naming the key that is unknown or wrong.
        """
        names = ("goal", "preferences", "constraints", "rubric", "insights", "directives", "notes", "max_tokens")
        for key in values:
            if key not in names:
                raise unknown("key", str(key), str(key), names)
        lists = {name: texts_of(name, values.get(name)) for name in names[1:6] if name != "rubric"}
        goal, rubric = values.get("goal") or "", values.get("rubric")
        if not isinstance(goal, str):
            raise InvalidConfig(f"the goal is text, not {quoted(goal)}", key="goal")
        return cls(
            goal=goal.strip(),
            rubric=rubric if rubric is None or isinstance(rubric, Rubric) else Rubric.of(rubric),
            notes=tuple(_notes_of(notes) for notes in values.get("notes") or ()),
            max_tokens=values["max_tokens"] if values.get("max_tokens") is not None else DOSSIER_TOKENS,
            **lists,
        )


def _notes_of(values: Mapping[str, Any]) -> ItemNotes:
    return ItemNotes(
        attributes=tuple((name, value) for name, value in values.get("attributes") or ()),
        review=values.get("review") or "",
        evidence=tuple(values.get("evidence") or ()),
    )


def texts_of(name: str, value: object) -> tuple[str, ...]:
    """Texts from a text, a list of texts, or None; blank ones are left out.

    Raises:
        InvalidConfig: If it is anything else.
    """
    entries = [value] if isinstance(value, str) else value or []
    if not isinstance(entries, list | tuple) or not all(isinstance(entry, str) for entry in entries):
        raise InvalidConfig(f"{name} are texts, not {quoted(value)}", key=name)
    return tuple(entry.strip() for entry in entries if entry.strip())

"""What a parameter may be: type and bounds are written once, beside its name; they check it, show it and read it."""

import inspect
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from difflib import get_close_matches
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NoReturn, Union, get_args, get_origin, get_type_hints

from paragone.domain.frozen_dict import FrozenDict
from paragone.errors import InvalidConfig

SYNONYMS = {"merit": "impact"}
"""Other names of keys in tables: document T calls the criterion merit, document R impact."""

_TRUTH = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


@dataclass(frozen=True, kw_only=True, slots=True)
class Bounds:
    """Where a number lies. Put into a type's ``Annotated``; JSON schemas say it too.

    Attributes:
        above: It is greater than this.
        least: It is no less than this.
        most: It is no more than this.
    """

    above: float | None = None
    least: float | None = None
    most: float | None = None

    def __contains__(self, value: float) -> bool:
        return (
            (self.above is None or value > self.above)
            and (self.least is None or value >= self.least)
            and (self.most is None or value <= self.most)
        )

    @property
    def words(self) -> str:
        """Them in words, such as ``from 3 to 5``; empty where there are none."""
        if self.above is not None:
            return f"above {self.above:g}"
        if self.least is None:
            return ""
        return f"from {self.least:g} " + ("up" if self.most is None else f"to {self.most:g}")

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:  # noqa: ANN401 - pydantic's own
        """What a JSON schema says of them."""
        bounds = {"exclusiveMinimum": self.above, "minimum": self.least, "maximum": self.most}
        return {**handler(schema), **{name: bound for name, bound in bounds.items() if bound is not None}}


Positive = Annotated[float, Bounds(above=0)]
Share = Annotated[float, Bounds(least=0, most=1)]
Weight = Annotated[float, Bounds(least=0)]
Count = Annotated[int, Bounds(least=1)]
Turns = Annotated[int, Bounds(least=3, most=5)]


@dataclass(frozen=True, kw_only=True, slots=True)
class Parameter:
    """One parameter of a configuration.

    Attributes:
        name: Its name.
        kind: ``float``, ``int``, ``bool`` or ``str``: the type of its value, or of the values of its table.
        bounds: Where a number lies.
        choices: What a word may be.
        optional: Whether it may be None.
        keys: The keys of its table; empty where it is no table.
        default: Its value where nothing is said.
        meaning: What it is, in words.
    """

    name: str
    kind: type
    bounds: Bounds
    choices: tuple[str, ...]
    optional: bool
    keys: tuple[str, ...]
    default: Any
    meaning: str

    @property
    def words(self) -> str:
        """What its values are, in words."""
        return f"a table of {', '.join(self.keys)}: {self._each} each" if self.keys else self._each

    @property
    def _each(self) -> str:
        nouns = {
            float: "a number",
            int: "a whole number",
            bool: "true or false",
            str: " or ".join(map(repr, self.choices)),
        }
        none = ", or nothing" if self.optional else ""
        return f"{nouns[self.kind]} {self.bounds.words}".rstrip() + none

    def settled(self, value: object, where: str, *, text: bool = False) -> Any:  # noqa: ANN401 - its kind of value
        """A value in its canonical form; of a table as much of it as is given.

        Args:
            value: The value.
            where: What to call it in messages.
            text: Whether words are to be read as what they stand for, as from the environment.

        Raises:
            InvalidConfig: If it is of another type, or out of its bounds.
        """
        if text and isinstance(value, str):
            value = self._read(value)
        if value is None and self.optional:
            return None
        if not self.keys:
            return self._one(value, where, text=text)
        if not isinstance(value, Mapping):
            _refuse(self.words, value, where)
        return self._table(value, where, text=text)

    def _read(self, text: str) -> object:
        if self.optional and text.casefold() in ("", "none", "null"):
            return None
        if not self.keys:
            return text
        parts = [part.partition("=") for part in text.split(",")]
        return {name.strip(): value.strip() for name, _, value in parts}

    def _table(self, value: Mapping[Any, Any], where: str, *, text: bool) -> dict[Any, Any]:
        settled: dict[str, Any] = {}
        own = {str(key): key for key in self.keys}
        spelled: dict[str, str] = {}
        for name, entry in value.items():
            path, key = f"{where}.{name}", str(name).casefold()
            key = SYNONYMS.get(key, key)
            if key not in own:
                raise unknown("key", path, str(name), self.keys)
            canonical = self._one(entry, path, text=text)
            before = spelled.setdefault(key, path)
            if settled.setdefault(key, canonical) != canonical:
                raise InvalidConfig(f"{before} and {path} are the same and differ; say it once", key=path)
        return {own[key]: entry for key, entry in settled.items()}

    def _one(self, value: object, where: str, *, text: bool) -> Any:  # noqa: ANN401 - its kind of value
        value = self._of_text(value) if text and isinstance(value, str) else value
        if self.kind in (int, float):
            number = _number(value, self.kind)
            return number if number is not None and number in self.bounds else _refuse(self._each, value, where)
        fitting = isinstance(value, bool) if self.kind is bool else value in self.choices
        return value if fitting else _refuse(self._each, value, where)

    def _of_text(self, text: str) -> object:
        if self.kind is bool:
            return _TRUTH.get(text.casefold(), text)
        try:
            return self.kind(text)
        except ValueError:
            return text


def parameters(config: type[object]) -> Mapping[str, Parameter]:
    """The parameters of a configuration class by name, in its order."""
    if config not in _KNOWN:
        _KNOWN[config] = _parameters(config)
    return _KNOWN[config]


_KNOWN: dict[type[object], Mapping[str, Parameter]] = {}


def _parameters(config: type[Any]) -> Mapping[str, Parameter]:
    hints, descriptions = get_type_hints(config, include_extras=True), meanings(config)
    parameters = {}
    for each in fields(config):
        default = each.default if each.default is not MISSING else None
        parameters[each.name] = _parameter(each.name, hints[each.name], default, descriptions.get(each.name, ""))
    return parameters


def _parameter(name: str, hint: Any, default: object, meaning: str) -> Parameter:  # noqa: ANN401 - any type's hint
    optional = get_origin(hint) in (Union, UnionType)
    if optional:
        hint = next(part for part in get_args(hint) if part is not NoneType)
    keys = tuple(default) if isinstance(default, Mapping) else ()
    if keys:
        hint = get_args(hint)[1]
    bounds = next((part for part in getattr(hint, "__metadata__", ()) if isinstance(part, Bounds)), Bounds())
    kind = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    choices = get_args(kind) if get_origin(kind) is Literal else ()
    return Parameter(
        name=name,
        kind=str if choices else kind,
        bounds=bounds,
        choices=choices,
        optional=optional,
        keys=keys,
        default=default,
        meaning=meaning,
    )


def meanings(documented: type[Any]) -> Mapping[str, str]:
    """What a class's docstring says of each of its attributes."""
    _, _, listed = (inspect.getdoc(documented) or "").partition("\nAttributes:\n")
    entries = re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", listed.partition("\n\n")[0], re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in entries}


def settle(config: object, section: str) -> None:
    """Check every parameter of a configuration that is being made, and give each its canonical form.

    Numbers become floats where the parameter is one, and tables complete: what a table leaves out has its default.

    Raises:
        InvalidConfig: Naming the section and the parameter that is wrong.
    """
    for name, parameter in parameters(type(config)).items():
        value = parameter.settled(getattr(config, name), f"{section}.{name}")
        if parameter.keys:
            value = FrozenDict({**parameter.default, **value})
        object.__setattr__(config, name, value)


def _number(value: object, kind: type) -> float | None:
    """A finite number of a kind; None for what is none: a truth value, a word, a fraction where it is to be whole."""
    if isinstance(value, bool) or not isinstance(value, Real) or (kind is int and not isinstance(value, Integral)):
        return None
    try:
        return (int(value.__trunc__()) if kind is int else float(value)) if math.isfinite(value) else None
    except OverflowError:
        return None


def _refuse(expected: str, value: object, where: str) -> NoReturn:
    raise InvalidConfig(f"{where} must be {expected}, not {value!r}", key=where)


def unknown(what: str, where: str, name: str, existing: Iterable[str], *, otherwise: str = "") -> InvalidConfig:
    """The error for a name that nothing has, with those that may have been meant; else all, or what is said instead."""
    names, folded = [str(each) for each in existing], name.casefold()
    near = get_close_matches(folded, names, n=1) or [each for each in names if folded in each]
    hint = f"did you mean {' or '.join(near)}?" if near else otherwise or f"there are {', '.join(names)}"
    return InvalidConfig(f"{where}: no {what} is called {name!r}; {hint}", key=where)

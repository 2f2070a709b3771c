"""Parameters: type, bounds, default and meaning are declared once, and check, show and read values."""

import inspect
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from difflib import get_close_matches
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NoReturn, Union, get_args, get_origin, get_type_hints

from paragone.domain.record import FrozenDict
from paragone.errors import InvalidConfig

SYNONYMS = {"merit": "impact"}
"""Other names of keys in tables: the specification of tournaments says merit, that of the Ranking Agent impact."""

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
        """The bounds in words, such as ``from 3 to 5``; empty where there are none."""
        if self.above is not None:
            return f"above {self.above:g}"
        if self.least is None:
            return ""
        return f"from {self.least:g} " + ("up" if self.most is None else f"to {self.most:g}")

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:  # noqa: ANN401 - pydantic's own
        """The keywords that JSON schema has for bounds."""
        limits = {"exclusiveMinimum": self.above, "minimum": self.least, "maximum": self.most}
        return {**handler(schema), **{name: limit for name, limit in limits.items() if limit is not None}}


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
        bounds: The range of a number.
        choices: The words that are allowed; any text where empty.
        optional: Whether it may be None.
        keys: The keys of its table; empty where it is no table.
        default: Its default value.
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
            str: " or ".join(map(repr, self.choices)) or "a text of at least 1 character",
        }
        none = ", or nothing" if self.optional else ""
        return f"{nouns[self.kind]} {self.bounds.words}".rstrip() + none

    def settled(self, value: object, where: str, *, text: bool = False) -> Any:  # noqa: ANN401 - its kind of value
        """Check a value and return it in its canonical form; a table may be partial.

        Args:
            value: The value.
            where: What to call it in messages.
            text: Whether to parse text, as from the environment.

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
        entries: dict[str, Any] = {}
        keys = {str(key): key for key in self.keys}
        paths: dict[str, str] = {}
        for name, entry in value.items():
            path, key = f"{where}.{name}", str(name).casefold()
            key = SYNONYMS.get(key, key)
            if key not in keys:
                raise unknown("key", path, str(name), self.keys)
            checked = self._one(entry, path, text=text)
            first = paths.setdefault(key, path)
            if entries.setdefault(key, checked) != checked:
                message = f"{first} and {path} are two names of one parameter, with different values; give it once"
                raise InvalidConfig(message, key=path)
        return {keys[key]: entry for key, entry in entries.items()}

    def _one(self, value: object, where: str, *, text: bool) -> Any:  # noqa: ANN401 - its kind of value
        value = self._of_text(value) if text and isinstance(value, str) else value
        if self.kind in (int, float):
            number = _number(value, self.kind)
            return number if number is not None and number in self.bounds else _refuse(self._each, value, where)
        return value if self._fits(value) else _refuse(self._each, value, where)

    def _fits(self, value: object) -> bool:
        if self.kind is str and not self.choices:
            return isinstance(value, str) and bool(value.strip())
        return value in self.choices if self.choices else isinstance(value, self.kind)

    def _of_text(self, text: str) -> object:
        if self.kind is bool:
            return _TRUTH.get(text.casefold(), text)
        try:
            return self.kind(text)
        except ValueError:
            return text


def parameters(config: type[object]) -> Mapping[str, Parameter]:
    """The parameters of a configuration class by name, in its order."""
    if config not in _PARAMETERS:
        _PARAMETERS[config] = _parameters(config)
    return _PARAMETERS[config]


_PARAMETERS: dict[type[object], Mapping[str, Parameter]] = {}


def _parameters(config: type[Any]) -> Mapping[str, Parameter]:
    hints, texts = get_type_hints(config, include_extras=True), meanings(config)
    defaults = {field.name: None if field.default is MISSING else field.default for field in fields(config)}
    return {name: _parameter(name, hints[name], default, texts.get(name, "")) for name, default in defaults.items()}


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
    """The meaning of each attribute, from the class's docstring."""
    _, _, listed = (inspect.getdoc(documented) or "").partition("\nAttributes:\n")
    entries = re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", listed.partition("\n\n")[0], re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in entries}


def settle(config: object, section: str) -> None:
    """Check every parameter of a configuration that is being made, and give each its canonical form.

    Integers become floats where the parameter is a float, and tables are completed with their defaults.

    Raises:
        InvalidConfig: Naming the section and the parameter that is wrong.
    """
    for name, parameter in parameters(type(config)).items():
        value = parameter.settled(getattr(config, name), f"{section}.{name}")
        if parameter.keys:
            value = FrozenDict({**parameter.default, **value})
        object.__setattr__(config, name, value)


def _number(value: object, kind: type) -> float | None:
    """A finite number of a kind; None for anything else, such as a truth value, or a fraction instead of an integer."""
    if isinstance(value, bool) or not isinstance(value, Real) or (kind is int and not isinstance(value, Integral)):
        return None
    try:
        return (int(value.__trunc__()) if kind is int else float(value)) if math.isfinite(value) else None
    except OverflowError:
        return None


def _refuse(expected: str, value: object, where: str) -> NoReturn:
    raise InvalidConfig(f"{where} must be {expected}, not {value!r}", key=where)


def unknown(what: str, where: str, name: str, names: Iterable[str], *, otherwise: str = "") -> InvalidConfig:
    """The error for an unknown name: it suggests near ones, three at the most, or lists all, or says ``otherwise``."""
    candidates, folded = [str(each) for each in names], name.casefold()
    near = get_close_matches(folded, candidates, n=1) or [each for each in candidates if folded in each]
    hint = (
        f"did you mean {' or '.join(near)}?"
        if 0 < len(near) <= 3
        else otherwise or f"there are {', '.join(candidates)}"
    )
    return InvalidConfig(f"{where}: no {what} is called {name!r}; {hint}", key=where)

"""The configuration of a store: one class for each table of ``memory.toml``, and how the file is read and changed."""

import json
import logging
import math
import re
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn, get_args, get_origin, get_type_hints

from paragone import extras
from paragone.domain.content import Content, UsageConfig
from paragone.domain.parameter import meanings, unknown
from paragone.errors import InvalidConfig, UnreadableFile, Unwritable
from paragone.files import swap_in
from paragone.intake.text_file import line_of, read_as, read_text
from paragone.memory.store.lines import path_of
from paragone.wire.pack import PackMode
from paragone.wire.search import SearchMode

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_LOG = logging.getLogger("paragone.memory")

RankBy = Literal["elo", "need"]


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexConfig:
    """What is indexed. Patterns are those of .gitignore files.

    Attributes:
        include: Only what matches one of these.
        exclude: Not what matches one of these.
        secrets: Patterns of secrets besides the built-in ones: never indexed, shown, read or packed.
        gitignore: Whether .gitignore files are honoured.
        max_bytes: Larger files are not indexed.
        chunk_tokens: About how many tokens a chunk holds at most.
        generated: Whether generated files are indexed whole; only their first chunk otherwise.
        decisions: Files that are decision records.
        decision_id: A regular expression (RE2) for the id of a record, in its name or its first heading; its first
            group is the id, or its number.
    """

    include: tuple[str, ...] = ("**",)
    exclude: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    gitignore: bool = True
    max_bytes: int = 1_000_000
    chunk_tokens: int = 256
    generated: bool = False
    decisions: tuple[str, ...] = ("**/decisions/**/*.md", "**/adr/**/*.md", "**/adrs/**/*.md", "**/ADR-*.md")
    decision_id: str = r"(?i)\b(ADR-?\d+)\b"


@dataclass(frozen=True, kw_only=True, slots=True)
class TierConfig:
    """Initial ratings by path, as patterns of .gitignore files. The first section that matches applies.

    Attributes:
        high: 1600, and pinned: never pruned, always packed.
        medium: 1200.
        low: 800.
        default: The section of all other paths.
    """

    high: tuple[str, ...] = ("LAW/CANON/**", "AGENTS.md", "NAVIGATION/MAPS/**")
    medium: tuple[str, ...] = ("CAPABILITY/SKILLS/**", "LAW/CONTEXT/decisions/**")
    low: tuple[str, ...] = ("THOUGHT/LAB/**", "MEMORY/ARCHIVE/**", "**/fixtures/**")
    default: Literal["high", "medium", "low"] = "medium"


INITIAL = {"high": 1600.0, "medium": 1200.0, "low": 800.0}
"""Initial Elo points by tier."""
_MAX_CACHED_PATHS = 200_000


def initial_rating(content: Content, tiers: TierConfig) -> float:
    """The initial rating in Elo points: by path, or the default if none is known."""
    path = path_of(content.kind, content.id, content.path)
    return _initial_ratings(tiers).of(path) if path else INITIAL[tiers.default]


def is_pinned(path: str, tiers: TierConfig) -> bool:
    """Whether a path is initially high: never pruned, always packed."""
    return _initial_ratings(tiers).of(path) == INITIAL["high"]


class _InitialRatings:
    """The compiled patterns of the tiers, with a cache of paths: each is asked for again and again."""

    def __init__(self, tiers: TierConfig) -> None:
        self._specs = [(_spec(name, getattr(tiers, name)), rating) for name, rating in INITIAL.items()]
        self._default = INITIAL[tiers.default]
        self._cache: dict[str, float] = {}

    def of(self, path: str) -> float:
        rating = self._cache.get(path)
        if rating is None:
            rating = next((points for spec, points in self._specs if spec.match_file(path)), self._default)
            if len(self._cache) >= _MAX_CACHED_PATHS:
                self._cache.clear()
            self._cache[path] = rating
        return rating


def _spec(name: str, patterns: tuple[str, ...]) -> "GitIgnoreSpec":
    with extras.importing("patterns of paths need", "pathspec"):
        from pathspec import GitIgnoreSpec
    try:
        return GitIgnoreSpec.from_lines(patterns)
    except ValueError as error:
        raise InvalidConfig(f"tiers.{name} has an invalid pattern: {error}", key=f"tiers.{name}") from None


@lru_cache(maxsize=16)
def _initial_ratings(tiers: TierConfig) -> _InitialRatings:
    return _InitialRatings(tiers)


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchRankingConfig:
    """How search results are ordered.

    Attributes:
        mode: ``learned`` or ``document``.
        rank_by: Which rating is shown, and orders boards: need, or the running Elo, as in the specification's formulas.
    """

    mode: SearchMode = "learned"
    rank_by: RankBy = "need"


@dataclass(frozen=True, kw_only=True, slots=True)
class TruthConfig:
    """Sources of R besides what is supplied.

    Attributes:
        ledger: File or URL of a ledger of agents, whose verified and disproven claims rate what they wrote.
        authors: The agent who wrote it, by pattern of path.
    """

    ledger: str = ""
    authors: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class PackConfig:
    """How packs are made.

    Attributes:
        mode: ``budget`` or ``tiers``.
        tokens: The budget, in tokens of ``cl100k_base``.
        order: What orders files under ``budget``: the need of the next sessions, or Elo.
        exclude: Patterns of paths that are never packed, besides secrets.
        generated: Whether generated files are packed: lock files, bundles, minified and vendored code, snapshots.
    """

    mode: PackMode = "budget"
    tokens: int = 32_000
    order: RankBy = "need"
    exclude: tuple[str, ...] = ()
    generated: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class PruneConfig:
    """What may be archived.

    Attributes:
        scope: Patterns of short-term memory. Nothing else is ever pruned; nothing at all if empty.
        below: A rating below this many Elo points is low.
        stale_days: Days without a use after which content is stale.
    """

    scope: tuple[str, ...] = ()
    below: float = 1200.0
    stale_days: float = 90.0


@dataclass(frozen=True, kw_only=True, slots=True)
class NotesConfig:
    """Where notes are.

    Attributes:
        folder: Below the root; ``.`` for the root itself, as for a folder of notes. Written by ``memory note``.
    """

    folder: str = "notes"


@dataclass(frozen=True, kw_only=True, slots=True)
class LogConfig:
    """How logs are kept.

    Attributes:
        rotate_bytes: A log continues in another file before it grows larger than this.
    """

    rotate_bytes: int = 64 * 1024 * 1024


_MINIMUMS = (
    ("index", "max_bytes", 1),
    ("index", "chunk_tokens", 1),
    ("pack", "tokens", 1),
    ("prune", "below", 0),
    ("prune", "stale_days", 0),
    ("logs", "rotate_bytes", 1),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryConfig:
    """A store's whole configuration."""

    index: IndexConfig = field(default_factory=IndexConfig)
    tiers: TierConfig = field(default_factory=TierConfig)
    ratings: UsageConfig = field(default_factory=UsageConfig)
    ranking: SearchRankingConfig = field(default_factory=SearchRankingConfig)
    truth: TruthConfig = field(default_factory=TruthConfig)
    pack: PackConfig = field(default_factory=PackConfig)
    prune: PruneConfig = field(default_factory=PruneConfig)
    notes: NotesConfig = field(default_factory=NotesConfig)
    logs: LogConfig = field(default_factory=LogConfig)

    def __post_init__(self) -> None:
        for section, name, least in _MINIMUMS:
            value = getattr(getattr(self, section), name)
            if not least <= value < math.inf:
                raise InvalidConfig(f"{section}.{name} is {least} or more, not {value}", key=f"{section}.{name}")


_RETIRED_MODES = ("relevance", "bounded")
_WIDTH = 120
_TYPE_NAMES = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


def read_config(path: Path) -> MemoryConfig:
    """Read ``memory.toml``; what it leaves out has its default, and so has what no longer applies, with a warning.

    Raises:
        UnreadableFile: If it is absent or not TOML; the message names the line.
        InvalidConfig: If a key is unknown or its value invalid; the message names key and line.
    """
    return read_as(path, lambda values: config_of(_current(path, values)))


def _current(path: Path, values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The values of a file without what no longer applies."""
    retired = _retired(values)
    if not retired:
        return values
    text = read_text(path)
    names = " and ".join(f"ranking.{name} (line {line_of(f'ranking.{name}', text)})" for name in retired)
    _LOG.warning("%s: %s of an earlier version of paragone is passed over; delete it", path, names)
    return {**values, "ranking": {name: value for name, value in values["ranking"].items() if name not in retired}}


def _retired(values: Mapping[str, Any]) -> list[str]:
    """The keys of ``ranking`` that set what earlier versions had: the modes ``relevance`` and ``bounded``."""
    ranking = values.get("ranking")
    if not isinstance(ranking, Mapping):
        return []
    return [name for name, value in ranking.items() if name == "bound" or (name == "mode" and value in _RETIRED_MODES)]


def config_of(values: Mapping[str, Any]) -> MemoryConfig:
    """The configuration made of plain values, by section and key.

    Raises:
        InvalidConfig: If a section or key is unknown, or a value invalid.
    """
    sections = sections_of()
    for section in values:
        if section not in sections:
            raise unknown("section", section, section, sections)
    section_values: dict[str, Any] = {
        name: _section(kind, values.get(name, {}), name) for name, kind in sections.items()
    }
    return MemoryConfig(**section_values)


@cache
def sections_of() -> Mapping[str, type[Any]]:
    """The class of each section of the configuration, in order."""
    hints = get_type_hints(MemoryConfig)
    return {each.name: hints[each.name] for each in fields(MemoryConfig)}


def keys_of(kind: type[Any]) -> Mapping[str, str]:
    """The keys of a section with their meaning and, if only some words are allowed, those."""
    descriptions, hints = meanings(kind), get_type_hints(kind)
    words = {name: get_args(hint) for name, hint in hints.items() if get_origin(hint) is Literal}
    return {
        each.name: descriptions.get(each.name, "")
        + (f" One of {', '.join(words[each.name])}." if each.name in words else "")
        for each in fields(kind)
    }


def as_toml(config: MemoryConfig) -> str:
    """A configuration as TOML: every key with its meaning, commented out if it has its default."""
    return "\n".join(_lines(config)) + "\n"


def _section(kind: type[Any], values: object, section: str) -> object:
    if not isinstance(values, Mapping):
        raise InvalidConfig(f"{section} must be a table of keys, [{section}], not {values!r}", key=section)
    hints, defaults = get_type_hints(kind), kind()
    for name in values:
        if name not in hints:
            raise unknown("key", f"{section}.{name}", name, hints)
    settled = {}
    for name, value in values.items():
        settled[name] = _settled(value, hints[name], getattr(defaults, name), f"{section}.{name}")
    try:
        return kind(**settled)
    except InvalidConfig as error:
        raise InvalidConfig(f"{section}: {error}", key=f"{section}.{error.key}") from error


def _settled(value: object, hint: Any, default: object, where: str) -> Any:  # noqa: ANN401 - its kind of value
    """A value converted to its key's type; a table keeps the defaults of what it leaves out."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is tuple:
        if not isinstance(value, list):
            _refuse("a list of texts", value, where)
        return tuple(_settled(entry, parts[0], None, where) for entry in value)
    if isinstance(default, Mapping):
        if not isinstance(value, Mapping):
            _refuse("a table", value, where)
        keys = {name: _key(parts[0], name, where) for name in value}
        own = {keys[name]: _settled(entry, parts[1], None, f"{where}.{name}") for name, entry in value.items()}
        return {**default, **own}
    if origin is Literal:
        return value if value in parts else _refuse(" or ".join(map(repr, parts)), value, where)
    return _plain(value, hint, where)


def _key(kind: Any, name: str, where: str) -> Any:  # noqa: ANN401 - a text, or one of an enumeration
    if kind is not str and name not in (allowed := [str(each) for each in kind]):
        raise unknown("key", f"{where}.{name}", name, allowed)
    return kind(name)


def _plain(value: object, kind: type, where: str) -> object:
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    is_right = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
    if not is_right or (isinstance(value, float) and not math.isfinite(value)):
        _refuse(_TYPE_NAMES[kind], value, where)
    return value


def _refuse(expected: str, value: object, where: str) -> NoReturn:
    raise InvalidConfig(f"{where} must be {expected}, not {value!r}", key=where)


def _lines(config: MemoryConfig) -> Iterator[str]:
    yield "# What this store is configured to do. What is left out, or commented out, has its default, which is shown."
    for section, kind in sections_of().items():
        yield from ("", f"[{section}]")
        own, default = getattr(config, section), kind()
        for name, comment in _comments()[section].items():
            yield comment
            value = getattr(own, name)
            mark = "# " if value == getattr(default, name) else ""
            yield f"{mark}{name} = {toml_value(value)}"


@cache
def _comments() -> Mapping[str, Mapping[str, str]]:
    """The comment above each key of each section."""
    return {
        section: {name: _comment(meaning) for name, meaning in keys_of(kind).items()}
        for section, kind in sections_of().items()
    }


def _comment(meaning: str) -> str:
    return textwrap.fill(meaning.replace("``", ""), _WIDTH, initial_indent="# ", subsequent_indent="# ")


def toml_value(value: object) -> str:
    """A configuration value in TOML, on one line."""
    if isinstance(value, Mapping):
        inner = ", ".join(f"{toml_value(str(key))} = {toml_value(entry)}" for key, entry in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, str | bool):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)


_ANY_TABLE = re.compile(r"^\s*\[")


def change(path: Path, table: str, key: str, value: str | float, *, note: str = "") -> None:
    """Set a key of a table in a TOML file; comments and everything else stay as they are.

    Args:
        path: The file.
        table: The table, such as ``ratings.thresholds``; added at the end if missing.
        key: The key.
        value: Its new value.
        note: For the comment behind it, put on one line.

    Raises:
        UnreadableFile: If the file cannot be read or is not TOML.
        InvalidConfig: If one line cannot do it safely; the file stays as it was.
        Unwritable: If it cannot be written.
    """
    try:
        before = path.read_bytes().decode("utf-8")
        values = tomllib.loads(before)
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise UnreadableFile(f"{path} is not valid TOML: {error}") from error
    line = setting(key, value, note)
    after = with_setting(before, table, key, line)
    expected = _expected(values, table.split("."), key, value)
    if expected is None or _values(after) != expected:
        raise InvalidConfig(f"{path} cannot be changed safely: write {setting(key, value)} under [{table}] yourself")
    try:
        swap_in(after, path, durable=True)
    except OSError as error:
        raise Unwritable(f"{path} cannot be written: {error.strerror}") from error


def setting(key: str, value: str | float, note: str = "") -> str:
    """The line that sets a key."""
    literal = f'"{value}"' if isinstance(value, str) else repr(value)
    return f"{key} = {literal}" + (f"  # {' '.join(note.split())}" if note else "")


def with_setting(text: str, table: str, key: str, line: str) -> str:
    """The text with a line for a key: in place of the old line, of its commented hint, or in a new table."""
    lines = text.removesuffix("\n").split("\n") if text else []
    begin = next((number for number, row in enumerate(lines) if _heads(row, table)), None)
    if begin is None:
        above = [text.rstrip(), ""] if text.strip() else []
        return "\n".join([*above, f"[{table}]", line]) + "\n"
    end = next((number for number in range(begin + 1, len(lines)) if _ANY_TABLE.match(lines[number])), len(lines))
    for pattern in (rf"""^\s*["']?{re.escape(key)}["']?\s*=""", rf"^\s*#\s*{re.escape(key)}\s*="):
        for number in range(begin + 1, end):
            if re.match(pattern, lines[number]):
                return "\n".join([*lines[:number], line, *lines[number + 1 :]]) + "\n"
    return "\n".join([*lines[: begin + 1], line, *lines[begin + 1 :]]) + "\n"


def _heads(line: str, table: str) -> bool:
    name = r"\s*\.\s*".join(map(re.escape, table.split(".")))
    return re.match(rf"^\s*\[\s*{name}\s*\]\s*(#.*)?$", line) is not None


def _values(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _expected(values: dict[str, Any], table: list[str], key: str, value: str | float) -> dict[str, Any] | None:
    """The file's values with the key set; None if something else has the table's name."""
    if not table:
        return {**values, key: value}
    inner = values.get(table[0], {})
    nested = _expected(inner, table[1:], key, value) if isinstance(inner, dict) else None
    return None if nested is None else {**values, table[0]: nested}

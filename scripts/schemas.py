"""Writes the JSON schemas of records and configuration, and the tables of the pages about them.

    .venv/bin/python scripts/schemas.py [--check]

``--check`` writes nothing, names what is out of date, and leaves with 1 where something is.
"""

import argparse
import inspect
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from paragone.domain.config_values import SECTIONS
from paragone.domain.content import PoolSize
from paragone.domain.parameter import SYNONYMS, meanings, parameters
from paragone.domain.record import FrozenDict, Record
from paragone.domain.records.wire import RECORDS
from paragone.domain.tournament_config import RankingConfig, TournamentConfig, TournamentSystemConfig
from paragone.memory.store.config import keys_of, sections_of, toml_value
from paragone.memory.store.lines import LOGS, LogLine, ResultRow

TOP = Path(__file__).parents[1]
SCHEMAS = TOP / "docs" / "schemas"
REFERENCE = TOP / "docs" / "reference"
CONFIGURATIONS: tuple[type[Record], ...] = (TournamentConfig, TournamentSystemConfig, RankingConfig)
LINES: tuple[type[LogLine], ...] = tuple(LOGS.values())
FILE = "tournament-file"
"""The schema of a file of parameters: the sections, the Ranking Agent specification's names, and bare names."""

Schema = dict[str, Any]


class Generator(GenerateJsonSchema):
    """pydantic's, which knows no default that is a table that cannot be changed."""

    def encode_default(self, dft: Any) -> Any:
        """A default as a JSON value."""
        return super().encode_default(dict(dft) if isinstance(dft, FrozenDict) else dft)


def schema_of(kind: type[Record] | type[LogLine]) -> Schema:
    """The JSON schema of a record, a configuration or a line of a log, with what each field means."""
    schema = TypeAdapter(kind).json_schema(schema_generator=Generator)
    classes = {each.__name__: each for each in (*RECORDS, *CONFIGURATIONS, *SECTIONS.values(), *_OF_LINES)}
    for name, part in {**schema.get("$defs", {}), kind.__name__: schema}.items():
        if name in classes:
            _describe(part, classes[name])
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _describe(part: Schema, kind: type[object]) -> None:
    part["description"] = (inspect.getdoc(kind) or "").partition("\n\nAttributes:")[0]
    said = {name: words for each in reversed(kind.__mro__) for name, words in meanings(each).items()}
    for name, described in part["properties"].items():
        described.pop("title", None)
        if described.get("format") == "date-time":
            described.pop("default", None)  # the empty time is no time
        if name in said:
            described["description"] = said[name]
        if kind in SECTIONS.values() or kind is RankingConfig:
            keys = parameters(kind)[name].keys
            if keys:
                others = [other for other, meant in SYNONYMS.items() if meant in keys]
                described["propertyNames"] = {"enum": [*map(str, keys), *others]}


_OF_LINES: tuple[type[object], ...] = (*LINES, ResultRow, PoolSize)


def file_schema() -> Schema:
    """The JSON schema of a file of parameters."""
    whole, ranking = schema_of(TournamentSystemConfig), schema_of(RankingConfig)
    bare = {
        name: described
        for part in (*(whole["$defs"][kind.__name__] for kind in SECTIONS.values()), ranking)
        for name, described in part["properties"].items()
    }
    own = {name: described for name, described in ranking.items() if name not in ("$schema", "$defs")}
    properties = {**whole["properties"], "ranking": {"$ref": "#/$defs/RankingConfig"}, **bare}
    said = "A tournament's parameters: by section, in ranking under the Ranking Agent's names, or by bare name."
    return {
        **whole,
        "$defs": {**whole["$defs"], **ranking.get("$defs", {}), "RankingConfig": own},
        "title": "A tournament's parameters",
        "description": said,
        "properties": properties,
    }


def file_name(kind: type[object]) -> str:
    """Name of a class's schema, such as ``elo-update``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", kind.__name__).lower()


def written() -> Iterator[tuple[Path, str]]:
    """Every file that is made here, with what it holds."""
    for kind in (*CONFIGURATIONS, *RECORDS):
        yield SCHEMAS / f"{file_name(kind)}.json", _json(schema_of(kind))
    for line in LINES:
        yield SCHEMAS / f"{file_name(line)}.json", _json(schema_of(line))
    yield SCHEMAS / f"{FILE}.json", _json(file_schema())
    pages = {"records.md": _records(), "tournament-config.md": _configuration(), "memory-store.md": _store()}
    for page, made in pages.items():
        yield REFERENCE / page, _filled((REFERENCE / page).read_text("utf-8"), made)


def _json(schema: Schema) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _filled(page: str, made: str) -> str:
    """A page with what stands between its two marks made anew."""
    before, begin, rest = page.partition("<!-- made by scripts/schemas.py -->\n")
    _, end, after = rest.partition("<!-- end -->")
    if not begin or not end:
        sys.exit("a page lacks the marks between which its tables go")
    return before + begin + "\n" + made + "\n" + end + after


def _records() -> str:
    return "\n".join("\n".join(_record(kind)) for kind in RECORDS)


def _record(kind: type[Record] | type[LogLine]) -> Iterator[str]:
    schema = schema_of(kind)
    yield f"### {kind.__name__}\n"
    yield from _fields(kind, schema)


def _fields(kind: type[object], schema: Schema) -> Iterator[str]:
    said = schema["description"].replace("\n\n", " ").replace("\n", " ").replace("``", "`")
    yield f"{said} [Schema](../schemas/{file_name(kind)}.json)\n"
    yield from _table(schema, schema)


def _table(part: Schema, schema: Schema) -> Iterator[str]:
    yield "| field | holds | default | is |\n|---|---|---|---|"
    for name, described in part["properties"].items():
        default = "required" if name in part.get("required", ()) else _default(described)
        words = described.get("description", "").replace("``", "`").replace("|", "\\|")
        yield f"| `{name}` | {_kind(described, schema)} | {default} | {words} |"
    yield ""


def _default(described: Mapping[str, Any]) -> str:
    return f"`{json.dumps(described['default'])}`" if "default" in described else "empty"


_PLAIN = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false", "null": "null"}


def _kind(described: Mapping[str, Any], schema: Schema) -> str:
    """What a field holds, in words."""
    if "$ref" in described:
        name = described["$ref"].rpartition("/")[2]
        of = schema.get("$defs", {}).get(name, {})
        if "enum" in of:
            return ", ".join(f"`{value}`" for value in of["enum"])
        return f"[{name}](#{name.lower()})" if of.get("type") == "object" and name in _LISTED else name
    if "anyOf" in described:
        return " or ".join(_kind(part, schema) for part in described["anyOf"])
    if described.get("type") == "array":
        if "prefixItems" in described:
            return f"[{', '.join(_kind(part, schema) for part in described['prefixItems'])}]"
        return f"list of {_kind(described['items'], schema)}"
    if described.get("type") == "object":
        values = described.get("additionalProperties")
        return f"table of {_kind(values, schema)}" if isinstance(values, dict) else "table"
    return _plain(described)


def _plain(described: Mapping[str, Any]) -> str:
    if "enum" in described:
        return ", ".join(f"`{value}`" for value in described["enum"])
    if described.get("format") == "date-time":
        return "time, ISO 8601"
    return _PLAIN.get(described.get("type", ""), "anything")


_LISTED = {kind.__name__ for kind in (*RECORDS, *_OF_LINES)}


def _configuration() -> str:
    return "\n".join("\n".join(_section(name, kind)) for name, kind in SECTIONS.items())


def _section(section: str, kind: type[Any]) -> Iterator[str]:
    yield f"### {section}\n"
    yield "| parameter | default | is | may be |\n|---|---|---|---|"
    for name, parameter in parameters(kind).items():
        default = parameter.default
        if isinstance(default, dict):
            shown = ", ".join(f"{key} {value:g}" for key, value in default.items())
        elif default is None or isinstance(default, bool | str):
            shown = "none" if default is None else json.dumps(default).strip('"')
        else:
            shown = f"{default:g}"
        yield f"| `{name}` | {shown} | {parameter.meaning.replace('``', '`')} | {parameter.words} |"
    yield ""


def _store() -> str:
    """The lines of a store's logs, and its configuration."""
    logs = [f"### {log}.jsonl\n\n" + "\n".join(_fields(kind, schema_of(kind))) for log, kind in LOGS.items()]
    parts = [f"### {kind.__name__}\n\n" + "\n".join(_part(kind)) for kind in (ResultRow, PoolSize)]
    keys = ["\n".join(_keys(section, kind)) for section, kind in sections_of().items()]
    return "\n".join(["## Lines\n", *logs, *parts, "## memory.toml\n", *keys])


def _part(kind: type[object]) -> Iterator[str]:
    schemas = (schema_of(line) for line in LINES)
    schema = next(each for each in schemas if kind.__name__ in each.get("$defs", {}))
    own = schema["$defs"][kind.__name__]
    yield own["description"].replace("\n\n", " ").replace("\n", " ").replace("``", "`") + "\n"
    yield from _table(own, schema)


def _keys(section: str, kind: type[Any]) -> Iterator[str]:
    """A section of a store's configuration."""
    yield f"### {section}\n"
    yield "| key | default | is |\n|---|---|---|"
    for name, meaning in keys_of(kind).items():
        default = toml_value(getattr(kind(), name)).replace("|", "\\|")
        yield f"| `{name}` | `{default}` | {meaning.replace('``', '`')} |"
    yield ""


def main() -> None:
    """Write everything, or check that it is up to date."""
    parser = argparse.ArgumentParser(description="The JSON schemas of records and configuration, and their pages.")
    parser.add_argument("--check", action="store_true", help="write nothing, name what is out of date")
    check = parser.parse_args().check
    wanted = dict(written())
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text("utf-8") != text]
    stray = [path for path in SCHEMAS.glob("*.json") if path not in wanted]
    for path in [*stale, *stray]:
        print(path.relative_to(TOP))
    if check:
        sys.exit(1 if stale or stray else 0)
    SCHEMAS.mkdir(exist_ok=True)
    for path in stale:
        path.write_text(wanted[path], "utf-8")
    for path in stray:
        path.unlink()


if __name__ == "__main__":
    main()

"""The published JSON schemas are those of the code, and hold for what it writes."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

import schemas
from paragone.domain import RankingConfig, TournamentConfig, TournamentSystemConfig
from paragone.domain.config_values import SECTIONS, values_of
from paragone.domain.records import (
    RECORDS,
    Comparison,
    EloUpdate,
    MatchRequest,
    RankingTask,
    SimilarityGraph,
    TaskType,
    as_values,
)

NOW = datetime(2026, 1, 5, tzinfo=UTC)
RECORDED = [
    MatchRequest(id="r", hypothesis_id="h", creation_timestamp=NOW),
    Comparison(score_a=0.5, score_b=1),
    SimilarityGraph(similarity_matrix={("a", "b"): 0.5}, recommended_matches=(("a", "b"),)),
    RankingTask(id="t", task_type=TaskType.GLOBAL_RANKING, tournament_parameters=TournamentConfig(), context={"a": 1}),
    EloUpdate(hypothesis_id="h", old_rating=1, new_rating=2, rating_change=1, match_id="m", timestamp=NOW,
              match_count=1, win_rate=0.5, confidence_interval=(1, 2)),
]  # fmt: skip


def complaint(value, schema, whole):
    """What a schema has against a value, by the words of JSON Schema that ours use; None where it has nothing."""
    if "$ref" in schema:
        return complaint(value, whole["$defs"][schema["$ref"].rpartition("/")[2]], whole)
    if "anyOf" in schema:
        found = [complaint(value, part, whole) for part in schema["anyOf"]]
        return None if None in found else found[0]
    if "enum" in schema and value not in schema["enum"]:
        return f"{value!r} is none of {schema['enum']}"
    kinds = {
        "object": dict,
        "array": list,
        "string": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
        "null": type(None),
    }
    wanted = schema.get("type")
    if wanted and (not isinstance(value, kinds[wanted]) or (isinstance(value, bool) and wanted != "boolean")):
        return f"{value!r} is no {wanted}"
    if isinstance(value, dict):
        return _complaint_of_object(value, schema, whole)
    if isinstance(value, list):
        fixed = schema.get("prefixItems", [])
        parts = [*fixed, *[schema.get("items", {})] * (len(value) - len(fixed))]
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            return f"{value!r} is too long or too short"
        found = (complaint(each, part, whole) for part, each in zip(parts, value, strict=True))
        return next(filter(None, found), None)
    if isinstance(value, int | float) and not (
        schema.get("minimum", value) <= value <= schema.get("maximum", value)
        and value > schema.get("exclusiveMinimum", value - 1)
    ):
        return f"{value!r} is out of its range"
    return None


def _complaint_of_object(value, schema, whole):
    properties, others = schema.get("properties", {}), schema.get("additionalProperties", {})
    if missing := set(schema.get("required", ())) - value.keys():
        return f"{missing} missing"
    names = schema.get("propertyNames", {}).get("enum", value)
    if (others is False and (unknown := value.keys() - properties.keys())) or (unknown := set(value) - set(names)):
        return f"{unknown} unknown"
    judged = ((each, properties.get(name, others)) for name, each in value.items())
    found = (complaint(each, part, whole) for each, part in judged if isinstance(part, dict))
    return next(filter(None, found), None)


def schema_of(kind):
    name = kind if isinstance(kind, str) else schemas.file_name(kind)
    return json.loads((schemas.SCHEMAS / f"{name}.json").read_text("utf-8"))


def against(value, kind):
    schema = schema_of(kind)
    return complaint(value, schema, schema)


def test_schemas_and_tables_are_up_to_date_or_make_schemas_writes_them():
    made = dict(schemas.written())
    assert [path.name for path, text in made.items() if not path.exists() or path.read_text("utf-8") != text] == []
    assert {path.name for path in schemas.SCHEMAS.iterdir()} == {path.name for path in made if path.suffix == ".json"}


def test_every_record_is_in_the_reference_with_every_field():
    page = (Path(schemas.REFERENCE) / "records.md").read_text("utf-8")
    for kind in RECORDS:
        section = re.split(rf"^### {kind.__name__}$", page, flags=re.MULTILINE)[1].split("\n### ")[0]
        assert [name for name in schema_of(kind)["properties"] if f"| `{name}` |" not in section] == []


def test_every_field_says_what_it_is():
    described = {kind: schema_of(kind)["properties"] for kind in (*RECORDS, TournamentConfig, RankingConfig)}
    silent = [(kind.__name__, name) for kind, fields in described.items() for name, field in fields.items()
              if not field.get("description")]  # fmt: skip
    assert silent == []


@pytest.mark.parametrize("record", RECORDED, ids=lambda record: type(record).__name__)
def test_what_is_written_meets_its_schema(record):
    assert against(as_values(record), type(record)) is None


def test_what_does_not_meet_the_schema_is_found():
    update = as_values(RECORDED[-1])
    for change in (
        {"elo": 1},
        {"old_rating": 1.5},
        {"win_rate": "1"},
        {"confidence_interval": [1]},
        {"old_rating": True},
    ):
        assert against({**update, **change}, EloUpdate), change
    assert against({name: value for name, value in update.items() if name != "match_id"}, EloUpdate)


class TestAFile:
    def test_the_defaults_meet_it(self):
        values = values_of(TournamentSystemConfig())
        assert against(values, TournamentSystemConfig) is None
        assert against(values, schemas.FILE) is None

    @pytest.mark.parametrize(
        "values",
        [
            {"ranking": {"initial_elo": 1300, "debate_rounds": {"elite": 4}}},
            {"k_factor": 24, "initial_elo": 1300, "debate_rounds": {"elite": 3}},
            {"policy": {"criteria_weights": {"merit": 2}, "on_timeout": "draw", "decay_days": None}},
        ],
    )
    def test_what_may_be_said_meets_it(self, values):
        assert against(values, schemas.FILE) is None

    @pytest.mark.parametrize(
        "values",
        [
            {"k_factor": 0},
            {"scheduling": {"matches_per_round": 0}},
            {"scheduling": {"matches_per_round": 2.5}},
            {"scheduling": {"rounds": 1}},
            {"ranking": {"initial_elo_rating": 1}},
            {"policy": {"debate_rounds": {"elite": 6}}},
            {"policy": {"debate_rounds": {"new": 3}}},
            {"policy": {"criteria_weights": {"beauty": 1}}},
            {"policy": {"on_timeout": "wait"}},
            {"pairing": {}},
        ],
    )
    def test_what_may_not_does_not(self, values):
        assert against(values, schemas.FILE)

    def test_defaults_are_those_of_the_code(self):
        whole = schema_of(TournamentSystemConfig)
        for section, kind in SECTIONS.items():
            said = {name: field["default"] for name, field in whole["$defs"][kind.__name__]["properties"].items()}
            assert said == values_of(TournamentSystemConfig())[section]

"""``memory.toml``: read with errors that name the key and the line, written with comments."""

import tomllib
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schemas
from paragone.domain.content import TruthSource, UsageConfig
from paragone.errors import InvalidConfig, UnreadableFile
from paragone.memory.store import MemoryConfig
from paragone.memory.store.config import (
    IndexConfig,
    LogConfig,
    PackConfig,
    PruneConfig,
    SearchRankingConfig,
    TierConfig,
    TruthConfig,
    as_toml,
    config_of,
    keys_of,
    read_config,
    sections_of,
)


@pytest.fixture
def read(tmp_path):
    def reading(text):
        (tmp_path / "memory.toml").write_text(text, "utf-8")
        return read_config(tmp_path / "memory.toml")

    return reading


def test_what_is_left_out_has_its_default(read):
    assert read("") == read("[ratings]\n") == MemoryConfig()
    found = read('[ratings]\nk_new = 24\n[tiers]\nhigh = ["docs/**"]\n')
    assert found.ratings == UsageConfig(k_new=24.0)
    assert isinstance(found.ratings.k_new, float)
    assert found.tiers == TierConfig(high=("docs/**",))


def test_a_table_keeps_the_defaults_of_what_it_leaves_out(read):
    found = read("[ratings.thresholds]\nagreement = 2\n").ratings.thresholds
    assert found == {**UsageConfig().thresholds, TruthSource.AGREEMENT: 2.0}
    assert all(isinstance(source, TruthSource) for source in found)
    assert read('[truth.authors]\n"src/**" = "anna"\n').truth.authors == {"src/**": "anna"}


def test_a_fresh_file_says_every_key_with_what_it_is_and_sets_none():
    text = as_toml(MemoryConfig())
    assert config_of(tomllib.loads(text)) == MemoryConfig()
    assert all(not table for table in tomllib.loads(text).values())
    for section, kind in sections_of().items():
        assert f"\n[{section}]\n" in text
        assert [name for name, meaning in keys_of(kind).items() if not meaning or f"# {name} = " not in text] == []


def test_every_line_that_is_commented_out_is_the_default():
    """Taking away the marks before keys changes nothing."""
    lines = as_toml(MemoryConfig()).splitlines()
    names = {each.name for kind in sections_of().values() for each in fields(kind)}
    live = [line[2:] if line.startswith("# ") and line[2:].partition(" = ")[0] in names else line for line in lines]
    values = tomllib.loads("\n".join(live))
    assert {section: set(table) for section, table in values.items()} == {
        section: set(keys_of(kind)) for section, kind in sections_of().items()
    }
    assert config_of(values) == MemoryConfig()


@pytest.mark.parametrize(
    ("ranking", "mode", "names"),
    [
        ('mode = "bounded"\nbound = 0.2\n', "learned", "ranking.mode (line 2) and ranking.bound (line 3)"),
        ('mode = "relevance"\n', "learned", "ranking.mode (line 2)"),
        ('bound = 7\nmode = "document"\n', "document", "ranking.bound (line 2)"),
    ],
)
def test_what_no_longer_applies_has_its_default_and_a_warning(read, caplog, ranking, mode, names):
    assert read(f"[ranking]\n{ranking}") == MemoryConfig(ranking=SearchRankingConfig(mode=mode))
    (warning,) = caplog.records
    assert f"memory.toml: {names} " in warning.getMessage()


PATTERNS = st.lists(st.text(max_size=6), max_size=3).map(tuple)


@given(
    st.builds(
        MemoryConfig,
        index=st.builds(IndexConfig, include=PATTERNS, gitignore=st.booleans(), decision_id=st.text()),
        tiers=st.builds(TierConfig, high=PATTERNS, default=st.sampled_from(["high", "medium", "low"])),
        ratings=st.builds(UsageConfig, zero_sum=st.booleans(), k_new=st.floats(1e-300, 1e300)),
        ranking=st.builds(
            SearchRankingConfig, mode=st.sampled_from(["learned", "document"]), rank_by=st.sampled_from(["elo", "need"])
        ),
        truth=st.builds(TruthConfig, ledger=st.text(), authors=st.dictionaries(st.text(), st.text(), max_size=3)),
        pack=st.builds(PackConfig, tokens=st.integers(1, 10**9)),
        prune=st.builds(PruneConfig, below=st.floats(0.0, 4000.0)),
        logs=st.builds(LogConfig, rotate_bytes=st.integers(1, 10**12)),
    )
)  # fmt: skip
def test_written_and_read_it_is_the_same(config):
    assert config_of(tomllib.loads(as_toml(config))) == config


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ("[ratngs]\n", "ratngs", "line 1: ratngs: no section is called 'ratngs'; did you mean ratings?"),
        ("\n[tiers]\nhihg = []\n", "tiers.hihg", "line 3: tiers.hihg: no key is called 'hihg'; did you mean high?"),
        ("[logs]\nxyz = 1\n", "logs.xyz", "no key is called 'xyz'; there are rotate_bytes"),
        ("pack = 7\n", "pack", "line 1: pack must be a table of keys, [pack], not 7"),
        ("[pack]\ntokens = 1.5\n", "pack.tokens", "line 2: pack.tokens must be a whole number, not 1.5"),
        ("[pack]\ntokens = true\n", "pack.tokens", "pack.tokens must be a whole number, not True"),
        ("[pack]\ntokens = -4\n", "pack.tokens", "pack.tokens is 1 or more, not -4"),
        ('[pack]\nmode = "both"\n', "pack.mode", "pack.mode must be 'budget' or 'tiers', not 'both'"),
        ("[index]\ngitignore = 1\n", "index.gitignore", "index.gitignore must be true or false, not 1"),
        ('[index]\ninclude = "src"\n', "index.include", "index.include must be a list of texts, not 'src'"),
        ("[index]\ninclude = [1]\n", "index.include", "index.include must be a text, not 1"),
        ("[index]\nchunk_tokens = 0\n", "index.chunk_tokens", "index.chunk_tokens is 1 or more, not 0"),
        ("[prune]\nstale_days = nan\n", "prune.stale_days", "prune.stale_days must be a number, not nan"),
        ("[prune]\nstale_days = -1\n", "prune.stale_days", "prune.stale_days is 0 or more, not -1.0"),
        ("[ranking]\nmode = 1\n", "ranking.mode", "line 2: ranking.mode must be 'learned' or 'document', not 1"),
        ("[ratings]\nfloor = 9\nk_new = 0\n", "ratings.k_new", "line 3: ratings: k_new must be positive, not 0.0"),
        ("[ratings]\nthresholds = 1\n", "ratings.thresholds", "ratings.thresholds must be a table, not 1"),
        (
            "[ratings.thresholds]\nsuplied = 1\n",
            "ratings.thresholds.suplied",
            "line 2: ratings.thresholds.suplied: no key is called 'suplied'; did you mean supplied?",
        ),
        (
            "[ratings.thresholds]\nsupplied = '1'\n",
            "ratings.thresholds.supplied",
            "line 2: ratings.thresholds.supplied must be a number, not '1'",
        ),
    ],
)
def test_what_is_wrong_is_named_with_line_and_key(read, text, key, words):
    with pytest.raises(InvalidConfig) as caught:
        read(text)
    assert words in str(caught.value)
    assert "memory.toml" in str(caught.value)
    assert caught.value.key == key


@pytest.mark.parametrize(("text", "words"), [("[pack\n", "not valid TOML"), ("a = 1\na = 2\n", "not valid TOML")])
def test_what_is_no_toml_is_refused_with_its_place(read, text, words):
    with pytest.raises(UnreadableFile, match=words):
        read(text)


def test_the_page_has_every_key_with_its_default():
    page = (schemas.REFERENCE / "memory-store.md").read_text("utf-8").partition("## memory.toml")[2]
    for section, kind in sections_of().items():
        part = page.partition(f"### {section}\n")[2].partition("\n### ")[0]
        assert [name for name in keys_of(kind) if f"| `{name}` | `" not in part] == []

"""R from each source: what is written down, what holds, and where the gate then stands."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from paragone.domain import ItemKind, RatingConfig, VerificationResult
from paragone.domain.content import Content, ContentKind, TruthSource
from paragone.errors import InvalidConfig, InvalidEvidence, InvalidRecord, NotFound, UnreadableFile
from paragone.ledger import Ledger
from paragone.memory import Memory
from paragone.memory.truth import LabelledContent, TruthEvidence, read_evidence, read_pairs

WORDS = ("bridge", "steel", "river", "wind", "load", "tea", "milk", "sugar", "cup", "spoon")


class Counted:
    """Vectors of how often each of ten words occurs."""

    name = "ten words"

    def embed(self, texts):
        return np.array([[text.lower().split().count(word) for word in WORDS] for text in texts], dtype=np.float32)


class Clock:
    """Tells a time that a test sets."""

    now = 1_770_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def memory(tmp_path):
    root = tmp_path / "root"
    (root / "docs").mkdir(parents=True)
    (root / "docs" / "bridge.md").write_text("# Bridge\n\nbridge steel bridge load\n")
    (root / "docs" / "tea.md").write_text("# Tea\n\ntea milk cup\n")
    (root / "span.py").write_text("def span(load):\n    return load\n")
    with Memory.create(root, embedder=Counted(), clock=Clock()) as opened:
        opened.index()
        yield opened


BRIDGE = "docs/bridge.md"
THREE = [
    TruthEvidence(text="bridge steel", source="ann"),
    TruthEvidence(text="bridge steel load", source="bob"),
    TruthEvidence(text="bridge bridge steel river", source="eve"),
]


def test_what_is_supplied_is_kept_and_taken_back(memory):
    line = memory.supply_truth(BRIDGE, 2.5, note="read by two")
    found = memory.rating(BRIDGE)

    assert (found.r, found.r_source, found.is_high) == (2.5, TruthSource.SUPPLIED, True)
    assert dict(line.detail) == {"note": "read by two"}
    memory.supply_truth(BRIDGE, None)
    assert memory.rating(BRIDGE).r is None


@pytest.mark.parametrize("r", [math.nan, math.inf])
def test_r_is_a_finite_number(memory, r):
    with pytest.raises(InvalidEvidence, match="finite"):
        memory.supply_truth(BRIDGE, r)


def test_independent_evidence_that_agrees_with_content_opens_its_gate(memory):
    found = memory.find_truth(BRIDGE, THREE)

    assert found.agreement.independent == 3
    assert found.line.detail["with_content"] is True
    assert found.line.detail["embedder"] == "ten words"
    assert memory.rating(BRIDGE).is_high is True
    assert memory.rating(BRIDGE).r == pytest.approx(found.line.r)


def test_evidence_about_something_else_leaves_r_unknown_and_says_so(memory):
    memory.find_truth("docs/tea.md", THREE)

    assert memory.rating("docs/tea.md").is_high is None
    reasons = memory.truth.reasons()
    assert reasons == {
        Content.file("docs/tea.md"): "0 independent of 3 pieces of evidence, 3 about something else; 3 are needed"
    }
    memory.find_truth("docs/tea.md", [TruthEvidence(text=f"tea milk cup {word}", source=word) for word in WORDS[:3]])
    assert memory.rating("docs/tea.md").is_high is not None
    assert memory.truth.reasons() == {}


def test_evidence_against_the_content_lowers_r(memory):
    supporting = memory.find_truth(BRIDGE, THREE).line.r
    denied = [*THREE, TruthEvidence(text="steel bridge river", source="dan", supports=False)]
    against = memory.find_truth(BRIDGE, denied)

    assert against.agreement.against == 1
    assert against.line.r < supporting
    assert memory.rating(BRIDGE).is_high is False


def test_evidence_alike_but_for_a_number_is_no_support(tmp_path):
    (tmp_path / "bridge.md").write_text("The steel bridge carries a load of 40 tons in wind.\n")
    texts = ["bridge load load 40", "steel bridge load 40 river", "bridge wind steel 40 cup"]
    agree = [TruthEvidence(text=text, source=text) for text in texts]
    other = TruthEvidence(text="The steel bridge carries a load of 90 tons in wind.", source="dan")
    with Memory.create(tmp_path, embedder=Counted()) as memory:
        memory.index()
        before = memory.find_truth("bridge.md", agree)
        after = memory.find_truth("bridge.md", [*agree, replace(other, text=f"{other.text} steel steel")])

    assert before.agreement.against == 0
    assert after.agreement.against == 1
    assert after.line.r < before.line.r


def test_five_copies_of_one_claim_do_not_open_the_gate(memory):
    copies = [TruthEvidence(text="bridge steel river", source=f"agent {number}") for number in range(5)]
    found = memory.find_truth(BRIDGE, copies)

    assert (found.line.r, found.agreement.independent) == (None, 1)
    assert memory.rating(BRIDGE).is_high is None


def test_three_texts_of_one_author_are_one_piece(memory):
    assert memory.find_truth(BRIDGE, [TruthEvidence(text=one.text, source="ann") for one in THREE]).line.r is None


def test_too_little_evidence_takes_back_what_agreement_said_before(memory):
    memory.find_truth(BRIDGE, THREE)
    memory.find_truth(BRIDGE, THREE[:2])

    assert memory.rating(BRIDGE).r is None


def test_no_evidence_at_all_is_too_little(memory):
    assert memory.find_truth(BRIDGE, []).line.r is None


def test_evidence_for_a_symbol_goes_by_what_the_symbol_says(memory):
    found = memory.find_truth("@span", [TruthEvidence(text=f"load {word}", source=word) for word in WORDS[:4]])

    assert found.line.entity_type is ContentKind.SYMBOL
    assert found.line.detail["with_content"] is True


def test_what_was_supplied_holds_before_what_was_found(memory):
    memory.find_truth(BRIDGE, THREE)
    memory.supply_truth(BRIDGE, 0.1)

    assert memory.rating(BRIDGE).is_high is False
    memory.supply_truth(BRIDGE, None)
    assert memory.rating(BRIDGE).is_high is True


def test_rebuilding_the_scores_finds_the_same_truth(memory):
    memory.find_truth(BRIDGE, THREE)
    memory.supply_truth("docs/tea.md", 0.5)
    before = memory.rating(BRIDGE), memory.rating("docs/tea.md")
    memory.rebuild()

    assert (memory.rating(BRIDGE), memory.rating("docs/tea.md")) == before


@pytest.fixture
def ledger(tmp_path):
    path = tmp_path / "agents.db"
    with Ledger.open(path) as opened:
        opened.pools.create("agents", RatingConfig(), kind=ItemKind.AGENT)
        opened.agents.record_test("agents", VerificationResult(id="v1", item="ann", verified=8))
        opened.agents.record_test(
            "agents", VerificationResult(id="v2", item="ann", verified=2, disproven=1, domain="math")
        )
        opened.agents.record_test("agents", VerificationResult(id="v3", item="bob", verified=1, disproven=4))
    return path


def configured(memory: Memory, ledger, authors: dict[str, str]) -> Memory:
    """The same store, with a ledger and authors in its configuration."""
    table = "\n".join(f'"{pattern}" = "{agent}"' for pattern, agent in authors.items())
    path = memory.store.path / "memory.toml"
    text = path.read_text().replace("[truth]\n", f'[truth]\nledger = "{ledger}"\n')
    path.write_text(f"{text}\n[truth.authors]\n{table}\n")
    return Memory.open(memory.root, embedder=Counted(), clock=Clock())


def test_claims_speak_for_what_their_agents_wrote(memory, ledger):
    with configured(memory, ledger, {"docs/bridge.md": "ann", "docs/**": "bob", "*.py": "nobody"}) as opened:
        found = opened.truth.from_claims()
        bridge, tea, span = (opened.rating(one) for one in (BRIDGE, "docs/tea.md", "span.py"))

    assert found.files == 3
    assert {agent: (one.verified, one.disproven) for agent, one in found.checked.items()} == {
        "ann": (10, 1),
        "bob": (1, 4),
        "nobody": (0, 0),
    }
    assert (bridge.is_high, bridge.r_source) == (True, TruthSource.VERIFICATION)
    assert bridge.r == pytest.approx(0.6613, abs=1e-4)  # Beta(11, 2) is below it with a probability of 0.05
    assert tea.is_high is False
    assert span.is_high is None


def test_claims_read_again_write_nothing_and_authors_that_are_gone_take_r_with_them(memory, ledger):
    with configured(memory, ledger, {"docs/**": "ann"}) as opened:
        assert len(opened.truth.from_claims().lines) == 2
        assert opened.truth.from_claims().lines == ()
    path = memory.store.path / "memory.toml"
    path.write_text(path.read_text().replace('"docs/**"', '"docs/tea.md"'))
    with Memory.open(memory.root, embedder=Counted(), clock=Clock()) as opened:
        (line,) = opened.truth.from_claims().lines
        assert (line.entity_id, line.r) == (BRIDGE, None)
        assert opened.rating(BRIDGE).r is None


def test_without_a_ledger_claims_say_what_to_configure(memory):
    with pytest.raises(InvalidConfig, match=r"\[truth\.authors\]"):
        memory.truth.from_claims()


def test_a_ledger_that_is_not_there_is_not_made(memory, tmp_path):
    with configured(memory, tmp_path / "none.db", {"**": "ann"}) as opened, pytest.raises(NotFound, match=r"none\.db"):
        opened.truth.from_claims()
    assert not (tmp_path / "none.db").exists()


def labelled(true: list[float], false: list[float]) -> list[LabelledContent]:
    return [LabelledContent(true=True, r=r) for r in true] + [LabelledContent(true=False, r=r) for r in false]


def test_a_calibrated_threshold_goes_into_memory_toml_and_moves_the_gate(memory):
    truth = memory.components.truth
    memory.find_truth(BRIDGE, THREE)
    r = memory.rating(BRIDGE).r
    found = truth.calibrate(labelled([r + 2.0] * 12, [r + 1.0] * 12))
    path = memory.store.path / "memory.toml"
    before = path.read_text()
    truth.apply_threshold(found)

    assert found.threshold == pytest.approx(r + 1.5)
    assert path.read_text().startswith(before.rstrip())
    assert path.read_text().endswith(truth.lines_of(found))
    assert "ten words" in path.read_text()
    with Memory.open(memory.root, embedder=Counted(), clock=Clock()) as opened:
        assert opened.store.config.ratings.thresholds[TruthSource.AGREEMENT] == found.threshold
        assert opened.store.config.ratings.thresholds[TruthSource.SUPPLIED] == math.sqrt(3.0)
        assert opened.rating(BRIDGE).is_high is False


def test_a_threshold_is_replaced_in_its_place(memory):
    truth, path = memory.components.truth, memory.store.path / "memory.toml"
    truth.apply_threshold(truth.calibrate(labelled([3.0] * 10, [1.0] * 10)))
    truth.apply_threshold(truth.calibrate(labelled([30.0] * 10, [10.0] * 10)), TruthSource.SUPPLIED)
    truth.apply_threshold(truth.calibrate(labelled([5.0] * 10, [3.0] * 10)))
    with Memory.open(memory.root) as opened:
        thresholds = opened.store.config.ratings.thresholds

    assert (thresholds[TruthSource.AGREEMENT], thresholds[TruthSource.SUPPLIED]) == (4.0, 20.0)
    assert path.read_text().count("[ratings.thresholds]") == 1


def test_thresholds_in_another_form_are_left_as_they_are(memory):
    truth, path = memory.components.truth, memory.store.path / "memory.toml"
    text = path.read_text().replace("# thresholds = {", "thresholds = {")
    path.write_text(text)
    with pytest.raises(InvalidConfig, match=r"agreement = 2\.0"):
        truth.apply_threshold(truth.calibrate(labelled([3.0] * 10, [1.0] * 10)))
    assert path.read_text() == text


def test_without_a_threshold_nothing_is_put_into_use(memory):
    truth = memory.components.truth
    found = truth.calibrate(labelled([3.0] * 3, [1.0] * 3))

    assert truth.lines_of(found) == ""
    with pytest.raises(InvalidEvidence, match="too few"):
        truth.apply_threshold(found)


def test_pairs_may_be_given_as_evidence(memory, tmp_path):
    path = tmp_path / "pairs.jsonl"
    agree = [{"text": one.text, "source": one.source} for one in THREE]
    rows = [{"text": "bridge steel", "evidence": agree, "true": True}] * 11
    rows += [{"text": "tea milk", "evidence": agree, "true": False}] * 11
    rows += [{"text": "tea", "evidence": agree[:2], "true": True}]  # R is unknown
    path.write_text("\n".join(map(json.dumps, rows)))
    found = memory.components.truth.calibrate(read_pairs(path))

    # near copies of the claim are no evidence for it, and evidence about something else says nothing of the other
    assert (found.true, found.false, found.auc) == (0, 0, None)


def test_the_board_has_the_lowest_r_first_and_the_unknown_by_use(memory):
    memory.supply_truth(BRIDGE, 3.0)
    memory.supply_truth("docs/tea.md", 0.5)
    memory.read("span.py")
    board = memory.components.truth.board()

    assert [one.content.id for one in board.known] == ["docs/tea.md", BRIDGE]
    assert [(one.content.id, one.uses) for one in board.unknown] == [("span.py", 1)]


def test_evidence_is_read_from_json_lines_by_content(tmp_path):
    path = tmp_path / "evidence.jsonl"
    path.write_text('{"content": "a", "text": "x", "source": "s"}\n\n{"content": "b", "text": "y"}\n'
                    '{"content": "a", "text": "z"}\n')  # fmt: skip

    assert read_evidence(path) == {
        "a": [TruthEvidence(text="x", source="s"), TruthEvidence(text="z")],
        "b": [TruthEvidence(text="y")],
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "evidence.jsonl:1 is not valid JSON"),
        ("[1]", "evidence.jsonl:1 is not a JSON object"),
        ("[" * 100_000, "evidence.jsonl:1"),
        ('{"text": "x"}', 'evidence.jsonl:1: "content" must be a text'),
        ('\n{"content": "a", "text": 3}', 'evidence.jsonl:2: "text" must be a text'),
        ('{"content": "a", "text": "x", "source": null}', '"source" must be a text'),
    ],
)
def test_lines_that_are_no_evidence_are_named(tmp_path, text, said):
    path = tmp_path / "evidence.jsonl"
    path.write_text(text)
    with pytest.raises(InvalidRecord, match=said):
        read_evidence(path)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"r": 1.0}, '"true" must be true or false'),
        ({"true": True}, 'give "r", a finite number, or "evidence"'),
        ({"true": True, "r": True}, 'give "r", a finite number'),
        ({"true": True, "evidence": ["x"]}, "a list of objects"),
    ],
)
def test_lines_that_are_no_pairs_are_named(tmp_path, row, said):
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps(row))
    with pytest.raises(InvalidRecord, match=said):
        read_pairs(path)


def test_files_that_cannot_be_read_say_so(tmp_path):
    with pytest.raises(UnreadableFile, match="no such file"):
        read_pairs(tmp_path / "none.jsonl")
    (tmp_path / "bad.jsonl").write_bytes(b"\xff")
    with pytest.raises(UnreadableFile, match="UTF-8"):
        read_pairs(tmp_path / "bad.jsonl")


def test_content_is_told_apart_by_its_kind(memory):
    memory.supply_truth(Content(kind=ContentKind.SYMBOL, id="@span.py::span", path="span.py"), 5.0)

    assert memory.rating("@span").r == 5.0
    assert memory.rating("span.py").r is None

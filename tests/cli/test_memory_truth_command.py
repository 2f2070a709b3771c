"""``paragone memory truth`` and ``dashboard``, as a person types them."""

import json

import pytest

from paragone.domain import ItemKind, RatingConfig, VerificationResult
from paragone.ledger import Ledger
from paragone.memory import Memory

CLAIM = "The bridge of steel carries forty tons of load across the river."
SAID = [
    ("ann", "Engineers measured that the steel bridge carries forty tons across the river."),
    ("bob", "The load limit of the river bridge, made of steel, is forty tons."),
    ("eve", "Forty tons may cross the bridge; its steel holds that load."),
]


@pytest.fixture
def remembered(home, prepared):
    """A folder that is remembered, with a claim and something else in it."""

    def index():
        (home / "bridge.md").write_text(f"# Bridge\n\n{CLAIM}\n")
        (home / "tea.md").write_text("# Tea\n\nMilk goes in first, then sugar.\n")
        with Memory.create(home) as memory:
            memory.index(vectors=False)

    return prepared(index)


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_r_is_supplied_shown_and_taken_back(paragone, remembered):
    supplied = paragone("memory", "truth", "bridge.md", "--r", "2.5", "--note", "measured")
    assert (supplied.code, supplied.out) == (0, "bridge.md: R 2.5 supplied\n")
    shown = paragone("memory", "truth", "bridge.md", "--json").json
    assert (shown["r"], shown["r_source"], shown["is_high"]) == (2.5, "supplied", True)
    board = paragone("memory", "truth")
    assert "R high of 1, low of 0, unknown of 3" in board.out
    back = paragone("memory", "truth", "bridge.md", "--withdraw", "--json").json
    assert (back["r"], back["source"]) == (None, "supplied")
    assert paragone("memory", "truth", "bridge.md", "--json").json["r"] is None


def test_unknown_content_is_listed(paragone, remembered):
    found = paragone("memory", "truth", "--unknown", "--json", "--limit", "2").json
    assert (found["known"], found["unknown"], len(found["rows"])) == (0, 4, 2)
    assert all(row["r"] is None for row in found["rows"])


def test_evidence_that_agrees_opens_the_gate_and_copies_do_not(paragone, remembered):
    agree = [{"content": "bridge.md", "text": text, "source": who} for who, text in SAID]
    copies = [{"content": "tea.md", "text": SAID[0][1], "source": f"agent {one}"} for one in range(5)]
    done = paragone("memory", "truth", "--evidence", lines(remembered / "e.jsonl", [*agree, *copies]))

    assert done.code == 0, done.err
    first, second = done.out.splitlines()
    assert first.startswith("bridge.md: R ")
    assert first.endswith("of 3 independent pieces of 3")
    assert second == ("tea.md: R unknown: 0 independent of 5 pieces of evidence, 5 about something else; 3 are needed")
    assert paragone("memory", "truth", "bridge.md", "--json").json["is_high"] is True
    assert paragone("memory", "truth", "tea.md", "--json").json["is_high"] is None


def test_evidence_for_content_that_is_not_there_writes_nothing(paragone, remembered):
    rows = [{"content": name, "text": text, "source": who} for name in ("bridge.md", "none.md") for who, text in SAID]
    done = paragone("memory", "truth", "--evidence", lines(remembered / "e.jsonl", rows))

    assert done.code == 2
    assert "none.md" in done.err
    assert not (remembered / ".paragone" / "logs" / "truth_log.jsonl").exists()


def test_claims_of_authors_count(paragone, remembered):
    with Ledger.open(remembered / "agents.db") as ledger:
        ledger.pools.create("agents", RatingConfig(), kind=ItemKind.AGENT)
        ledger.agents.record_test("agents", VerificationResult(id="v", item="ann", verified=9))
    path = remembered / ".paragone" / "memory.toml"
    path.write_text(
        path.read_text().replace("[truth]\n", '[truth]\nledger = "agents.db"\n') + '\n[truth.authors]\n"*.md" = "ann"\n'
    )
    done = paragone("memory", "truth", "--claims")

    assert done.out == ("ann: 9 claims proven, 0 disproven\n2 files with an author; R of 2 has changed\n")
    assert paragone("memory", "truth", "--claims", "--json").json["changed"] == []
    assert paragone("memory", "truth", "tea.md", "--json").json["is_high"] is True


def test_claims_that_are_not_configured_say_what_to_write(paragone, remembered):
    done = paragone("memory", "truth", "--claims")
    assert done.code == 2
    assert "[truth.authors]" in done.err


def pairs(folder, true, false):
    rows = [{"r": r, "true": True} for r in true] + [{"r": r, "true": False} for r in false]
    return lines(folder / "pairs.jsonl", rows)


def test_a_threshold_is_told_with_the_lines_to_put_it_into_use(paragone, remembered):
    path = pairs(remembered, [3.0 + one / 10 for one in range(20)], [1.0 + one / 10 for one in range(20)])
    done = paragone("memory", "truth", "--calibrate", path)

    assert done.code == 0, done.err
    assert "20 true and 20 false ones" in done.out
    assert "threshold 2.950" in done.out
    assert "beware: fewer than 30 of a kind" in done.out
    assert "[ratings.thresholds]\nagreement = 2.95" in done.out
    assert "[ratings.thresholds]" not in (remembered / ".paragone" / "memory.toml").read_text()


def test_a_threshold_is_written_when_asked(paragone, remembered):
    path = pairs(remembered, [3.0] * 12, [1.0] * 12)
    done = paragone("memory", "truth", "--calibrate", path, "--write", "--source", "verification", "--json")

    assert (done.json["threshold"], done.json["written"]) == (2.0, True)
    with Memory.open(remembered) as memory:
        assert memory.store.config.ratings.thresholds["verification"] == 2.0


def test_pairs_that_do_not_tell_write_nothing(paragone, remembered):
    path = pairs(remembered, [1.0, 2.0] * 8, [1.0, 2.0] * 8)
    done = paragone("memory", "truth", "--calibrate", path, "--write")

    assert done.code == 2
    assert "does not tell true from false" in done.err
    assert "no threshold" in paragone("memory", "truth", "--calibrate", path).out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--r", "2"], "--r needs CONTENT"),
        (["bridge.md", "--r", "2", "--withdraw"], "give one of --r and --withdraw, not both"),
        (["bridge.md", "--claims"], "--claims takes no CONTENT"),
        (["--write"], "--write changes nothing without --calibrate"),
        (["bridge.md", "--note", "x"], "--note changes nothing without --r"),
        (["bridge.md", "--r", "nan"], "finite"),
        (["brigde.md"], "did you mean 'bridge.md'?"),
        (["--calibrate", "none.jsonl"], "none.jsonl: no such file"),
    ],
)
def test_what_cannot_be_is_refused(paragone, remembered, arguments, said):
    done = paragone("memory", "truth", *arguments)
    assert done.code == 2
    assert said in " ".join(done.err.split())


def test_the_dashboard_is_written_and_told(paragone, remembered):
    paragone("memory", "truth", "bridge.md", "--r", "0.5")
    done = paragone("memory", "dashboard", "--out", "page.html", "--json")

    assert done.code == 0, done.err
    assert "wrote page.html" in done.err
    assert done.json["pools"]["file"]["quadrants"]["prune candidate"] == 1
    assert "R against Elo" in (remembered / "page.html").read_text()
    told = paragone("memory", "dashboard")
    assert "prune candidate: 1" in told.out


def test_a_dashboard_of_another_format_is_refused(paragone, remembered):
    done = paragone("memory", "dashboard", "--out", "page.pdf")
    assert done.code == 2
    assert "end the name in one of these" in done.err


def test_r_arises_from_tests_and_from_a_judge_and_says_why_it_is_unknown(paragone, remembered, monkeypatch):
    (remembered / "report.json").write_text(
        '[{"file": "tea.md", "test": "brews", "passed": false}, {"file": "x", "passed": true}]'
    )
    done = paragone("memory", "truth", "tests", str(remembered / "report.json"))
    assert "2 results, 1 of them about no indexed file: R of 1 file" in done.out
    assert "0 passed, 1 failed: brews" in done.out
    assert paragone("memory", "truth", "tea.md", "--json").json["r_source"] == "tests"
    assert "no test, evidence or judge has spoken about it" in paragone("memory", "truth", "--unknown").out
    wrong = paragone("memory", "truth", "tests", str(remembered / "absent.xml"))
    assert (wrong.code, "absent.xml cannot be read" in wrong.err) == (2, True)
    (remembered / "a.md").write_text("The kettle boils 3 litres of water.\n")
    (remembered / "b.md").write_text("The kettle boils 5 litres of water.\n")
    paragone("memory", "index", "--no-vectors")
    assert "1 pair of sentences to ask about" in paragone("memory", "truth", "judge", "--dry-run").out
    refused = paragone("memory", "truth", "judge", "--judge", "nobody:at:all")
    assert refused.code == 2
    values = paragone("memory", "truth", "judge", "--judge", "python:operator:lt", "--json")
    assert values.json["asked"][0]["contradict"] is None


def test_a_name_that_is_no_command_is_content(paragone, remembered):
    assert "tea.md" in paragone("memory", "truth", "tea.md").out
    assert "tea.md" in paragone("memory", "truth", "show", "tea.md").out
    shown = paragone("memory", "truth", "--help")
    assert all(word in shown.out for word in ("show", "tests", "history", "judge"))

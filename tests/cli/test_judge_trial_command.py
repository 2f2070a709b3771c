"""``paragone judges test``: judges and templates on labelled pairs, side by side."""

import json

import pytest

import scripted_endpoint
from paragone.analysis.quality.judge_trial import LabelledPair, TrialAnswer, trial_figures
from paragone.domain import Choice, Item, Verdict

JUDGES = """
import itertools

calls = itertools.count()

def first(a, b, criteria):
    return "first"

def longer(a, b, criteria):
    next(calls)
    return "first" if len(a.text) > len(b.text) else "second"

def fickle(a, b, criteria):
    return ("first", "second")[next(calls) % 2]

def down(a, b, criteria):
    raise ValueError("no\\x1b[2J") if next(calls) % 4 else TimeoutError("late")
"""
TEMPLATE = """Compare.
{{ dossier_rules }}{{ scores }}
---
{{ dossier }}{{ criteria }}. Mark of this comparison: {{ mark }}
[BEGIN FIRST {{ mark }}]
{{ first }}
[END FIRST {{ mark }}]{{ first_notes }}
[BEGIN SECOND {{ mark }}]
{{ second }}
[END SECOND {{ mark }}]{{ second_notes }}
"""


def answer(pair, a_first, choice, repeat=0):
    verdict = Verdict(choice=choice, judge="j", error="x" if choice is Choice.FAILED else "")
    return TrialAnswer(pair=pair, a_first=a_first, repeat=repeat, verdict=verdict)


def test_the_figures_by_hand():
    one, two = Item(id="1", text="long text"), Item(id="2", text="short")
    pairs = [LabelledPair(a=one, b=two, a_is_better=True), LabelledPair(a=two, b=one, a_is_better=True)]
    pairs.append(LabelledPair(a=one, b=one, a_is_better=False))
    figures = trial_figures(
        pairs,
        [
            answer(0, True, Choice.FIRST),  # right, first, longer
            answer(0, False, Choice.SECOND),  # right, second, longer
            answer(1, True, Choice.FIRST),  # right, first, shorter
            answer(1, False, Choice.FIRST),  # wrong, first, longer
            answer(2, True, Choice.TIE),  # half
            answer(2, False, Choice.FAILED),
            answer(0, True, Choice.FIRST, 1),  # the same again
            answer(1, False, Choice.SECOND, 1),  # another one
            answer(2, True, Choice.ABSTAIN, 1),
        ],
    )
    assert (figures.agreement.share, figures.agreement.count) == (pytest.approx(2 / 3), 3)  # 1, 1/2 and 1/2
    assert (figures.first.share, figures.first.count) == (0.75, 4)
    assert (figures.longer.share, figures.longer.count, figures.longer_labels) == (0.75, 4, 0.5)
    assert (figures.ties.share, figures.orders.share, figures.orders.count) == (0.2, 0.5, 2)
    assert (figures.repeats.share, figures.repeats.count) == (0.5, 2)
    assert (figures.abstained, figures.failed, figures.reasons) == (0, 1, {"x": 1})
    # Wilson's interval of 2 of 3, from its formula.
    assert (figures.agreement.low, figures.agreement.high) == (
        pytest.approx(0.2077, abs=1e-4),
        pytest.approx(0.9385, abs=1e-4),
    )
    nothing = trial_figures(pairs, [])
    assert (nothing.agreement.share, nothing.agreement.low, nothing.agreement.high) == (None, 0.0, 1.0)


@pytest.fixture
def labelled(home):
    """Forty pairs, winner first; the winner has the larger number, and is the longer text in every other pair."""
    (home / "mine.py").write_text(JUDGES)
    rows = []
    for n in range(40):
        better, worse = f"{20 + n} is better{' indeed' * (n % 2)}", f"{n % 9} is {'much ' * (1 - n % 2)}worse"
        rows.append({"chosen": better, "rejected": worse})
    rows.append({"chosen": "same", "rejected": "same"})
    (home / "pairs.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return home


def test_judges_stand_side_by_side(labelled, paragone):
    seen = paragone("judges", "test", "python:mine:first", "python:mine:longer", "python:mine:fickle",
                    "--labelled", "pairs.jsonl", "--concurrency", 1)  # fmt: skip
    assert seen.code == 0, seen.err
    assert "1 of 41 rows skipped: pairs.jsonl, line 41" in seen.err.replace("\n", " ")
    lines = {line.split()[0]: line for line in seen.out.splitlines() if line.startswith("python")}
    assert "50.0%" in lines["python:mine:first"]
    assert "100%" in lines["python:mine:first"], "always the first"
    assert "40 pairs in both orders" in seen.out
    values = paragone("judges", "test", "python:mine:first", "python:mine:longer", "--labelled", "pairs.jsonl", "-n", 8,
                      "--again", 3, "--quiet", "--json").json  # fmt: skip
    first, longer = values
    assert (first["agreement"]["share"], first["first"]["share"], first["orders"]["share"]) == (0.5, 1.0, 0.0)
    assert (longer["longer"]["share"], longer["orders"]["share"], longer["repeats"]["share"]) == (1.0, 1.0, 1.0)
    assert (longer["pairs"], longer["repeats"]["count"], longer["first"]["share"]) == (8, 3, 0.5)
    assert longer["agreement"]["share"] == longer["longer_labels"]


def test_a_template_is_tested_for_the_model_and_a_later_test_asks_nothing_again(labelled, paragone, serve_model):
    endpoint = serve_model(scripted_endpoint.Model())
    (labelled / "own.jinja").write_text(TEMPLATE)
    model = f"llm:m@{endpoint.url}"
    command = ["judges", "test", model, "own.jinja", "--judge", model, "--labelled", "pairs.jsonl", "--price", 1, 10,
               "-n", 6, "--again", 2, "--goal", "Cure it.", "--rubric", "novelty", "--answers", "answers.jsonl",
               "--quiet", "--json"]  # fmt: skip
    plain, own = paragone(*command).json
    assert plain["agreement"]["share"] == own["agreement"]["share"] == 1.0
    assert plain["judge"] != own["judge"]
    assert plain["prompt_hash"] != own["prompt_hash"]
    assert plain["dollars_per_decision"] > 0 < own["tokens_per_decision"]
    sent = endpoint.count.requests
    assert sent == 2 * (12 + 2)
    assert all("Cure it." in body["messages"][1]["content"] for body in endpoint.seen)
    with (labelled / "answers.jsonl").open("ab") as file:
        file.write(b'{"key": "cut')  # killed while it wrote
    again = paragone(*command).json
    assert endpoint.count.requests == sent
    assert again == [plain, own], "cost is what the answers took, whenever they were asked"
    (labelled / "answers.jsonl").write_text('{"a": 1}\n{"b": 2}\n')
    wrong = paragone(*command)
    assert (wrong.code, "answers.jsonl, line 1" in wrong.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["own.jinja"], "no judge: give --judge"),
        (["own.jinja", "--judge", "python:mine:first"], "is a template: name the model"),
        (["broken.jinja", "--judge", "llm:m@http://127.0.0.1:1/v1"], "lacks {{ first }}"),
        (["lost.jinja", "--judge", "llm:m@http://127.0.0.1:1/v1"], "no such file"),
        (["python:mine:first", "--items", "items.csv"], "is not among the items"),
        (["python:mine:first", "--rubric", "noveltie"], "did you mean novelty"),
        (["llm:m@http://127.0.0.1:1/v1"], "no connection"),
        (["nobody:x"], "there is no judge"),
        (["python:mine:first", "--judge", "llm:m"], "--judge is the model of templates, and none is named"),
    ],
)
def test_bad_input_is_refused_with_a_reason(labelled, paragone, monkeypatch, arguments, words):
    monkeypatch.delenv("PARAGONE_JUDGE", raising=False)
    (labelled / "own.jinja").write_text(TEMPLATE)
    (labelled / "broken.jinja").write_text(TEMPLATE.replace("{{ first }}", ""))
    seen = paragone("judges", "test", *arguments, "--labelled", "pairs.jsonl", "--attempts", 1)
    assert seen.code in (1, 2)
    assert words in seen.err


def test_votes_without_a_label_are_left_out_and_a_judge_that_fails_is_counted(labelled, paragone):
    (labelled / "votes.csv").write_text("a,b,winner\nh1,h2,a\nh2,h1,b\nh1,h3,tie\nh4,h5,h5\n")
    seen = paragone("judges", "test", "python:mine:down", "--labelled", "votes.csv", "--items", "items.csv",
                    "--attempts", 1, "--again", 0)  # fmt: skip
    assert "left out: 1 pair without a label\n" in seen.err
    assert seen.code == 0
    assert "2 pairs in both orders" in seen.out
    reasons = "mine:down raised ValueError: no [2J (3); mine:down raised TimeoutError: late (1)"
    assert seen.out.splitlines()[-1] == f"python:mine:down, direct, failed 4 times: {reasons}"
    (labelled / "votes.csv").write_text("a,b,winner\nh1,h3,tie\n")
    seen = paragone("judges", "test", "python:mine:first", "--labelled", "votes.csv", "--items", "items.csv")
    assert (seen.code, "no pair has a label" in seen.err) == (2, True)


def test_protocols_stand_side_by_side_with_what_follows_for_the_configuration(paragone, home):
    ids = [f"i{n:02}" for n in range(60)]
    (home / "texts.jsonl").write_text("\n".join(json.dumps({"id": id, "text": f"{id} " * 30}) for id in ids))
    rows = "\n".join(f"{a},{b},{a}" for a, b in zip(ids[::2], ids[1::2], strict=True))
    (home / "labels.csv").write_text(f"a,b,winner\n{rows}\n")
    (home / "truth.csv").write_text("id,score\n" + "\n".join(f"{id},{1 - at % 2}" for at, id in enumerate(ids)) + "\n")
    spec = "simulated:truth.csv?panel_noise=0.5&tokens=-1"
    command = ["judges", "test", spec, "--labelled", "labels.csv", "--items", "texts.jsonl", "--quiet", "--protocols"]
    trials = json.loads(paragone(*command, "--json").out)
    assert [trial["protocol"] for trial in trials] == ["direct", "panel", "debate"]
    assert all(trial["agreement"]["count"] == 30 for trial in trials)
    without = json.loads(paragone(*command, "--advocate", "none", "--json").out)
    assert without == trials[:2], "the same questions, whatever else is tried"
    shown = paragone(*command).out
    assert "sharpness" in shown
    assert "bits: what 1,000 tokens say" in shown
    assert f"policy.panel_sharpness = {trials[1]['sharpness']:.2f}" in shown
    assert "sharpness" not in paragone(*command[:-1]).out

"""``paragone tournament direct`` and ``inform``, and the options of a dossier."""

import pytest

JUDGE = """
def judge(a, b, criteria, dossier=None):
    with open("seen.txt", "a") as file:
        file.write(f"{dossier and (dossier.goal, dossier.directives, list(dossier.rubric.weights))}\\n")
    return "first" if len(a.text) > len(b.text) else "second"
"""


@pytest.fixture
def begun(home, paragone, prepared):
    return prepared(lambda: begin(home, paragone))


def begin(home, paragone):
    (home / "reader.py").write_text(JUDGE)
    (home / "rubric.toml").write_text("[relevance]\nweight = 0.5\n[cost]\ndefinition = 'How cheap.'\nweight = 0.5\n")
    seen = paragone("tournament", "new", "items.csv", "--judge", "python:reader:judge", "--seed", 1, "--similarity",
                    "none", "--goal", "Cure it.", "--rubric", "rubric.toml", "--set", "scheduling.matches_per_round=4",
                    "--set", "scheduling.rounds_per_session=1", "--preferences", "cheap", "--preferences",
                    "quick")  # fmt: skip
    assert seen.code == 0, seen.err


def test_a_directive_is_given_listed_heeded_and_taken_back(begun, paragone):
    assert "no directive was given" in paragone("tournament", "direct").out
    assert paragone("tournament", "run", "--quiet").code == 0
    given = paragone("tournament", "direct", "prefer the cheap", "--by", "ann", "--json").json
    assert [(each["number"], each["text"], each["by"], each["withdrawn"]) for each in given] == [
        (1, "prefer the cheap", "ann", False)
    ]
    assert paragone("tournament", "run", "--quiet").code == 0
    assert "withdrawn" in paragone("tournament", "direct", "--withdraw", 1, "-t", "items-1").out
    assert paragone("tournament", "run", "--quiet").code == 0
    goal = "'Cure it.', {}, ['relevance', 'cost']"
    lines = (begun / "seen.txt").read_text().splitlines()
    assert set(lines[:4]) == set(lines[8:]) == {f"({goal.format('()')})"}
    assert set(lines[4:8]) == {f"({goal.format(('prefer the cheap',))})"}


def test_reviews_are_added_shown_to_judges_and_listed(begun, paragone):
    assert "no review is on record" in paragone("tournament", "review").out
    (begun / "said.txt").write_text("Testable\nby a student.\n")
    (begun / "more.csv").write_text("item,score,reviewer,text\nh1,0.5,bob,So so.\nh2,0.25,bob,Weak.\n")
    first = paragone("tournament", "review", "h1", "--score", 0.75, "--file", "said.txt", "--by", "ann",
                     "--scores", "cost=0.5", "--json").json  # fmt: skip
    ann = {"item": "h1", "reviewer": "ann", "score": 0.75, "scores": {"cost": 0.5}, "text": "Testable\nby a student."}
    bob = {"item": "h1", "reviewer": "bob", "score": 0.5, "scores": {}, "text": "So so."}
    assert first == [ann]
    assert paragone("tournament", "review", "h1", "--reviews", "more.csv", "--json").json == [ann, bob]
    listed = paragone("tournament", "review").out.splitlines()
    assert [line.split()[:3] for line in listed[1:]] == [
        ["h1", "ann", "0.75"], ["h1", "bob", "0.50"], ["h2", "bob", "0.25"]
    ]  # fmt: skip
    assert paragone("tournament", "inform", "--json").json["items_with_notes"] == 2
    assert paragone("tournament", "run", "--quiet").code == 0, "reviews that come before the first round seed nothing"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("h11", "--score", 0.5), "there is no item 'h11' in items-1; did you mean h1"),
        (("h1", "--text", "x"), "add --score"),
        (("--score", 0.5), "whose review is it?"),
        (("h1", "--score", 0.5, "--text", "x", "--file", "y"), "--text or --file, not both"),
        (("h1", "--score", 0.5, "--scores", "novelty"), "NAME=SCORE"),
        (("h1", "--score", 0.5, "--scores", "novelty=7"), "the novelty is 7.0; it must be a number from 0 to 1"),
        (("h1", "--score", 1.5), "must be at most 1"),
    ],
)
def test_a_review_that_says_nothing_or_of_an_unknown_item_is_refused(begun, paragone, arguments, words):
    seen = paragone("tournament", "review", *arguments)
    assert (seen.code, words in seen.err) == (2, True), seen.err
    assert paragone("tournament", "review", "--json").json == []


def test_the_dossier_is_shown_and_changed(begun, paragone):
    (begun / "notes.csv").write_text("id,organ\nh1,brain\nh2,liver\n")
    (begun / "reviews.csv").write_text("item,score,text\nh3,0.5,So so.\n")
    (begun / "more.toml").write_text('constraints = ["no animals"]\n')
    shown = paragone("tournament", "inform", "--attributes", "notes.csv", "--reviews", "reviews.csv", "--insights",
                     "short", "--goal", "Cure it soon.", "--dossier", "more.toml", "--json").json  # fmt: skip
    assert (shown["goal"], shown["preferences"], shown["constraints"]) == (
        "Cure it soon.",
        ["cheap", "quick"],
        ["no animals"],
    )
    assert (shown["insights"], shown["items_with_notes"], shown["is_given"]) == (["short"], 3, True)
    assert [(each["name"], each["weight"]) for each in shown["rubric"]] == [("relevance", 0.5), ("cost", 0.5)]
    assert paragone("tournament", "inform", "--json").json == shown
    assert "criterion" in paragone("tournament", "inform").out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["direct", " "], "says in words"),
        (["direct", "a", "--withdraw", 1], "not both"),
        (["direct", "--withdraw", 3], "no directive 3; none was given"),
        (["inform", "--rubric", "noveltie"], "did you mean novelty"),
        (["inform", "--rubric", "none.toml"], "no such file"),
        (["inform", "--attributes", "bad.csv"], "'h99' is not among the items"),
        (["inform", "--reviews", "bad_reviews.csv"], "'h99' is not among the items"),
        (["new", "items.csv", "--judge", "human", "--rubric", "bad.toml"], "add up to 0.9, not to 1"),
        (["new", "items.csv", "--judge", "local", "--goal", "x"], ""),
    ],
)
def test_bad_input_changes_nothing(begun, paragone, arguments, words):
    (begun / "bad.csv").write_text("id,organ\nh99,brain\n")
    (begun / "bad_reviews.csv").write_text("item,score,text\nh99,0.5,So so.\n")
    (begun / "bad.toml").write_text("novelty = 0.5\nclarity = 0.4\n")
    before = paragone("tournament", "inform", "items-1", "--json").json
    seen = paragone("tournament", *arguments)
    assert seen.code == 2
    assert words in seen.err
    assert paragone("tournament", "inform", "--json").json == before, "the newest is the same, and as it was"


def test_rank_takes_a_dossier_too(begun, paragone):
    (begun / "seen.txt").unlink(missing_ok=True)
    seen = paragone("rank", "items.csv", "--criteria", "worth", "--judge", "python:reader:judge", "--goal", "Go.",
                    "--rubric", "novelty", "-n", 3, "--quiet", "--seed", 1)  # fmt: skip
    assert seen.code == 0, seen.err
    assert set((begun / "seen.txt").read_text().splitlines()) == {"('Go.', (), ['novelty'])"}


def test_a_model_that_does_not_see_directives_is_named(home, paragone):
    """A template of one's own without places for the dossier is taken where there is none; a directive comes later."""
    (home / "own.jinja").write_text(
        'Which is better? Answer with one JSON object: "rationale" and "verdict".\n---\nCriteria: {{ criteria }}\n'
        "Mark of this comparison: {{ mark }}\n[BEGIN FIRST {{ mark }}]\n{{ first }}\n[END FIRST {{ mark }}]\n"
        "[BEGIN SECOND {{ mark }}]\n{{ second }}\n[END SECOND {{ mark }}]\n"
    )
    judge = "llm:any?template=own.jinja@http://127.0.0.1:9/v1"
    made = paragone("tournament", "new", "items.csv", "--judge", judge, "--seed", 1, "--similarity", "none")
    assert made.code == 0, made.err
    given = paragone("tournament", "direct", "prefer the cheap")
    assert given.code == 0
    assert "does not see the dossier, only the criteria and the texts" in given.err

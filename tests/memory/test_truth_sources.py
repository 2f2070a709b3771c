"""R that arises by itself: from tests, from lines that git shows as replaced, and from a judge asked about alarms."""

import json
from collections import defaultdict

import pytest

from paragone.domain.content import TruthSource
from paragone.errors import InvalidRecord, UnreadableFile
from paragone.judges.function_judge import FunctionJudge
from paragone.memory import Memory
from paragone.memory.contradictions import Sentence, alarm, alarms, rarity, statements
from paragone.memory.git_history import CommitRange, GitHistory
from paragone.memory.truth.junit_results import Subjects, TestResult, read_results
from paragone.memory.truth.lineage import normal, replaced_lines, stale_quotes
from paragone.memory.truth.truth import is_prose

JUNIT = """<testsuites><testsuite>
<testcase classname="tests.test_pool.TestPool" name="a" file="tests/test_pool.py"/>
<testcase classname="tests.test_pool" name="b"/>
<testcase classname="tests.test_pool" name="c"><failure message="no"/></testcase>
<testcase classname="tests.test_pool" name="d"><skipped/></testcase>
<testcase classname="x" name="e"><properties><property name="about" value="src/rate.py"/></properties></testcase>
</testsuite></testsuites>"""


def test_a_junit_report_is_read_without_what_was_skipped(tmp_path):
    path = tmp_path / "report.xml"
    path.write_text(JUNIT)
    assert [(row.name, row.passed, row.file, row.about) for row in read_results(path)] == [
        ("a", True, "tests/test_pool.py", False),
        ("b", True, "tests/test_pool", False),
        ("c", False, "tests/test_pool", False),
        ("e", True, "src/rate.py", True),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<!DOCTYPE x [<!ENTITY a 'b'>]><testsuite/>", "declares a document type"),
        ("<testsuite>", "not valid XML"),
        ("<testsuite/>", "not a JUnit report"),
        ("nothing", "neither JUnit XML nor JSON"),
        ("{}", "give a list"),
        ('[{"file": "a.py"}]', "result 1"),
    ],
)
def test_what_is_no_report_is_refused_with_what_is_wrong(tmp_path, text, message):
    path = tmp_path / "report"
    path.write_text(text)
    with pytest.raises(InvalidRecord, match=message):
        read_results(path)
    with pytest.raises(UnreadableFile):
        read_results(tmp_path / "absent")


@pytest.mark.parametrize(
    ("file", "subject"),
    [
        ("tests/test_pool.py", "src/pool.py"),
        ("tests/test_pool", "src/pool.py"),
        ("a/test_twice.py", "a/twice.py"),
        ("tests/test_twice.py", None),
        ("src/pool.py", None),
        ("web/app.spec.ts", "web/app.ts"),
        ("tests/test_absent.py", None),
    ],
)
def test_a_test_is_about_the_file_that_its_own_is_called_after(file, subject):
    subjects = Subjects(["src/pool.py", "a/twice.py", "b/twice.py", "web/app.ts", "tests/test_pool.py"])
    assert subjects.of(TestResult(name="", passed=True, file=file)) == subject


SHAPES = {
    "pytest": '<testsuites><testsuite name="pytest"><testcase classname="tests.test_kettle.TestLid" name="t"/>',
    "pytest, xunit1": '<testsuite><testcase classname="tests.test_kettle" file="tests/test_kettle.py" name="t"/>',
    "Maven": '<testsuite name="com.acme.CupTest"><testcase name="t" classname="com.acme.CupTest$Empty"/>',
    "go-junit-report": '<testsuites><testsuite><testcase classname="x.org/tea/pkg" name="TestPot/a"/>',
    "Vitest": '<testsuite name="js/sum.test.js"><testcase classname="js/sum.test.js" name="adds &gt; ones"/>',
    "jest-junit, files": '<testsuite name="sum"><testcase classname=" adds" name=" adds" file="js/sum.test.js"/>',
    "jest-junit": '<testsuite name="sum"><testcase classname=" adds" name="adds"/>',
    "Mocha": '<testsuites><testsuite file="/ci/job/js/sum.test.js"><testcase classname="adds" name="sum adds"/>',
    "PHPUnit": '<testsuite><testcase name="t" classname="Acme.PotTest" file="/ci/php/PotTest.php"/>',
}
ABOUT = {
    "pytest": "py/kettle.py",
    "pytest, xunit1": "py/kettle.py",
    "Maven": "src/main/java/com/acme/Cup.java",
    "go-junit-report": "pkg/pot.go",
    "Vitest": "js/sum.js",
    "jest-junit, files": "js/sum.js",
    "jest-junit": None,
    "Mocha": "js/sum.js",
    "PHPUnit": "php/Pot.php",
}
PATHS = [
    *("py/kettle.py", "tests/test_kettle.py", "java/Kettle.java", "js/kettle.ts", "js/sum.js", "js/sum.test.js"),
    *("src/main/java/com/acme/Cup.java", "src/test/java/com/acme/CupTest.java", "other/src/test/java/org/CupTest.java"),
    *("pkg/pot.go", "pkg/pot_test.go", "other/pot.go", "other/pot_test.go", "php/Pot.php", "php/PotTest.php"),
]


@pytest.mark.parametrize("shape", SHAPES)
def test_reports_as_each_tool_writes_them_are_about_the_file_that_was_tested(tmp_path, shape):
    path, text = tmp_path / "report.xml", SHAPES[shape]
    path.write_text(text + "</testsuite>" + "</testsuites>" * text.startswith("<testsuites>"))
    subjects = Subjects(PATHS, defaultdict(list, TestPot=["pkg/pot_test.go", "other/pot_test.go"]).__getitem__)
    assert [subjects.of(row) for row in read_results(path)] == [ABOUT[shape]]


@pytest.mark.parametrize("file", ["src/contest", "src/latest.py", "com/acme/IT"])
def test_what_merely_ends_in_test_is_no_test(file):
    assert Subjects(["src/con.py", "src/la.py"]).of(TestResult(name="", passed=True, file=file)) is None


@pytest.fixture
def memory(tmp_path):
    for name in ("src/pool.py", "src/rate.py", "tests/test_pool.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("a = 1\n")
    with Memory.create(tmp_path) as opened:
        opened.index(vectors=False)
        yield opened


def results(passed, failed, file="src/pool.py"):
    rows = [True] * passed + [False] * failed
    return [TestResult(name=f"t{number}", passed=row, file=file, about=True) for number, row in enumerate(rows)]


@pytest.mark.parametrize(
    ("passed", "failed", "high"), [(4, 0, True), (3, 0, None), (0, 1, False), (5, 5, False), (99, 1, True)]
)
def test_r_by_tests_is_high_where_they_pass_low_where_they_fail_and_unknown_where_they_are_few(
    memory, passed, failed, high
):
    update = memory.truth.from_tests([*results(passed, failed), *results(1, 0, "gone.py")])
    rating = memory.rating("src/pool.py")
    assert (rating.is_high, update.lost) == (high, 1)
    assert rating.r_source == (None if high is None else TruthSource.TESTS)
    assert memory.truth.why(rating) == ("3 passing tests, too few to tell" if high is None else "")


def test_the_last_report_about_a_file_replaces_the_one_before(memory):
    memory.truth.from_tests(results(0, 3))
    memory.truth.from_tests(results(8, 0))
    assert memory.rating("src/pool.py").is_high is True
    assert memory.rating("src/rate.py").r is None
    assert memory.truth.why(memory.rating("src/rate.py")) == "no test, evidence or judge has spoken about it"


OLD = "the cache keeps at most 500 entries of each kind"
NEW = "the cache keeps at most 900 entries of each kind"


def test_a_document_that_quotes_a_replaced_line_is_demoted_until_it_is_mended(repository):
    repository.commit(**{"src__cache.py": f'"""{OLD}"""\n', "notes__a.md": f"# Notes\n\n> {OLD}.\n", "b.md": "# B\n"})
    repository.commit("raise the limit", **{"src__cache.py": f'"""{NEW}"""\n'})
    with Memory.create(repository.root) as memory:
        memory.index(vectors=False)
        memory.learn_git()
        rating = memory.rating("notes/a.md")
        assert (rating.is_high, rating.r_source) == (False, TruthSource.HISTORY)
        assert memory.rating("b.md").r is None
        assert memory.truth.from_history().lines == (), "nothing new"
        repository.path("notes__a.md").write_text(f"# Notes\n\n> {NEW}.\n")
        memory.index(vectors=False)
        [line] = memory.truth.from_history().lines
        assert (line.r, memory.rating("notes/a.md").r) == (None, None)


def test_one_old_line_among_many_that_stand_leaves_r_unknown(repository):
    standing = [f"the standing line of number {number} is quoted" for number in range(20)]
    code = "".join(f"# {line}\n" for line in standing)
    quotes = "".join(f"> {line}\n" for line in (*standing, OLD))
    repository.commit(**{"cache.py": f"# {OLD}\n{code}", "a.md": quotes})
    repository.commit(**{"cache.py": f"# {NEW}\n{code}"})
    with Memory.create(repository.root) as memory:
        memory.index(vectors=False)
        memory.learn_git()
        assert memory.rating("a.md").r is None


def test_which_lines_were_replaced_and_who_quotes_them(repository):
    first = repository.commit(**{"a.md": f"{OLD}\nshort\n\nkept as it is by everybody\n", "c.md": f"{OLD}\n"})
    sha = repository.commit(**{"a.md": f"{NEW}\nbrief\n\nkept as it is by everybody\n"})
    history = GitHistory(repository.root)
    rows = replaced_lines(history, CommitRange(head=history.head()))
    assert [(row.path, row.old, row.new, row.sha) for row in rows] == [("a.md", OLD, NEW, sha)]
    assert first != sha
    texts = {"a.md": NEW, "b.md": f"> **{OLD}**.", "c.py": "x = 1", "d.md": "nothing of it"}
    found = stale_quotes(texts, rows, ["a.md", "b.md", "d.md"])
    assert {path: (len(quotes.stale), quotes.current) for path, quotes in found.items()} == {"b.md": (1, 0)}
    assert stale_quotes({**texts, "c.py": OLD}, rows, ["b.md"]) == {}, "it stands elsewhere in code"
    assert normal(f"  - > `{OLD}`.") == OLD


def test_rewritten_lines_imports_and_mere_order_are_not_replaced_ones(repository):
    before = (
        "from package.module import One, Two\nall of this is told another way now\nfirst second third fourth fifth\n"
    )
    after = (
        "from other.module import One, Two\nnothing like what it had been before it\nfifth fourth third second first\n"
    )
    repository.commit(**{"a.md": before})
    repository.commit(**{"a.md": after})
    history = GitHistory(repository.root)
    assert replaced_lines(history, CommitRange(head=history.head())) == []


@pytest.mark.parametrize(
    ("path", "prose"),
    [
        ("a.md", True),
        ("CHANGELOG.md", False),
        ("docs/changelog.rst", False),
        ("a.py", False),
        ("docs/unreleased/1.rst", False),
        ("exchange.md", True),
    ],
)
def test_a_changelog_is_right_to_quote_what_was_replaced(path, prose):
    assert is_prose(path) is prose


def statement(text, path="a.md"):
    return Sentence(path=path, line=1, text=text)


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ("The cache holds 500 entries of each kind", "The cache holds 200 entries of each kind", "number"),
        ("Tokens are refreshed by the client itself", "Tokens are not refreshed by the client itself", "negation"),
        ("The cache holds 500 entries of each kind", "Each kind has 500 entries that the cache holds", None),
        ("The cache holds 500 entries of each kind", "The server answers 200 requests of each client", None),
        ("It answers 200 for 3 pages of the list", "It answers 3 for 200 pages of the list", None),
    ],
)
def test_the_rule_alarms_for_numbers_and_negations_of_sentences_otherwise_alike(first, second, kind):
    pair = statement(first), statement(second, "b.md")
    made = alarm(*pair, rarity(pair))
    assert (made and made.kind) == kind


def test_alarms_are_those_that_all_pairs_have(tmp_path):
    texts = [
        "The cache holds {} entries of each kind.", "The server waits {} seconds for an answer.",
        "A token lives {} minutes after it was made.",
    ]  # fmt: skip
    pages = {f"{number}.md": "\n\n".join(text.format(number % 3) for text in texts) for number in range(6)}
    every = [row for path, text in pages.items() for row in statements(path, text)]
    assert [(row.path, row.line) for row in every[:3]] == [("0.md", 1), ("0.md", 3), ("0.md", 5)]
    weights = rarity(every)
    plain = {
        (first.path, first.line, second.path)
        for at, first in enumerate(every)
        for second in every[at + 1 :]
        if first.path != second.path and alarm(first, second, weights)
    }
    assert {(row.first.path, row.first.line, row.second.path) for row in alarms(every)} == plain
    assert len(plain) == 3 * 12


def test_code_and_headings_too_short_are_no_statements():
    assert statements("a.md", "# Title\n\n```\nthe cache holds 500 entries of each kind\n```\n\nShort one.\n") == []


PAGES = {
    "old.md": "# Old\n\nThe cache holds 500 entries of each kind.\n",
    "new.md": "# New\n\nThe cache holds 900 entries of each kind.\n",
    "api.md": "# Api\n\nThe list answers with status 200 for every page.\n",
    "err.md": "# Err\n\nThe list answers with status 201 for every page.\n",
}


def knows(first, second, criteria):
    """A judge that knows that the cache holds 900 entries, and that the list has two answers."""
    if "contradicts" in first.id + second.id:
        right = "contradicts" if "cache" in first.text else "agrees"
        return "first" if right in first.id else "second"
    return "first" if "900" in first.text else "second"


def test_only_a_judges_verdict_lowers_r_and_it_says_what_of(tmp_path):
    for name, text in PAGES.items():
        (tmp_path / name).write_text(text)
    with Memory.create(tmp_path) as memory:
        memory.index(vectors=False)
        assert len(memory.truth.alarms()) == 2
        assert memory.rating("old.md").r is None, "the rule alone is no verdict"
        update = memory.truth.judged(FunctionJudge(knows))
        assert [(line.entity_id, line.r, line.detail["in"]) for line in update.lines] == [("old.md", 0.1, "new.md:3")]
        assert [outcome.contradict for outcome in update.outcomes].count(True) == 1
        assert (memory.rating("old.md").is_high, memory.rating("new.md").r, memory.rating("api.md").r) == (
            False,
            None,
            None,
        )
        assert memory.truth.judged(FunctionJudge(knows)).lines == (), "asked again, nothing changes"


@pytest.mark.parametrize("answer", ["first", "tie", None])
def test_a_judge_that_cannot_tell_settles_nothing(tmp_path, answer):
    for name, text in PAGES.items():
        (tmp_path / name).write_text(text)
    with Memory.create(tmp_path) as memory:
        memory.index(vectors=False)
        update = memory.truth.judged(FunctionJudge(lambda first, second, criteria: answer))
    assert (update.lines, [outcome.contradict for outcome in update.outcomes]) == ((), [None, None])


def test_reports_as_the_project_writes_them(tmp_path):
    path = tmp_path / "report.json"
    path.write_text(json.dumps({"results": [{"file": "./a.py", "test": "t", "passed": True}]}))
    assert [(row.file, row.about) for row in read_results(path)] == [("a.py", True)]

"""The template plugin, built and put on the path with its metadata; and plugins that are refused."""

import asyncio
import importlib
import runpy
import subprocess
import sys
import zipfile
from inspect import signature
from pathlib import Path

import pytest

import paragone
from paragone.cli.plugins import installed_plugins
from paragone.errors import InvalidConfig, JudgeFailed, PluginRefused, UnknownJudge, UnreadableFile
from paragone.intake.table_files import READERS, read_table
from paragone.intake.uploads import ENDINGS
from paragone.judges import JUDGES, KINDS, JudgeKind, describe, open_judge
from paragone.presenting.board_files import FORMATS, write
from paragone.presenting.tournament_report.files import page_of
from paragone.similarity import open_embedder
from paragone.tournaments.pairing_registry import PAIRINGS, policy_named
from paragone.tournaments.report.gathering import gather
from paragone.workers.judge_list import listed_judges, require_listed

TEMPLATE = Path(__file__).parents[2] / "examples" / "plugin"
TEXTS = [{"id": f"t{words}", "text": "word " * words} for words in range(1, 9)]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The template as an installer would unpack it: built by its own backend, offline."""
    folder = tmp_path_factory.mktemp("wheel")
    backend = Path(sys.executable).with_name("uv-build")
    subprocess.run([backend, "build-wheel", folder], cwd=TEMPLATE, check=True, capture_output=True)
    (name,) = folder.glob("*.whl")
    site = folder / "site"
    with zipfile.ZipFile(name) as archive:
        archive.extractall(site)
    return site


@pytest.fixture
def template(wheel, monkeypatch):
    monkeypatch.syspath_prepend(str(wheel))
    yield wheel
    for name in [name for name in sys.modules if name.startswith("paragone_lengths")]:
        del sys.modules[name]


@pytest.fixture
def distribution(tmp_path, monkeypatch):
    """Puts a distribution of some entry points on the path; modules are written beside it."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def put(name, group, entries, **modules):
        folder = tmp_path / f"{name}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (folder / "entry_points.txt").write_text("\n".join([f"[paragone.{group}]", *entries, ""]))
        for module, code in modules.items():
            (tmp_path / f"{module}.py").write_text(code)
        paragone.plugins._by_name.cache_clear()  # the path is the same, what is on it is not
        importlib.invalidate_caches()

    yield put
    paragone.plugins._by_name.cache_clear()


def report_of(judge):
    with paragone.Tournament.create(TEXTS, criteria="c", judge=judge, seed=1, budget=8) as tournament:
        tournament.run()
        return gather(tournament.ledger, tournament.state)


class TestTheTemplate:
    def test_all_its_parts_are_listed_and_ready(self, template):
        reports = installed_plugins()
        assert [(report.group.partition(".")[2], report.name) for report in reports] == [
            ("judges", "lengths"), ("pairings", "neighbours"), ("similarity", "letters"),
            ("readers", "ini"), ("exporters", "md"), ("report_sections", "lengths"),
        ]  # fmt: skip
        assert {(report.distribution, report.version, report.state) for report in reports} == {
            ("paragone-lengths", "0.1.0", "ready")
        }

    def test_judge_and_pairing_rank(self, template):
        board = paragone.rank(TEXTS, "about four words", judge="lengths:4", pairing="neighbours", seed=3)
        assert board.items[0].id == "t4"
        assert board.stopped == "5 rounds are played"
        assert sum(row.matches for row in board.items) == 2 * 5 * 4

    def test_panel_and_list_of_kinds_have_the_judge(self, template):
        assert open_judge("panel:lengths:3 + lengths:4").card.identities
        assert describe({})[-1].form == "lengths:WORDS"
        with pytest.raises(UnknownJudge, match=r"write lengths:WORDS"):
            open_judge("lengths")

    def test_a_worker_asks_it_only_if_it_is_on_its_list(self, template):
        judges = listed_judges(entries=["short=lengths:3"])
        assert require_listed(judges, "short").open().card.identity == "lengths:3"
        for name in ("lengths", "lengths:3"):
            with pytest.raises(UnknownJudge, match="this worker has no judge"):
                require_listed(judges, name)

    def test_files_are_read_and_written(self, template, tmp_path):
        source = tmp_path / "texts.ini"
        source.write_text("[tea]\ntext = tea\n[milk]\ntext = a lot of milk\n")
        board = paragone.rank(source, "length", judge="lengths:4", seed=1)
        write(board, tmp_path / "board.md")
        assert (tmp_path / "board.md").read_text().splitlines()[2].endswith("| milk |")
        assert ".ini" not in ENDINGS  # what strangers upload is read by paragone's own readers alone

    def test_a_file_that_it_cannot_read_is_refused_in_words(self, template, tmp_path):
        broken = tmp_path / "broken.ini"
        broken.write_text("no section\n")
        with pytest.raises(UnreadableFile, match=r"broken\.ini: the plugin for \.ini files cannot read it"):
            read_table(broken)

    def test_similarity(self, template):
        assert open_embedder("letters:case").embed(["Aa"]).sum() == 2

    def test_the_report_has_its_section(self, template):
        page = page_of(report_of("lengths:4"))
        assert list(page.sections)[-1] == "lengths"
        assert page.tables[-1].title == "Longest items"

    def test_its_own_tests_pass(self, template, tmp_path):
        tests = runpy.run_path(str(TEMPLATE / "tests" / "test_contracts.py"))
        names = [name for name in tests if name.startswith("test_")]
        for name in names:
            tests[name](*[tmp_path] * len(signature(tests[name]).parameters))
        assert len(names) == 4


class TestRefusals:
    def test_a_broken_one_is_refused_with_the_reason_and_the_rest_works(self, distribution):
        entries = ["bad = absent_module:X", "none = fine:NOTHING", "wrong = fine:KIND", "good = fine:GOOD"]
        code = (
            "from paragone.judges import JudgeKind\n"
            "NOTHING = 3\n"
            "KIND = JudgeKind(name='other', form='other', help='h', open=print)\n"
            "GOOD = JudgeKind(name='good', form='good', help='h', open=lambda argument, options: None)\n"
        )
        distribution("some", "judges", entries, fine=code)
        with pytest.raises(PluginRefused, match=r"'bad' of some 1\.0 .*: ModuleNotFoundError: No module named"):
            open_judge("bad:x")
        assert open_judge("good") is None
        reasons = {report.name: report.reason for report in installed_plugins()}
        assert "ModuleNotFoundError" in reasons["bad"]
        assert "JudgeKind, not int" in reasons["none"]
        assert "so must its name be" in reasons["wrong"]
        assert reasons["good"] == ""
        ready = {report.name: report.ready for report in describe({"OPENAI_API_KEY": "k"})}
        assert (ready["bad"], ready["good"], ready["recorded"]) == (False, True, True)

    def test_a_spec_that_it_did_not_expect_is_wrong_usage(self, distribution):
        code = (
            "from paragone.judges import JudgeKind\n"
            "KIND = JudgeKind(name='picky', form='picky:N', help='h', open=lambda argument, options: int(argument))\n"
        )
        distribution("some", "judges", ["picky = picky_judge:KIND"], picky_judge=code)
        with pytest.raises(UnknownJudge, match=r"picky:x cannot be opened \(ValueError: .*\); write picky:N"):
            open_judge("picky:x")

    @pytest.mark.parametrize(
        "head",
        [
            "class Judge:\n    pass\n",
            "class Judge:\n    __slots__ = ('x',)\n",
            "@dataclass(frozen=True, slots=True)\nclass Judge:\n    x: int = 0\n",
        ],
        ids=["plain", "slots", "frozen"],
    )
    def test_what_it_raises_beside_its_answers_is_a_failure_in_a_sentence(self, distribution, head):
        methods = ("price", "forecast", "unknown")
        code = (
            "from dataclasses import dataclass\n"
            "from paragone.judges import JudgeKind\n"
            + head
            + "".join(f"    def {method}(self, _):\n        return 1 / 0\n" for method in methods)
            + "    async def close(self):\n        return 1 / 0\n"
            "KIND = JudgeKind(name='odd', form='odd', help='h', open=lambda *_: Judge())\n"
        )
        distribution("some", "judges", ["odd = odd_judge:KIND"], odd_judge=code)
        judge = open_judge("odd")
        assert isinstance(judge, sys.modules["odd_judge"].Judge)
        for method in methods:
            with pytest.raises(JudgeFailed, match=f"^`{method}` of the plugin 'odd' raised ZeroDivisionError"):
                getattr(judge, method)(None)
        with pytest.raises(JudgeFailed, match=r"^`close` of the plugin 'odd' raised ZeroDivisionError"):
            asyncio.run(judge.close())

    def test_a_name_of_paragones_own_is_not_taken_over(self, distribution, tmp_path):
        distribution("thief", "judges", ["recorded = thief:X"], thief="raise SystemExit(3)")
        assert JUDGES["recorded"] is next(kind for kind in KINDS if kind.name == "recorded")
        (report,) = installed_plugins()
        assert (report.state, report.reason) == ("refused", "the name is paragone's own")
        assert "thief" not in sys.modules

    @pytest.mark.parametrize(
        ("group", "name"),
        [("pairings", "paired"), ("pairings", "swiss"), ("similarity", "vectors"), ("readers", "csv"),
         ("readers", "zip"), ("exporters", "html"), ("report_sections", "method")],
    )  # fmt: skip
    def test_other_names_of_its_own(self, distribution, group, name):
        distribution("thief", group, [f"{name} = os:getcwd"])
        assert [report.reason for report in installed_plugins()] == ["the name is paragone's own"]

    def test_two_of_one_name_are_both_refused(self, distribution):
        distribution("first", "pairings", ["twice = os"])
        distribution("second", "pairings", ["twice = sys"])
        reports = installed_plugins()
        assert [report.distribution for report in reports] == ["first", "second"]
        assert {report.reason for report in reports} == {
            "several packages offer this name: first 1.0 (os), second 1.0 (sys); uninstall all but one of them"
        }
        assert "twice" not in set(PAIRINGS)
        with pytest.raises(PluginRefused, match="uninstall all but one"):
            paragone.rank(TEXTS, "c", judge="simulated:x", pairing="twice")

    def test_a_module_that_ends_the_program_is_refused(self, distribution):
        distribution("ends", "exporters", ["odd = ends:X"], ends="raise SystemExit(3)")
        with pytest.raises(PluginRefused, match="SystemExit: 3"):
            FORMATS.get(".odd")

    @pytest.mark.parametrize("name", ["Upper", "a.b", "a b", "x" * 61])
    def test_a_name_that_no_spec_could_have(self, distribution, name):
        distribution("odd", "judges", [f"{name} = os:getcwd"])
        assert [report.reason[:30] for report in installed_plugins()] == ["a name has at most 60 small le"]

    def test_a_tournament_of_a_pairing_that_is_gone_says_so(self):
        with pytest.raises(InvalidConfig, match="came with a plugin that is not installed"):
            policy_named("gone")

    def test_a_section_that_fails_leaves_the_report_whole(self, distribution):
        code = "def section(report):\n    raise ValueError('no lengths')\n"
        distribution("some", "report_sections", ["sad = some:section", "worse = nowhere:section"], some=code)
        page = page_of(report_of(lambda first, second, criteria: "first"))
        beware = [sentence for topic, sentence in page.summary if topic == "Beware" and "A plugin" in sentence]
        assert "ValueError: no lengths" in beware[0]
        assert "nowhere" in beware[1]
        assert "sad" not in page.sections


def test_a_built_in_name_looks_for_no_plugins(monkeypatch):
    monkeypatch.setattr(paragone.plugins, "entry_points", None)  # to look would raise
    assert READERS[".csv"] is READERS.built_in[".csv"]
    assert isinstance(JUDGES["human"], JudgeKind)
    assert PAIRINGS["swiss"]().plan
    assert FORMATS[".json"]
    assert open_embedder("local").name

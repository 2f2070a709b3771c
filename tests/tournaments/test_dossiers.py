"""Dossiers of a tournament: what its questions carry, from when on, and that a resumed run asks the same."""

import asyncio
import json
from dataclasses import replace

import pytest
from sqlalchemy import Engine, event

import scripted_endpoint
import without_board
from paragone import Tournament
from paragone.domain import Choice, Dossier, ItemNotes, Usage, Verdict
from paragone.errors import InvalidConfig, InvalidItems, NotFound, UnknownColumn, UnreadableFile
from paragone.intake.dossiers import as_dossier, as_item_notes, as_rubric
from paragone.judges.base import AnswerContents, JudgeCard
from paragone.judges.call_options import CallOptions
from paragone.judges.function_judge import FunctionJudge
from paragone.judges.limits import Slots
from paragone.ledger import Ledger
from paragone.ledger import statements as compiled
from paragone.ledger.records import AskedQuestion, JudgingTerms
from paragone.presenting.tournament_report.summary import summary
from paragone.tournaments.dossiers import Dossiers, dossier_notes
from paragone.tournaments.planning.schedule import plan_round
from paragone.tournaments.report import gather
from paragone.tournaments.running.control import Gate
from paragone.tournaments.state.history import PROMPT_CACHE
from paragone.tournaments.status import status_of
from paragone.tournaments.tournament_settings import TournamentSettings
from paragone.workers.answering import TournamentJudging
from paragone.workers.judge_list import ListedJudge
from paragone.workers.outcomes import AnswerNotes

ITEMS = {f"h{n}": f"Compound {n} slows the decline." for n in range(6)}
REVIEWS = [
    {"item": "h0", "reviewer": "ann", "score": 0.4, "text": "Weak."},
    {"item": "h0", "reviewer": "bob", "score": 0.9, "text": "Strong.", "scores": {"novelty": 0.8}},
    {"item": "h1", "reviewer": "ann", "score": 0.7, "text": ""},
]


class Reader:
    """A judge that keeps its questions, and does something after so many."""

    def __init__(self, after=0, then=lambda: None):
        self.card = JudgeCard(
            identity="reader",
            reads_dossier=True,
            scores_rubric=True,
            sends=False,
            contents=AnswerContents(rationale=True),
        )
        self.asked, self._after, self._then = {}, after, then

    async def compare(self, question):
        self.asked[question.call] = question
        if len(self.asked) == self._after:
            self._then()
        better = question.first.text > question.second.text
        return Verdict(choice=Choice.FIRST if better else Choice.SECOND, judge="reader", usage=Usage())

    def price(self, question):
        return 0.0

    async def close(self):
        pass

    def dossiers(self, round):
        """The dossiers of the questions of a round, by call."""
        return {call: q.dossier for call, q in self.asked.items() if call.startswith(f"{round}.")}


def created(judge, **options):
    return Tournament.create(ITEMS, judge=judge, criteria="worth", pairing="swiss", seed=1, **options)


def test_a_tournament_without_dossier_asks_as_before():
    judge = Reader()
    with created(judge, reviews=REVIEWS) as tournament:
        without_board.run(tournament)
        assert {question.dossier for question in judge.asked.values()} == {None}
        assert "dossier" not in tournament.ledger.tournaments.get(tournament.state.id).settings
        assert not tournament.dossier["is_given"]


def test_every_question_carries_what_is_known():
    judge = Reader()
    with created(
        judge,
        goal="Cure it.",
        preferences="cheap",
        rubric="novelty,relevance",
        reviews=REVIEWS,
        attributes={"h0": {"organ": "brain", "evidence": ["PMID 1"]}, "h2": {"doses": [1, 2]}},
        evidence={"h0": "PMID 2"},
    ) as tournament:
        without_board.run(tournament)
        assert tournament.dossier["items_with_notes"] == 2
    for question in judge.asked.values():
        dossier = question.dossier
        assert (dossier.goal, dossier.preferences) == ("Cure it.", ("cheap",))
        assert dossier.rubric.weights == {"novelty": 0.5, "relevance": 0.5}
        notes = dict(zip((item.id for item in question.items), dossier.notes or (ItemNotes(),) * 2, strict=True))
        for id, note in notes.items():
            assert note == {
                "h0": ItemNotes(
                    attributes=(("organ", "brain"),),
                    review="Strong.\n(scores from 0 to 1: overall 0.90, novelty 0.80)",
                    evidence=("PMID 1", "PMID 2"),
                ),
                "h2": ItemNotes(attributes=(("doses", "[1, 2]"),)),
            }.get(id, ItemNotes())


def test_what_comes_while_it_runs_holds_from_the_next_planned_round_on_and_after_a_resume(tmp_path):
    db = tmp_path / "l.db"

    def change():
        with Tournament.open(db) as other:
            assert other.direct("prefer what can be tested within a year", "ann").number == 1
            other.inform(
                goal="Cure it soon.", attributes={id: {"organ": "liver"} for id in ITEMS}, insights="short wins"
            )
            other.inform(reviews=[{"item": id, "reviewer": "eve", "score": 0.5, "text": f"on {id}"} for id in ITEMS])

    judge = Reader(1, change)
    with created(judge, db=db, goal="Cure it.") as tournament:
        gate = tournament.gate
        without_board.run(
            tournament,
            lambda progress: gate.close("enough") if progress.round >= 2 else None,
            CallOptions(concurrency=1),
        )
        assert not tournament.stop.finished
    assert {each.goal for each in judge.dossiers(1).values()} == {"Cure it."}
    assert {each.directives for each in judge.dossiers(1).values()} == {()}
    assert not any(each.notes for each in judge.dossiers(1).values())
    with Tournament.open(db) as other:  # between the plan of round 2 and its last question
        asked_before = len(judge.asked)
        assert other.withdraw(1).withdrawn
        assert other.withdraw(1).withdrawn, "once more changes nothing"
        assert [(each.number, each.by, each.withdrawn) for each in other.directives] == [(1, "ann", True)]
        with pytest.raises(NotFound, match="no directive 2; they are numbered 1 to 1"):
            other.withdraw(2)
    resumed = Reader()
    with Tournament.open(db, judge=resumed) as tournament:
        without_board.run(tournament)
        dossiers = Dossiers(tournament.ledger, tournament.state.id, tournament.state.settings.dossier)
        for call, question in (judge.asked | resumed.asked).items():
            again = dossiers.of(int(call.partition(".")[0]), [item.id for item in question.items])
            assert again == question.dossier, "a replay shows the same"
        assert tournament.audit().ok
    second = judge.dossiers(2) | resumed.dossiers(2)
    assert len(judge.asked) == asked_before
    assert len(second) >= 3
    for dossier in second.values():
        assert (dossier.goal, dossier.insights) == ("Cure it soon.", ("short wins",))
        assert dossier.directives == ("prefer what can be tested within a year",)
        assert [note.attributes for note in dossier.notes] == [(("organ", "liver"),)] * 2
        assert all(note.review.startswith("on h") for note in dossier.notes)
    third = resumed.dossiers(3)
    assert third
    assert {dossier.directives for dossier in third.values()} == {()}


@pytest.mark.parametrize("pairing", ["informative", "round-robin", "weighted"])
def test_a_directive_reaches_every_pairing(pairing):
    judge = Reader()
    with Tournament.create(
        ITEMS, judge=judge, criteria="worth", pairing=pairing, seed=1, budget=24, advocate="none"
    ) as tournament:  # the first blocks are planned beside the first questions, with the directive or without
        judge._after = 2
        judge._then = lambda: tournament.direct("prefer the cheap")
        without_board.run(tournament, pace=CallOptions(concurrency=1))
        known = [each for each in judge.asked.values() if each.dossier is not None]
        assert all(each.dossier == Dossier(directives=("prefer the cheap",)) for each in known)
        assert len(known) < len(judge.asked) - 1
        if pairing != "round-robin":  # which is planned at once
            assert known
        else:
            tournament.direct("none will heed this")
        assert plan_round(tournament.state) is not None


def test_the_rubrics_weights_count_for_the_quality_of_a_verdict():
    with Tournament.create(
        ITEMS, judge=Reader(), criteria="worth", pairing="weighted", seed=1, budget=6, rubric="novelty", advocate="none"
    ) as tournament:
        without_board.run(tournament)
        scored = [match.confidence for match in tournament.state.matches]
    with Tournament.create(
        ITEMS, judge=Reader(), criteria="worth", pairing="weighted", seed=1, budget=6, advocate="none"
    ) as tournament:
        without_board.run(tournament)
        assert max(scored) < max(match.confidence for match in tournament.state.matches), "the scores are missing"


def test_settings_hold_the_dossier_and_those_of_before_have_none():
    settings = TournamentSettings(criteria="c", judge="j", dossier=Dossier.of({"goal": "x", "rubric": ["novelty"]}))
    assert TournamentSettings.from_json(json.loads(json.dumps(settings.as_json()))) == settings
    plain = TournamentSettings(criteria="c", judge="j")
    assert "dossier" not in plain.as_json()
    assert TournamentSettings.from_json(plain.as_json()) == plain


def test_files_of_dossiers_rubrics_and_notes_are_read(tmp_path):
    (tmp_path / "d.toml").write_text(
        'goal = "Cure it."\npreferences = ["cheap"]\nmax_tokens = 500\n[rubric]\nnovelty = 0.5\n'
        '[rubric.cost]\ndefinition = "How cheap."\nweight = 0.5\n'
    )
    dossier = as_dossier(tmp_path / "d.toml", {"goal": "Other.", "preferences": None})
    assert (dossier.goal, dossier.preferences, dossier.max_tokens) == ("Other.", ("cheap",), 500)
    (tmp_path / "r.csv").write_text('name,definition,weight\nNovelty,,40\ncost,"How cheap, in all",60%\n')
    assert as_rubric(tmp_path / "r.csv").weights == {"novelty": 0.4, "cost": 0.6}
    (tmp_path / "r.json").write_text('{"criteria": ["novelty", "feasibility"]}')
    assert as_rubric(str(tmp_path / "r.json")).weights == {"novelty": 0.5, "feasibility": 0.5}
    (tmp_path / "a.csv").write_text('id,hypothesis,organ,cites\nh0,Text.,brain,"PMID 1\nPMID 2"\nh1,Text.,,\n')
    (tmp_path / "e.jsonl").write_text('{"item": "h1", "evidence": "PMID 3"}\n{"item": "h1", "evidence": ["PMID 4"]}\n')
    assert as_item_notes(tmp_path / "a.csv", tmp_path / "e.jsonl", ids=set(ITEMS)) == {
        "h0": ItemNotes(attributes=(("organ", "brain"),), evidence=("PMID 1", "PMID 2")),
        "h1": ItemNotes(evidence=("PMID 3", "PMID 4")),
    }


@pytest.mark.parametrize(
    ("name", "content", "read", "error", "words"),
    [
        ("r.toml", "[[criteria]]\nname = 'noveltie'\n", as_rubric, InvalidConfig, "r.toml.*did you mean novelty"),
        ("r.toml", "[novelty]\nweight = 0.4\n[clarity]\nweight = 0.4", as_rubric, InvalidConfig, "add up to 0.8"),
        ("r.toml", "novelty = ", as_rubric, UnreadableFile, "not valid TOML"),
        ("r.json", "[]", as_rubric, UnreadableFile, "expected an object"),
        ("r.csv", "criterion,weight\nnovelty,1\n", as_rubric, InvalidConfig, "a table with a name"),
        ("r.csv", "name,weight\nnovelty,much\n", as_rubric, InvalidConfig, "'novelty' is a number"),
        ("r.yaml", "criteria: []", as_rubric, InvalidConfig, "a .toml or .json file, a table, or names"),
        ("d.toml", "goal = 'x'\ngaol = 'y'\n", as_dossier, InvalidConfig, "d.toml, line 2: .*did you mean goal"),
        ("d.json", '{"goal": 3}', as_dossier, InvalidConfig, "the goal is text"),
        ("a.csv", "id,organ\nh9,brain\n", lambda p: as_item_notes(p, ids=set(ITEMS)), InvalidItems, "line 2: 'h9'"),
        ("a.csv", "organ\nbrain\n", lambda p: as_item_notes(p, ids=set(ITEMS)), UnknownColumn, "no column 'item'"),
        ("e.csv", "item,x\nh1,y\n", lambda p: as_item_notes(None, p, ids=set(ITEMS)), UnknownColumn, "'evidence'"),
    ],
)  # fmt: skip
def test_bad_files_are_refused_by_name_and_line(tmp_path, name, content, read, error, words):
    (tmp_path / name).write_text(content)
    with pytest.raises(error, match=words):
        read(tmp_path / name)


def begun_until(db, statements, monkeypatch):
    """Create a tournament with all that it can begin with, in a process that is killed after so many statements: those
    of SQLAlchemy, and those that the driver is sent."""
    left, driver = statements, compiled._driver

    def killed(*_):
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt

    event.listen(Engine, "before_cursor_execute", killed)
    monkeypatch.setattr(compiled, "_driver", lambda connection: (killed(), driver(connection))[1])
    try:
        Tournament.create(
            {**ITEMS, "h6": "It slows because the"},
            judge=lambda a, b, criteria: "first" if a.text > b.text else "second",
            criteria="worth",
            pairing="weighted",
            seed=1,
            goal="Cure it.",
            db=db,
            reviews=REVIEWS[1:],
            attributes={"h0": {"organ": "brain"}, "h6": {"organ": "liver"}},
        ).close()
    except KeyboardInterrupt:
        return False
    finally:
        event.remove(Engine, "before_cursor_execute", killed)
        monkeypatch.setattr(compiled, "_driver", driver)
    return True


def test_a_tournament_and_what_it_begins_with_are_recorded_together_or_not_at_all(tmp_path, monkeypatch):
    db = tmp_path / "l.db"
    Ledger.open(db).close()
    statements, begun = 0, ()
    while not begun:
        begun_until(db, statements, monkeypatch)
        with Ledger.open(db) as ledger:
            begun = ledger.tournaments.all()
            assert len(ledger.pools.all()) == len(begun), statements
        statements += 1
    assert statements > 20, "the killed process had written some of it each time but the last"
    with Ledger.open(db) as ledger:
        events = ledger.tournaments.events(begun[0].id)
        assert [each.kind for each in events] == ["started", "incomplete", "background"]
        reviewed = [(review.item, review.reviewer) for review in ledger.items.reviews(begun[0].id)]
        assert reviewed == [("h0", "bob"), ("h1", "ann")]
        assert [round(ledger.ratings.all(begun[0].id)[id].elo) for id in ("h0", "h1", "h2")] == [1360, 1280, 1200]
        assert events[2].detail["items"].keys() == {"h0", "h6"}, "of an incomplete one too: shown once it joins"
        assert ledger.audit(begun[0].id).ok


def test_wrong_requests_are_refused_and_leave_nothing():
    with created(Reader()) as tournament:
        before = len(tournament.ledger.tournaments.events(tournament.state.id))
        for text, words in ((" ", "says in words"), ("x" * 2001, "at most 2,000"), ("a\0b", "says in words")):
            with pytest.raises(InvalidConfig, match=words):
                tournament.direct(text)
        with pytest.raises(NotFound, match="no directive 1; none was given"):
            tournament.withdraw(1)
        with pytest.raises(InvalidItems, match="'h9' is not among the items"):
            tournament.inform(goal="x", attributes={"h9": {"a": "b"}})
        with pytest.raises(InvalidConfig, match="did you mean novelty"):
            tournament.inform(rubric="noveltie")
        assert len(tournament.ledger.tournaments.events(tournament.state.id)) == before
    with pytest.raises(InvalidItems, match="'h9' is not among the items"):
        created(Reader(), goal="x", reviews=[{"item": "h9", "score": 0.5, "text": "t"}])


def test_a_model_that_would_not_see_the_dossier_is_refused_and_a_program_is_said_not_to(tmp_path):
    path = tmp_path / "own.jinja"
    path.write_text(
        "Judge.\n---\n{{ criteria }} {{ mark }}\n[BEGIN FIRST {{ mark }}]\n{{ first }}\n[END FIRST {{ mark }}]\n"
        "[BEGIN SECOND {{ mark }}]\n{{ second }}\n[END SECOND {{ mark }}]\n"
    )
    spec = f"llm:m?template={path}@http://127.0.0.1:1/v1"
    with pytest.raises(InvalidConfig, match="sees the criteria and the texts alone"):
        created(spec, goal="Cure it.")
    with created(spec) as tournament:
        asyncio.run(tournament.judge.close())
    card = replace(FunctionJudge(lambda a, b, c: "tie", name="len").card, identity="python:len")
    with created(lambda a, b, c: "tie") as tournament:
        assert dossier_notes(tournament.dossier, card) == ()
    reviews = [{"item": "h1", "reviewer": "ann", "score": 0.5, "text": "long " * 200}]
    with created(lambda a, b, c: "tie", dossier={"goal": "g" * 2000, "max_tokens": 100}, reviews=reviews) as tournament:
        assert dossier_notes(tournament.dossier, card) == (
            "the dossier is longer than 100 tokens: goal, notes will be cut",
            "python:len does not see the dossier, only the criteria and the texts",
        )


def test_what_a_provider_had_cached_is_on_record_and_in_the_status(serve_model):
    endpoint = serve_model(scripted_endpoint.Model(caches=True))
    with Tournament.create(
        ITEMS, judge=f"llm:m@{endpoint.url}", criteria="worth", seed=1, budget=8, goal="Cure it. " * 100
    ) as tournament:
        without_board.run(tournament, pace=CallOptions(concurrency=1))
        events = tournament.ledger.tournaments.events(tournament.state.id)
        assert [event.detail for event in events if event.kind == PROMPT_CACHE] == [
            {"input_tokens": endpoint.count.input_tokens, "cached_tokens": endpoint.count.cached_tokens}
        ]
        assert endpoint.count.cached_tokens > 0.6 * endpoint.count.input_tokens, "the goal comes before the texts"
        tournament.state.refresh(tournament.ledger)
        words = status_of(tournament.ledger, tournament.state)["prompt_cache"]
        share = endpoint.count.cached_tokens / endpoint.count.input_tokens
        assert words.endswith(f"tokens sent ({share:.0%}) were in a provider's cache of prompts")
        assert any(words in str(part) for part in summary(gather(tournament.ledger, tournament.state)))


def test_a_worker_asks_the_same_questions(tmp_path):
    db, judge = tmp_path / "l.db", Reader()
    (tmp_path / "truth.csv").write_text("id,score\n" + "".join(f"{id},1\n" for id in ITEMS))
    with created(judge, db=db, goal="Cure it.", reviews=REVIEWS, attributes={"h0": {"organ": "brain"}}) as tournament:
        judge._after, judge._then = 2, lambda: tournament.direct("prefer the cheap")
        without_board.run(tournament, pace=CallOptions(concurrency=1))
        working = TournamentJudging(
            tournament.ledger,
            tournament.state.id,
            JudgingTerms(judge="j", options={"timeout": 9.0, "attempts": 1, "wait": 0.0}),
            {"j": ListedJudge(spec=f"simulated:{tmp_path / 'truth.csv'}")},
            worker="w",
            gate=Gate(),
            slots=Slots(1),
            concurrency=1,
        )
        backwards = list(judge.asked.values())[::-1]  # a worker may get later rounds first
        for question in backwards:
            shown = tuple(item.id for item in question.items)
            asked = AskedQuestion(call=question.call, judge="j", shown=shown, turns=question.turns)
            assert working._question(asked, AnswerNotes()) == question
        assert {question.dossier.directives for question in backwards} == {(), ("prefer the cheap",)}

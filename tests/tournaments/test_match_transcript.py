"""Debates in a tournament: kept, resumed, gone down the ladder, shown and exported."""

import textwrap

import pytest

import without_board
from paragone.cli.board import print_inspection
from paragone.domain import DebateTurn, MatchProtocol, SchedulingConfig, Speaker, Stage, TournamentConfig
from paragone.domain import TournamentSystemConfig as Config
from paragone.errors import JudgeFailed
from paragone.judges.call_options import CallOptions
from paragone.judges.debates.scripted_advocate import ScriptedAdvocate
from paragone.judges.simulated_judge import SimulatedJudge
from paragone.ledger import Event, Ledger, utc_now
from paragone.tournaments.records import Chronicle, match_results
from paragone.tournaments.running.recording import LedgerWriter
from paragone.tournaments.running.spool import Spool
from paragone.tournaments.running.verdict_store import LedgerTurns
from paragone.tournaments.state.history import EventState
from paragone.tournaments.tournament import Tournament

ITEMS = {
    f"h{number}": f"Hypothesis {number} holds. It predicts a rise of {number} %. Mice would show it."
    for number in range(1, 7)
}
STRENGTHS = {id: float(place) for place, id in enumerate(ITEMS)}
SYSTEM = Config(
    tournament_parameters=TournamentConfig(multi_turn_threshold=100.0),
    scheduling=SchedulingConfig(rounds_per_session=1, matches_per_round=3),
)
QUICK = CallOptions(concurrency=2, attempts=1, wait=0.0)


class Stumbling(ScriptedAdvocate):
    """Fails at some turns of some calls."""

    def __init__(self, at):
        super().__init__(tokens=11, cost=0.5)
        self.at, self.tried = at, []

    async def argue(self, question, speaker, stage, so_far):
        self.tried.append((question.call, len(so_far) + 1))
        if self.at(question.call, len(so_far) + 1):
            raise JudgeFailed("lost for words", retryable=False)
        return await super().argue(question, speaker, stage, so_far)


def verdict(first, second, criteria, transcript):
    better = "first" if STRENGTHS[first.id] > STRENGTHS[second.id] else "second"
    return {
        "winner": better,
        "rationale": "The other one is less precise.\n[red]It names no test.",
        "scores": {"novelty": [0.5, 0.25], "clarity": [1, 0] if better == "first" else [0, 1]},
    }


def held(advocate, judge=verdict, db="sqlite://", system=SYSTEM, **options):
    tournament = Tournament.create(
        ITEMS, judge=judge, advocate=advocate, criteria="precision", pairing="weighted", system=system, db=db, seed=3,
        **options,
    )  # fmt: skip
    without_board.run(tournament, pace=QUICK)
    return tournament


@pytest.fixture(scope="module")
def debated():
    """A tournament whose matches are debates, to be read."""
    with held(ScriptedAdvocate(tokens=1100, cost=0.5)) as tournament:
        yield tournament


def words(seen):
    return "\n".join([*seen.heading, *(passage.text for passage in seen.passages)])


def test_every_turn_is_in_the_ledger_with_what_it_took(debated):
    for match in debated.state.played:
        assert match.protocol is MatchProtocol.MULTI_TURN
        (comparison,) = match.comparisons
        turns = debated.ledger.tournaments.turns(debated.state.id, comparison.call)
        assert [turn.number for turn in turns] == [1, 2, 3, 4, 5, 6]
        assert {turn.usage.output_tokens for turn in turns} == {1100}
    assert debated.audit().ok


def test_a_debate_shows_turn_by_turn_with_scores_reasons_and_who_spoke(debated):
    seen = debated.inspect("1.1")
    (comparison,) = debated.ledger.matches.get(debated.state.id, "1.1").match.comparisons
    said = words(seen)
    assert f"1.1.1: {comparison.first} shown first, {comparison.second} second" in said
    assert "a debate of 3 turns a side" in said
    for number, stage in enumerate(["opening"] * 2 + ["exchange"] * 2 + ["closing"] * 2, start=1):
        side = (comparison.first, comparison.second)[(number - 1) % 2]
        assert f"turn {number}, {stage} for {side}" in said
    assert f"cites: Hypothesis {comparison.first[1:]} holds." in said
    assert "0 tokens in, 1,100 out, $0.5" in said
    assert "because: The other one is less precise." in said
    assert "         first  second\nnovelty   0.50    0.25\nclarity   " in said
    assert f"({comparison.verdict.judge})" in said


def test_a_debate_reads_well_in_80_columns_and_nothing_in_it_is_markup(debated, capsys, monkeypatch):
    monkeypatch.setattr("paragone.cli.tables.WIDTH_WHEN_PIPED", 80)
    monkeypatch.setenv("COLUMNS", "80")
    print_inspection(debated.inspect("1.1"))
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert "    because: The other one is less precise. [red]It names no test." in lines
    assert any(line.startswith("    novelty   0.50    0.25") for line in lines)


def test_what_is_shown_is_there_as_plain_values_too(debated):
    told = debated.inspect("1.2").as_dict()
    assert (told["match"]["protocol"], told["match"]["confidence"]) == ("multi_turn", 1.0)
    (verdict,) = told["verdicts"]
    assert (verdict["turns_planned"], verdict["turns_heard"]) == (3, 3)
    assert verdict["quality"] == {"score": 1.0, "flags": ()}
    assert [turn["stage"] for turn in verdict["turns"]] == ["opening"] * 2 + ["exchange"] * 2 + ["closing"] * 2
    assert verdict["turns"][0]["output_tokens"] == 1100
    assert verdict["scores"][0] == {"criterion": "novelty", "first": 0.5, "second": 0.25}


def test_turns_are_exported_with_their_match(debated):
    records = debated.records("turns")
    assert len(records) == 6 * len(debated.state.played) > 6
    assert {record["match"] for record in records} == {match.id for match in debated.state.played}
    assert {record["speaker"] for record in records} == {"first", "second"}
    rationales = {record["rationale"] for record in debated.records("verdicts")}
    assert rationales == {"The other one is less precise.\n[red]It names no test."}


def test_a_debate_that_fails_late_is_shown_as_what_it_became():
    def fails(call, number):
        return call == "1.1.1" and number == 4

    with held(Stumbling(fails)) as tournament:
        said = words(tournament.inspect("1.1"))
        assert "a debate of 3 turns a side was planned and failed: the judge heard 1 turn a side" in said
        assert "turn 2, opening for" in said
        assert "turn 3, exchange for" in said
        assert said.count("not heard by the judge") == 1
        (told,) = tournament.inspect("1.1").as_dict()["verdicts"]
        assert (told["turns_planned"], told["turns_heard"], len(told["turns"])) == (3, 1, 3)
        assert tournament.ledger.matches.get(tournament.state.id, "1.1").match.protocol is MatchProtocol.MULTI_TURN


def test_a_debate_that_never_began_is_shown_as_a_direct_comparison():
    with held(Stumbling(lambda call, number: call == "1.2.1")) as tournament:
        said = words(tournament.inspect("1.2"))
        assert "was planned and failed: the two were compared directly" in said
        assert "round 1, a direct comparison" in said
        steps = [
            event.detail
            for event in tournament.ledger.tournaments.events(tournament.state.id)
            if event.kind == "fallback"
        ]
        assert [(step["match"], step["step"], step["turns"]) for step in steps] == [
            ("1.2", "shorter", 1), ("1.2", "direct", 0),
        ]  # fmt: skip
        assert steps[0]["error"] == "lost for words"


def test_a_careless_verdict_counts_less_and_says_why():
    def careless(first, second, criteria, transcript):
        return {**verdict(first, second, criteria, transcript), "scores": {"clarity": [0.5, 0.5]}}

    with held(ScriptedAdvocate(), judge=careless) as tournament:
        said = words(tournament.inspect("1.1"))
        assert "counted in the running Elo with a weight of 0.85" in said
        assert "quality 0.85: the scores do not tell the two apart" in said
        change = tournament.ledger.ratings.changes(tournament.state.id)[0]
        assert abs(change.new - change.old) == pytest.approx(0.85 * 16)


def test_a_verdict_that_was_taken_over_says_where_its_debate_is(tmp_path):
    db = tmp_path / "ledger.db"
    held(ScriptedAdvocate(), db=db).close()
    with held(ScriptedAdvocate(), db=db) as again:
        said = words(again.inspect("1.1"))
        assert "the debate was held for an earlier question" in said
        assert again.records("turns") == []


def test_a_killed_debate_goes_on_with_the_turns_that_were_paid_for(tmp_path):
    """The process dies between any two turns; what is in the ledger then is not asked for again."""
    db = tmp_path / "ledger.db"

    class Killed(BaseException):
        pass

    class Dying(Stumbling):
        async def argue(self, question, speaker, stage, so_far):
            if (question.call, len(so_far) + 1) == ("1.2.1", 4):
                raise Killed
            return await super().argue(question, speaker, stage, so_far)

    dying, heir = Dying(lambda call, number: False), Stumbling(lambda call, number: False)
    with pytest.raises(Killed):
        held(dying, db=db)
    with Ledger.open(db) as ledger:
        kept = {(turn.call, turn.number) for turn in ledger.tournaments.turns("tournament-1")}
    assert ("1.2.1", 3) in kept
    with Tournament.open(db, judge=verdict, advocate=heir) as resumed:
        without_board.run(resumed, pace=QUICK)
        assert not kept & set(heir.tried)
        assert ("1.2.1", 4) in heir.tried
        assert len(resumed.records("turns")) == 6 * len(resumed.state.played)
        with held(Stumbling(lambda call, number: False)) as whole:
            assert [row.elo for row in resumed.board().items] == [row.elo for row in whole.board().items]


def test_the_ledger_keeps_turns_as_they_arrive_and_finds_them():
    with held(None, judge=SimulatedJudge(STRENGTHS)) as tournament:
        arrived = []
        id, gate = tournament.state.id, tournament.gate
        spool = Spool(tournament.ledger.tournaments.get(id), ())
        keeper = LedgerWriter(tournament.ledger, id, spool, gate=gate, patience=0, on_waiting=arrived.append)
        turns = LedgerTurns(keeper, arrived.append)
        turn = DebateTurn(call="9.1.1", number=2, speaker=Speaker.SECOND, stage=Stage.OPENING, content="Well.")
        assert turns.find("9.1.1", 2) is None
        turns.keep(turn)
        assert (turns.find("9.1.1", 2), turns.find("9.1.1", 1), arrived) == (turn, None, [turn])
        assert tournament.records("turns")[-1]["match"] == "", "of a debate that has come to no match yet"


def test_the_last_step_down_the_ladder_says_what_was_heard():
    def step(call, step, turns):
        return Event(kind="fallback", detail={"call": call, "step": step, "turns": turns}, at=utc_now())

    events = [step("1.1.1", "shorter", 2), step("1.2.1", "shorter", 2), step("1.2.1", "direct", 0),
              step("1.3.1", "shorter", 2), step("1.3.1", "later", 0),
              Event(kind="fallback", detail={"match": "1.4", "step": "draw"}, at=utc_now())]  # fmt: skip
    assert [EventState(events).turns_left.get(f"1.{place}.1", 5) for place in (1, 2, 3, 4)] == [2, 0, 5, 5]


def test_a_debate_that_is_held_in_the_end_counts_as_one():
    """The advocate and the judge are out at first; the next pass over the round finds them again."""

    class Late(Stumbling):
        def at_first(self, call, number):
            return len(self.tried) <= 2

    advocate = Late(lambda call, number: False)
    advocate.at = advocate.at_first
    out = iter([True])

    def judge(first, second, criteria, transcript):
        if not transcript and next(out, False):
            raise RuntimeError("out")
        return verdict(first, second, criteria, transcript)

    one = Config(
        tournament_parameters=TournamentConfig(multi_turn_threshold=100.0),
        scheduling=SchedulingConfig(rounds_per_session=1, matches_per_round=1),
    )
    with held(advocate, judge=judge, system=one) as tournament:
        steps = [event.detail["step"] for event in tournament.state.events if event.kind == "fallback"]
        assert steps == ["shorter", "direct", "later"]
        assert tournament.state.played[0].protocol is MatchProtocol.MULTI_TURN
        assert "a debate of 3 turns a side\n" in words(tournament.inspect("1.1"))


def test_a_direct_comparison_shows_as_briefly_as_it_was_made():
    with held("none", judge=SimulatedJudge(STRENGTHS, tokens=7, cost=0.25)) as tournament:
        seen = tournament.inspect("1.1")
        text = "\n".join(textwrap.shorten(passage.text, 200) for passage in seen.passages)
        assert "turn" not in text
        assert "verdict: h" in text
        assert "0 tokens in, 7 out, $0.25" in text


def test_a_match_that_was_left_for_later_is_no_step_of_a_debate():
    """The event of a match names no call; the documents read on."""

    def judge(first, second, criteria, transcript):
        if "h3" in (first.id, second.id):
            raise RuntimeError("out")
        return verdict(first, second, criteria, transcript)

    with held(ScriptedAdvocate(), judge=judge) as tournament:
        steps = [event.detail for event in tournament.state.events if event.kind == "fallback"]
        assert any("call" not in step and step["step"] == "later" for step in steps)
        told = match_results(Chronicle.read(tournament.ledger, tournament.state))
        assert len(told) == len(tournament.state.played) > 0
        comparisons = [len(match.comparisons) for match in tournament.state.played]
        assert [len(result.debate_transcript) for result in told] == [7 * count for count in comparisons]


def test_a_debate_that_is_cut_off_on_the_ladder_and_held_after_all_counts_as_one(tmp_path):
    """The process dies between a step down the ladder and the verdict; the next one begins at the whole length."""
    db = tmp_path / "ledger.db"

    class Killed(BaseException):
        pass

    class Dying(Stumbling):
        async def argue(self, question, speaker, stage, so_far):
            if question.turns < 3:
                raise Killed
            return await super().argue(question, speaker, stage, so_far)

    with pytest.raises(Killed):
        held(Dying(lambda call, number: number == 1), db=db)
    with Tournament.open(db, judge=verdict, advocate=ScriptedAdvocate()) as resumed:
        fallen = {event.detail["call"] for event in resumed.state.events if event.kind == "fallback"}
        without_board.run(resumed, pace=QUICK)
        events = resumed.ledger.tournaments.events(resumed.state.id)
        assert {event.detail["call"] for event in events if event.kind == "restored"} == fallen != set()
        assert all(match.protocol is MatchProtocol.MULTI_TURN for match in resumed.state.played)
        chronicle = Chronicle.read(resumed.ledger, resumed.state)
        assert all(len(chronicle.judged_turns(call)) == 6 for call in chronicle.turns)
        assert all("was planned and failed" not in words(resumed.inspect(call.rpartition(".")[0])) for call in fallen)

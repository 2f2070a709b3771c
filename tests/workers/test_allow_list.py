"""What a worker may be made to ask: the judges of its list, and nothing that a ledger names."""

from pathlib import Path

import pytest

from paragone.errors import InvalidConfig, UnknownJudge
from paragone.judges.limits import Slots
from paragone.ledger import Ledger
from paragone.ledger.records import JudgingTerms
from paragone.tournaments.running.control import Gate
from paragone.tournaments.tournament import Tournament
from paragone.workers.answering import TournamentJudging
from paragone.workers.judge_list import ListedJudge, read_judges

TERMS = JudgingTerms(judge="mine", options={"timeout": 5.0, "attempts": 1, "wait": 0.0})


def opened(ledger: Ledger, tournament: str, terms: JudgingTerms = TERMS) -> TournamentJudging:
    judges = {"mine": ListedJudge(spec="llm:any@http://127.0.0.1:9/v1")}
    return TournamentJudging(ledger, tournament, terms, judges, worker="w", gate=Gate(), slots=Slots(1), concurrency=1)


@pytest.mark.parametrize("advocate", ["llm:any@http://elsewhere.example/v1", "scripted", "judge", "none"])
def test_an_advocate_that_the_ledger_names_is_not_asked(
    tmp_path: Path, advocate: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-this-worker")
    made = Tournament.create(
        ["one", "two", "three"],
        judge="llm:any@http://127.0.0.1:9/v1",
        criteria="size",
        pairing="weighted",
        advocate=advocate,
        db=tmp_path / "ledger.db",
    )
    with made as tournament:
        if advocate in ("judge", "none"):
            opened(tournament.ledger, tournament.state.id)
            return
        with pytest.raises(UnknownJudge, match="a worker asks only judges of its list"):
            opened(tournament.ledger, tournament.state.id)


def test_a_judge_off_the_list_is_not_asked_whatever_its_name_says(tmp_path: Path) -> None:
    with Tournament.create(["one", "two"], judge=lambda a, b, c: "tie", criteria="size", db=tmp_path / "l.db") as made:
        for name in ("python:os:system", "command:rm", "other"):
            terms = JudgingTerms(judge=name, options=TERMS.options)
            with pytest.raises(UnknownJudge, match="this worker has no judge"):
                opened(made.ledger, made.state.id, terms)


@pytest.mark.parametrize("text", ["", "mine = 3", 'mine = { spec = "local", key = "sk" }', "mine = { price = [1, 2] }"])
def test_a_list_with_something_else_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "judges.toml").write_text(text)
    with pytest.raises(InvalidConfig, match=r"judges\.toml"):
        read_judges(tmp_path / "judges.toml")

"""``paragone agents``, wrongly used: one clear message, the right exit code, nothing left behind."""

import json

import pytest

from paragone.agents import EloSystem

TEST = ("--successful", 1, "--total", 2)


@pytest.fixture
def agents(paragone):
    return lambda *words: paragone("agents", *words)


def wrong(result, *named, code=2):
    assert result.code == code, result.err
    assert "Traceback" not in result.err
    assert result.out == ""
    for part in named:
        assert part in result.err


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("record",), "who took part? Give NAME=SCORE NAME=SCORE, or --winner NAME --loser NAME"),
        (("record", "claude"), "a score is given as NAME=SCORE, such as claude=0.8, not 'claude'"),
        (("record", "a=high", "b=1"), "not 'a=high'"),
        (("record", "a=nan", "b=1"), "not 'a=nan'"),
        (("record", "a=1"), "'a' is alone"),
        (("record", "a=1", "a=2"), "'a' is named twice"),
        (("record", "a=-1", "b=1"), "the score of 'a' is -1.0"),
        (("record", "a=inf", "b=1"), "the score of 'a' is inf"),
        (("record", "=1", "b=1"), "the name of an agent is blank"),
        (("record", "a\x1b[2J=1", "b=1"), "holds a control character"),
        (("record", f"{'x' * 129}=1", "b=1"), "at most 128 characters"),
        (("record", "a=1", "b=0", "--winner", "a"), "not both"),
        (("record", "--winner", "a"), "who took part?"),
        (("relate", "a", "b"), "nothing to add; say what happened, such as --debates 1"),
        (("relate", "a", "a", "--debates", "1"), "an agent has no relation with itself"),
        (("record", "--winner", "a", "--loser", "a"), "'a' cannot have met itself"),
        (("record", "a=1", "b=0", "--domain", "global"), "cannot be called 'global'"),
        (("record", "a=1", "b=0", "--confidence", "75"), "--confidence lies from 0.1 to 1, not 75"),
        (("record", "a=1", "b=0", "--confidence", "nan"), "not nan"),
        (("record", "a=1", "b=0", "--id", ""), "the id of a debate is blank"),
        (("record", "a=1", "b=0", "--outcome", "magic"), "magic"),
        (("predict",), "TOURNAMENT"),
        (("predict", "t1", "a", "b"), "four words and not 3"),
        (("predict", "t1", "a", "b", "75"), "a confidence is a number from 0 to 1, not '75'"),
        (("predict", "t1", "a", "b", "sure"), "not 'sure'"),
        (("predict", "t1", "a", "b", "0.5", "--correct"), "go with --domain"),
        (("predict", "a", "0.5", "--domain", "law"), "and --correct or --wrong"),
        (("predict", "a", "0.5", "--domain", "global", "--wrong"), "cannot be called 'global'"),
        (("predict", "t1", " ", "b", "0.5"), "is blank"),
        (("redteam", "a", "--robustness", "1.5", *TEST), "robustness lies in [0, 1], not 1.5"),
        (("redteam", "a", "--robustness", "0.5", "--successful", 3, "--total", 2), "3 of 2 attacks"),
        (("redteam", "a", "--robustness", "0.5", "--successful", -1, "--total", 2), "--successful"),
        (("redteam", "a"), "--robustness"),
        (("verify", "a", "--domain", "maths"), "nothing was verified and nothing disproven"),
        (("redteam", "a", "--robustness", "nan", *TEST), "robustness"),
        (("redteam", "a", "--robustness", "0.5", "--successful", 1, "--total", 10**12), "--total"),
        (("verify", "a", "--verified", 1), "--domain"),
        (("verify", "a", "--domain", "maths", "--verified", 10**12), "--verified"),
        (("verify", "a", "--domain", "maths", "--verified", 1, "--k", "inf"), "--k"),
        (("verify", "a", "--domain", "maths", "--verified", 1, "--k", "nan"), "--k"),
        (("verify", "a", "--domain", "global", "--verified", 1), "cannot be called 'global'"),
        (("import", "absent.csv"), "absent.csv"),
        (("board", "--by", "magic"), "magic"),
        (("board", "--limit", 0), "--limit"),
        (("nonsense",), "nonsense"),
    ],
)
def test_what_cannot_be_leaves_nothing_behind(agents, home, words, named):
    wrong(agents(*words), named)
    assert not (home / "paragone.db").exists()


LOOKING = [("board",), ("show", "a"), ("resolve", "t", "a"), ("calibration",), ("calibration", "a"), ("relations", "a")]


@pytest.mark.parametrize("words", LOOKING)
def test_who_only_looks_makes_no_ledger_and_is_told_how_to_begin(agents, home, words):
    wrong(agents(*words), "there is no ledger in paragone.db", "paragone agents record", "paragone agents import")
    assert not (home / "paragone.db").exists()


def test_a_ledger_without_agents(agents, paragone, home):
    (home / "votes.csv").write_text("a,b,winner\nx,y,x\n")
    paragone("import", "votes.csv")
    wrong(agents("board"), "this ledger has no agents; begin with")
    wrong(agents("board", "--pool", "other"), "this ledger has no agents called 'other'")
    assert "votes-1" not in agents("board").out
    wrong(agents("record", "a=1", "b=0", "--pool", "votes-1"), "votes-1", code=1)


def test_names_that_are_not_there_bring_near_ones(agents):
    agents("record", "claude=1", "Gemini=0", "--domain", "law")
    wrong(agents("show", "cluade"), "there is no agent 'cluade'; did you mean 'claude'?")
    wrong(agents("show", "gemini"), "did you mean 'Gemini'?")
    wrong(agents("show", "zzz"), "there are 'claude', 'Gemini'")
    wrong(agents("calibration", "claud"), "did you mean 'claude'?")
    wrong(agents("relations", "claude", "gemin"), "did you mean 'Gemini'?")
    wrong(agents("board", "--domain", "laws"), "nothing was recorded in the domain 'laws'; did you mean 'law'?")
    wrong(agents("calibration", "--domain", "art"), "there are 'law'")
    wrong(agents("relations", "claude", "claude"), "claude")


def test_a_database_that_is_none(agents, home):
    (home / "text.db").write_text("this is no database " * 100)
    wrong(agents("board", "--db", "text.db"), "text.db", code=1)
    wrong(agents("record", "a=1", "b=0", "--db", "no/such/folder/x.db"), "no/such/folder", code=1)


HOSTILE = ["\u202egnp.exe", "[bold red]x[/]", "'; DROP TABLE item;--", "../../etc/passwd", "=1+1", "<script>", "a%_"]


def test_no_name_moves_a_terminal_or_breaks_a_program(agents, home):
    with EloSystem("paragone.db") as elo:
        for number, name in enumerate(HOSTILE):
            elo.record_match(f"{name} {number}", scores={name: 1, "claude": 0.5}, domain=name, task="\x1b[2J")
            elo.record_domain_prediction(name, name, 0.9, correct=True)
            elo.update_relationship(name, "claude", debate_increment=3, a_win=1)
            elo.record_redteam_result(name, 0.9, 1, 2, session_id=name)
    looks = [("board",), ("calibration",), ("relations", "claude"), ("show", "claude")]
    looks += [("board", "--domain", HOSTILE[0]), ("calibration", "--domain", HOSTILE[0]), ("show", HOSTILE[1])]
    looks += [("relations", "claude", name) for name in HOSTILE[:3]]
    shown = {words: agents(*words) for words in looks}
    for words, seen in shown.items():
        assert seen.code == 0, (words, seen.err)
        assert all(ch == "\n" or ch.isprintable() for ch in seen.out), words
    assert "[bold red]x[/]" in shown["board",].out
    for words in looks[:4]:
        json.loads(agents(*words, "--json").out)

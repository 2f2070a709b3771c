"""Wrong usage: what was wrong, what was meant, and no word of the libraries that noticed it."""

import io
import re
import sys

import pytest

from paragone.__main__ import main as begin
from paragone.cli import main

LIBRARIES = re.compile(
    r"Value error|Input should|valid integer|Possible options|No such|Invalid value|Missing|pydantic|Usage"
)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rnk"], "`paragone` has no command 'rnk'; did you mean rank?"),
        (["tournament", "statu"], "`paragone tournament` has no command 'statu'; did you mean status?"),
        (["rank", "x", "--crit", "y"], "`paragone rank` has no option --crit; did you mean --criteria?"),
        (["board", "-x"], "`paragone board` has no option -x"),
        (
            ["rank", "x", "-c", "y", "--pairing", "swis"],
            "--pairing must be informative, swiss, round-robin or weighted, not 'swis'; did you mean swiss?",
        ),
        (
            ["export", "--what", "Match"],
            "--what must be matches, verdicts, failures, turns, changes or items, not 'Match'; did you mean matches?",
        ),
        (["rank", "x", "-c", "y", "--budget", "ten"], "--budget must be a whole number, not 'ten'"),
        (["rank", "x", "-c", "y", "--budget", "0"], "--budget must be at least 1, not '0'"),
        (["rank", "x", "-c", "y", "--confidence", "high"], "--confidence must be a number, not 'high'"),
        (["rank", "-c", "y"], "ITEMS is missing"),
        (["rank", "x"], "--criteria is missing"),
        (["rank", "x", "-c"], "-c needs a value after it"),
        (["rank", "x", "-c", "y", "--price", "1"], "--price needs 2 values after it"),
        (["rank", "x", "-c", "y", "--winner=z"], "--winner takes no value"),
        (["rank", "x", "y", "-c", "z"], "`paragone rank` takes no further argument: 'y' is one too many"),
    ],
)
def test_what_was_wrong_and_what_was_meant(paragone, arguments, words):
    seen = paragone(*arguments)
    first, second = seen.err.splitlines()
    assert (seen.code, seen.out, first) == (2, "", f"paragone: {words}")
    named = arguments[0] if arguments[0] in {"rank", "export", "board", "tournament"} else ""
    assert second == f"see `{f'paragone {named}'.strip()} --help`"
    assert not LIBRARIES.search(seen.err)


def test_what_is_like_nothing_is_answered_with_all_there_is(paragone):
    seen = paragone("tournament", "xyz")
    assert "; there are new, run, status, " in seen.err


def test_a_mistyped_word_is_shown_harmless_and_short(paragone):
    seen = paragone("\x1b[31m" + "a" * 500)
    assert seen.code == 2
    assert "\x1b" not in seen.err
    assert len(seen.err.splitlines()[0]) < 500


def test_a_group_without_a_command_says_what_there_is(paragone):
    seen = paragone("tournament")
    assert seen.code == 2
    assert "Commands:" in seen.err + seen.out


@pytest.mark.parametrize(("arguments", "code"), [(["fit", "--help"], 0), (["rnk"], 2)])
def test_streams_that_were_closed_before_the_start_are_written_to_no_more(monkeypatch, arguments, code):
    streams = ("stdin", "stdout", "stderr")
    for name in streams:
        monkeypatch.setattr(sys, name, None)
    monkeypatch.setattr(sys, "argv", ["paragone", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    for name in streams:
        getattr(sys, name).close()
    assert end.value.code == code


def test_ctrl_c_while_commands_are_loaded_ends_in_one_line(monkeypatch, capsys):
    class Interrupted:
        @staticmethod
        def find_spec(name, *_):
            if name == "paragone.cli":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "paragone.cli")
    monkeypatch.setattr(sys, "meta_path", [Interrupted, *sys.meta_path])
    with pytest.raises(SystemExit) as exit:
        begin()
    assert (exit.value.code, *capsys.readouterr()) == (130, "", "paragone: interrupted\n")


def test_what_is_not_confirmed_says_how_it_is_done_without_asking(paragone, home, monkeypatch):
    paragone("rank", "items.csv", "-c", "longer", "--judge", "python:longer:judge", "--budget", 4, "--quiet")
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))
    seen = paragone("tournament", "delete", "items-1")
    assert (seen.code, seen.err.splitlines()[-1]) == (1, "paragone: nothing was done; with --yes it is not asked first")

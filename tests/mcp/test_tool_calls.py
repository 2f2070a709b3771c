"""What a client is told of an error: its words, no path of this machine, and not without end."""

from paragone.errors import NotFound
from paragone.mcp.tool_calls import ToolCalls, cut


def told(message: str, *places: tuple[str, str]) -> str:
    return str(ToolCalls(None, None, places).refusal(NotFound(message)))


def test_places_of_this_machine_are_named_for_what_they_are() -> None:
    places = (("/srv/project", "the root"), ("/srv/project/.paragone", "the store"))
    assert told("no file 'a' below /srv/project", *places) == "no file 'a' below the root; search or grep finds paths"
    assert told("/srv/project/.paragone is newer", *places) == "the store is newer"


def test_the_root_of_the_machine_is_no_place() -> None:
    assert told("no file 'a/b'", ("/", "the root")) == "no file 'a/b'; search or grep finds paths"


def test_commands_and_options_are_tools_and_arguments() -> None:
    assert told("make it anew with: paragone memory index") == "make it anew with: the tool index"
    assert told("there is none; paragone memory note list shows them") == (
        "there is none; the tool note_list shows them"
    )
    assert told("give it more (--max-tokens)") == "give it more (argument max_tokens)"
    assert "a person" in told("begin with: paragone memory init")
    assert told("no symbol 'file'; look it up with: paragone memory search --kind symbol") == (
        "no symbol 'file'; look it up with: the tool search (what=symbol)"
    )


def test_control_characters_and_endless_messages_stay_here() -> None:
    assert told("a\x1b[31m\nb") == "a [31m\nb"
    assert len(told("x" * 5000)) == 2000


def test_a_cut_text_says_that_it_was_cut() -> None:
    assert [cut("abcd", most) for most in (3, 4)] == ["ab…", "abcd"]

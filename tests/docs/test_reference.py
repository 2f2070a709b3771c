"""The reference names everything there is, and nothing that is not."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import click_tree
import command_reference
from paragone.cli.main import COMMANDS, Group
from paragone.domain.parameter import parameters
from paragone.judges.spec import KINDS
from paragone.settings import CONFIG, TOURNAMENT, Settings
from paragone.web.sign_in import SECRET

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
CLI = (REFERENCE / "cli.md").read_text("utf-8")
_OPTION = re.compile(r"(?:^|(?<=[ |,]))--?[a-zA-Z][a-z0-9-]*")


@cache
def sections() -> dict[str, str]:
    """The text below each command's heading."""
    parts = re.split(r"^#+ paragone (.+)$", CLI, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def named(command: str) -> set[str]:
    """Options that a command's section names."""
    return {name for code in re.findall(r"`([^`\n]+)`", sections()[command]) for name in _OPTION.findall(code)}


def also(command: str) -> set[str]:
    """Other spellings of the shared options that a command's section names, from the table of those."""
    table = CLI.split("## Shared options")[1].split("\n## ")[0]
    rows = [
        set(_OPTION.findall(" ".join(re.findall(r"`([^`]+)`", line))))
        for line in table.splitlines()
        if line.startswith("| `")
    ]
    return {name for row in rows if row & named(command) for name in row}


def taken(command: str) -> set[str]:
    """Options that a command, or one of its commands, takes."""
    return {
        name for each, names in click_tree.options().items() if f"{each} ".startswith(f"{command} ") for name in names
    }


def test_every_command_has_a_section_and_no_other_has() -> None:
    assert set(sections()) == set(click_tree.commands())


def test_the_help_of_every_command_is_in_its_section() -> None:
    assert command_reference.filled(CLI) == CLI, "run `make schemas`"
    assert [name for name, text in sections().items() if f"<!-- help: {name} -->" not in text] == []


@pytest.mark.parametrize("command", sorted(sections()))
def test_every_option_is_in_the_section_of_its_command(command: str) -> None:
    own = click_tree.options()[command]
    assert own <= named(command) | also(command), "not documented"
    assert named(command) <= taken(command), "documented, but not there"


def test_the_commands_that_were_asked_for_are_there() -> None:
    asked = "rank resume board fit matches show audit whatif rollback export judges"
    assert set(asked.split()) <= set(click_tree.commands())


def test_every_command_and_option_says_what_it_is_for() -> None:
    for name, command in click_tree.commands().items():
        assert command.help, name
        assert [option.name for option in command.params if not getattr(option, "help", None)] == [], name


def test_every_setting_is_in_the_reference() -> None:
    text = (REFERENCE / "configuration.md").read_text("utf-8")
    variables = {f"PARAGONE_{name.upper()}": setting for name, setting in parameters(Settings).items()}
    # Of a tournament's parameters the page has the beginning; the secret of sign-in has a variable and is no setting.
    assert set(re.findall(r"PARAGONE_[A-Z]+(?:_[A-Z]+)*", text)) == {*variables, TOURNAMENT, CONFIG, SECRET}
    for variable, setting in variables.items():
        row = next(line for line in text.splitlines() if line.startswith(f"| `{variable}`"))
        default = setting.default
        shown = "none" if default is None else f"{default:g}" if isinstance(default, float | int) else default
        assert f"| {shown} |" in row.replace("`", ""), variable


def test_every_kind_of_judge_is_in_the_reference() -> None:
    text = (REFERENCE / "judges.md").read_text("utf-8")
    assert [kind.name for kind in KINDS if f"| `{kind.name}" not in text] == []


def commands_of(group: Group, path: str = "") -> Iterator[str]:
    for name, command in group.commands.items():
        if isinstance(command, Group):
            yield from [f"{path}{name}"] * (command.default is not None)
            yield from commands_of(command, f"{path}{name} ")
        else:
            yield path + name


def test_the_guide_says_of_every_command_where_the_browser_has_it_or_why_not() -> None:
    page = (REFERENCE.parent / "serving.md").read_text("utf-8")
    section = page.partition("What can and cannot be done in the browser")[2].partition("\n### ")[0]
    cells = [row.split("|")[1] for row in section.splitlines() if row.startswith("| `")]
    assert sorted(code for cell in cells for code in re.findall("`([^`]+)`", cell)) == sorted(commands_of(COMMANDS))

"""Options are converted as typer converts them, whether pydantic is loaded for it or not."""

import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from paragone.cli.main import COMMANDS, Group, _command
from paragone.cli.parameters import _Coercion, without_pydantic

WORDS = (
    "",
    "0",
    "7",
    "-3",
    "07",
    "+7",
    " 7",
    "1_000",
    "7.0",
    "1e3",
    "nan",
    "9" * 20,
    "true",
    "chunk",
    "CHUNK",
    "hybrid",
)
PATHS = (".", "/", "nowhere/x", "-", "locked", "\udcff", "tea, milk and \u2028")
VALUES: tuple[Any, ...] = (None, *WORDS, *PATHS, 3, 0.5, True, Path("there"))


def parameters(group: Group, above: str = "") -> list[tuple[str, Any, Any]]:
    """All options and arguments, with their command and context."""
    found = []
    for name, target in group.commands.items():
        command = _command(group, name)
        context = command.make_context(name, [], resilient_parsing=True)
        found += [(f"{above}{name} {each.name}", each, context) for each in command.get_params(context)]
        found += parameters(target, f"{above}{name} ") if isinstance(target, Group) else []
    return found


def converted(coerce: Any, value: Any, parameter: Any, context: Any) -> Any:
    try:
        return repr(coerce(value, param=parameter, ctx=context))
    except (typer.BadParameter, ValueError) as error:
        return type(error), str(error)


def test_every_option_becomes_what_typer_makes_of_it(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").write_text("x")
    (tmp_path / "locked").touch(mode=0o000)
    kinds = set()
    for name, parameter, context in parameters(COMMANDS):
        quick = parameter.get_runtime_param()
        assert isinstance(quick, _Coercion), name
        kind = parameter.type_descriptor.annotation
        info = parameter.type_descriptor.parameter_info
        signature = (kind, parameter.multiple, parameter.nargs, info.min, info.max, info.exists, info.dir_okay)
        if repr(signature) in kinds:
            continue  # many options are alike
        kinds.add(repr(signature))
        values = [(value,) for value in VALUES] + [(), ("7", "x")] if parameter.nargs == -1 else VALUES
        for value in (*values, None):
            plain = converted(quick.otherwise().coerce, value, parameter, context)
            assert converted(quick.coerce, value, parameter, context) == plain, (name, value)
    assert len(kinds) > 20


def test_bounds_and_own_conversions_are_typers() -> None:
    def run(
        number: Annotated[int, typer.Option(min=1, max=9)] = 1,
        clamped: Annotated[int, typer.Option(min=1, max=9, clamp=True)] = 1,
        own: Annotated[str, typer.Option(parser=lambda text: f"<{text}>")] = "x",
        folder: Annotated[Path, typer.Option(exists=True, file_okay=False, resolve_path=True)] = Path(),
    ) -> None:
        pass

    app = typer.Typer()
    app.command()(run)
    command = without_pydantic(typer.main.get_command(app))
    context = command.make_context("run", [], resilient_parsing=True)
    for parameter in command.get_params(context):
        quick = parameter.get_runtime_param()
        for value in VALUES:
            plain = converted(quick.otherwise().coerce, value, parameter, context)
            assert converted(quick.coerce, value, parameter, context) == plain, (parameter.name, value)


def test_a_board_loads_no_pydantic(tmp_path: Path) -> None:
    script = """
import sys
from paragone.cli.main import main
sys.argv = ["paragone", "board", "--db", "none.db", "--rows", "3"]
try:
    main()
except SystemExit as error:
    print(error.code, "pydantic" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", script], check=True, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "2 False\n"

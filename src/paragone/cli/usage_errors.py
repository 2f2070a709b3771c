"""Wrong usage in words: what was wrong and what may have been meant, whichever library noticed it."""

import re
from typing import Any

import typer

from paragone.domain.refusals import expectation, quoted
from paragone.domain.suggestions import did_you_mean
from paragone.domain.text import visible


def message(error: Any, called: str) -> str:  # noqa: ANN401 - a class that typer keeps to itself
    """What was wrong, and where to read what would be right; the help itself where a group was named and no command.

    Args:
        error: A ``UsageError``.
        called: The command that was called, for errors that do not know it.
    """
    if type(error).__name__ == "NoArgsIsHelpError":
        return str(error.message)
    command = called if error.ctx is None else error.ctx.command_path
    return f"paragone: {_problem(error)}\nsee `{command} --help`"


def _problem(error: Any) -> str:  # noqa: ANN401
    if getattr(error, "option_name", None) is not None:
        return _option_problem(error)
    if isinstance(error, typer.BadParameter):
        return _value_problem(error)
    unknown = re.match(r"No such command '(.*?)'", error.message, re.DOTALL)
    if unknown is not None and error.ctx is not None:
        names = error.ctx.command.list_commands(error.ctx)
        hint = did_you_mean(unknown[1], names) or f"; there are {', '.join(names)}"
        return f"`{error.ctx.command_path}` has no command {quoted(unknown[1])}{hint}"
    extra = re.match(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", error.message, re.DOTALL)
    if extra is not None and error.ctx is not None:
        return f"`{error.ctx.command_path}` takes no further argument: {quoted(extra[1])} is one too many"
    return visible(error.message)


def _option_problem(error: Any) -> str:  # noqa: ANN401
    name = visible(error.option_name)
    if hasattr(error, "possibilities"):
        options = [] if error.ctx is None else _options(error.ctx)
        command = "paragone" if error.ctx is None else error.ctx.command_path
        return f"`{command}` has no option {quoted(name)[1:-1]}{did_you_mean(name, options)}"
    if "does not take a value" in error.message:
        return f"{name} takes no value"
    count = re.search(r"requires (\d+)", error.message)
    return f"{name} needs {count[1]} values after it" if count is not None else f"{name} needs a value after it"


def _value_problem(error: Any) -> str:  # noqa: ANN401
    name = _name(error)
    if hasattr(error, "param_type"):
        return f"{name} is missing"
    details = error.__cause__.errors() if hasattr(error.__cause__, "errors") else ()
    if details:
        return f"{name} {expectation(details[0])}"
    words = visible(error.message).rstrip(".")
    return f"{name} {words}" if words.startswith("must ") else f"{name}: {words}"


def _name(error: Any) -> str:  # noqa: ANN401
    """How a parameter is written: an option in its long form, an argument as the help has it."""
    param = error.param
    if param is None:
        return visible(str(error.param_hint or "a value"))
    if param.param_type_name == "argument":
        return str(param.metavar or param.name.upper())
    return str(max(param.opts, key=len))


def _options(ctx: Any) -> list[str]:  # noqa: ANN401
    written = [name for param in ctx.command.params for name in (*param.opts, *param.secondary_opts)]
    return [name for name in (*written, *ctx.help_option_names) if name.startswith("--")]

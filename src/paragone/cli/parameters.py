"""How the parameters of a command become options, and how the values of options are converted.

A parameter that is annotated with a dataclass stands for that dataclass's fields: each field becomes an option or
argument, and the command receives the dataclass. Of a configuration that ``fields_of`` annotates, these are the fields
that it names.

From version 0.27 on typer converts each value by pydantic, a default too, and a process that needs pydantic for nothing
else pays a tenth of a second for its import. Text for a text, a number within its bounds, a path that need not exist, a
word of a choice are converted here, to the same values; all else, and whatever is wrong, is typer's, with its messages.
"""

import inspect
import os
import re
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import MISSING, dataclass, fields, is_dataclass
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from typer import Context
from typer.models import ArgumentInfo, OptionInfo

from paragone.errors import UsageError


@dataclass(frozen=True, slots=True)
class OnlyWith:
    """Annotates an option that changes nothing unless another is given: it is refused without that.

    Attributes:
        flags: The other option with its value, if it takes one, such as ``--pairing swiss``; or several, with ``or``.
    """

    flags: str


def flattened(command: Callable[..., None]) -> Callable[..., None]:
    """A command that takes the fields of its dataclasses one by one, and refuses options that would change nothing.

    Raises:
        UsageError: For an option that is given without the one that it is for.
    """
    parameters = inspect.signature(command, eval_str=True).parameters
    groups = {name: group for name, each in parameters.items() if (group := _options_of(each.annotation)) is not None}

    def run(**values: Any) -> None:  # noqa: ANN401 - of any option
        if needs:
            _refuse_idle(values.pop(_CONTEXT), needs)
        arguments = {
            name: kind(**{option.name: values.pop(option.name) for option in options})
            for name, (kind, options) in groups.items()
        }
        command(**arguments, **values)

    def is_shared(name: str) -> bool:
        annotation = parameters[name].annotation
        return is_dataclass(annotation) and annotation.__module__ != command.__module__

    flat = [
        option
        for name in sorted(parameters, key=is_shared)  # the command's own options first, those that it shares last
        for option in (groups[name][1] if name in groups else [parameters[name].replace(kind=Parameter.KEYWORD_ONLY)])
    ]
    needs = {each.name: flags for each in flat if (flags := _needed(each.annotation))}
    flat = [each.replace(annotation=_complete(each.name, each.annotation)) for each in flat]
    if needs:
        flat.append(Parameter(_CONTEXT, Parameter.KEYWORD_ONLY, annotation=Context))
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined] # inspect reads it where it is set
    run.__annotations__ = {}
    return run


_CONTEXT = "typer_context"


def _needed(annotation: Any) -> str:  # noqa: ANN401 - any annotation
    """The flags that an option is for; empty where it stands alone."""
    return next((each.flags for each in getattr(annotation, "__metadata__", ()) if isinstance(each, OnlyWith)), "")


def _refuse_idle(context: Context, needs: Mapping[str, str]) -> None:
    for name, flags in needs.items():
        if _is_typed(context, name) and not any(_is_given(context, flag) for flag in flags.split(" or ")):
            own = next(max(each.opts, key=len) for each in context.command.params if each.name == name)
            raise UsageError(f"{own} changes nothing without {flags}: add that, or leave it out")


def _is_typed(context: Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _is_given(context: Context, flag: str) -> bool:
    """Whether an option is given, or has the value that is named behind its flag."""
    word, _, value = flag.partition(" ")
    name = next(str(each.name) for each in context.command.params if word in each.opts)
    current = context.params[name]
    return str(current) == value if value else current is not False and (bool(current) or _is_typed(context, name))


def _complete(name: str, annotation: Any) -> Any:  # noqa: ANN401 - any annotation
    """An annotation whose option has a long flag, the parameter's name, and a word for its value, from its type.

    An argument without a word for its value gets its name, in capitals.
    """
    infos = (each for each in getattr(annotation, "__metadata__", ()) if isinstance(each, OptionInfo | ArgumentInfo))
    declared = next(infos, None)
    if declared is None:
        return annotation
    info, kind = copy(declared), get_args(annotation)[0]
    if isinstance(info, ArgumentInfo):
        info.metavar = info.metavar or name.upper()
        return Annotated[kind, info]
    flags = [] if info.default is ... else [str(info.default), *(info.param_decls or ())]
    if not any(flag.startswith("--") for flag in flags):
        flags.insert(0, f"--{name.replace('_', '-')}")
    info.default, info.param_decls = flags[0], flags[1:]
    info.metavar = info.metavar or next((word for part, word in _METAVARS.items() if part in _parts(kind)), None)
    return Annotated[kind, info]


_METAVARS = {int: "N", Path: "FILE", str: "NAME"}


def _parts(kind: Any) -> set[Any]:  # noqa: ANN401 - any annotation
    """A type, the members of a union, and the elements of a list."""
    return {kind}.union(*map(_parts, get_args(kind))) if get_origin(kind) is not tuple else {kind}


def _options_of(annotation: Any) -> tuple[Any, Sequence[Parameter]] | None:  # noqa: ANN401 - any annotation
    """The class that an annotation stands for, and options of its fields; None for a single option."""
    if is_dataclass(annotation):
        return annotation, _fields(annotation)
    if get_origin(annotation) is Annotated and isinstance(options := annotation.__metadata__[0], tuple):
        return get_args(annotation)[0], options
    return None


def _fields(group: Any) -> Sequence[Parameter]:  # noqa: ANN401 - a dataclass of any kind
    hints = get_type_hints(group, include_extras=True)
    return [
        Parameter(
            field.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]


_NUMBER = re.compile(r"-?[0-9]{1,15}", re.ASCII)
_NOTHING: Any = object()
"""The answer of a conversion that is typer's."""


def without_pydantic(command: Any) -> Any:  # noqa: ANN401 - a class that typer keeps to itself
    """A command of typer that loads pydantic for those values alone that need it."""
    all_parameters = command.get_params  # with --help, which is made when it is asked for
    command.get_params = lambda ctx: [_relieved(parameter) for parameter in all_parameters(ctx)]
    return command


def _relieved(parameter: Any) -> Any:  # noqa: ANN401 - a class that typer keeps to itself
    own = getattr(parameter, "get_runtime_param", None)  # earlier versions of typer need no pydantic
    if own is not None and not isinstance(own, _Coercion):
        parameter.get_runtime_param = _Coercion(parameter.type_descriptor, own)
    return parameter


@dataclass(frozen=True, slots=True)
class _Coercion:
    """A parameter's conversion; called, it returns itself, as typer's makes one when it is first called.

    Attributes:
        descriptor: The parameter's type and its options, by typer.
        otherwise: Returns typer's own conversion.
    """

    descriptor: Any
    otherwise: Callable[[], Any]

    def __call__(self) -> "_Coercion":
        return self

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:  # noqa: ANN401 - of any kind
        """The value of an option or argument, as typer's conversion returns it."""
        plain = _several(value, param, self.descriptor) if param.multiple or param.nargs != 1 else None
        if plain is None and value is not None:
            plain = converted(value, self.descriptor.annotation, self.descriptor.parameter_info)
        return self.otherwise().coerce(value, param=param, ctx=ctx) if plain is _NOTHING else plain


def _several(value: Any, param: Any, descriptor: Any) -> Any:  # noqa: ANN401 - of any kind
    """The values of an option or argument that may be repeated; typer has an empty tuple for none at all."""
    kinds = get_args(descriptor.annotation) if get_origin(descriptor.annotation) is list else ()
    if value is None and (param.multiple or param.nargs == -1):
        return ()
    if len(kinds) != 1 or not isinstance(value, tuple | list):
        return _NOTHING
    values = [converted(each, kinds[0], descriptor.parameter_info) for each in value]
    return _NOTHING if any(each is _NOTHING for each in values) else values


def converted(value: Any, kind: Any, info: Any) -> Any:  # noqa: ANN401 - of any kind
    """A value of a kind, by an option's bounds; ``_NOTHING`` if it is for typer to convert or to refuse."""
    if info.parser is not None:
        return _NOTHING
    if kind is str:
        return value if type(value) is str and _is_text(value) else _NOTHING
    if kind in (int, float) and not info.clamp:
        return _number(value, kind, info)
    if kind is Path:
        return Path(value) if isinstance(value, str | Path) and not _is_checked(value, info) else _NOTHING
    if get_origin(kind) is Literal:
        return value if type(value) is str and value in get_args(kind) else _NOTHING
    return _NOTHING


def _number(value: Any, kind: type, info: Any) -> Any:  # noqa: ANN401 - of any kind
    """An integer of plain digits, or a number that is one already."""
    if type(value) is str and kind is int and _NUMBER.fullmatch(value):
        value = int(value)
    if type(value) is not kind:
        return _NOTHING
    inside = (info.min is None or value >= info.min) and (info.max is None or value <= info.max)
    return value if inside else _NOTHING


def _is_text(value: str) -> bool:
    """Whether a text has no halves of characters, as an argument has that is not UTF-8."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_checked(path: str | Path, info: Any) -> bool:  # noqa: ANN401 - a class that typer keeps to itself
    """Whether typer asks for more of a path than that it can be read if it is there, or refuses it."""
    if info.path_type is not None or info.exists or info.writable or info.resolve_path or info.allow_dash:
        return True
    if not (info.file_okay and info.dir_okay and _is_text(str(path))):
        return True
    return bool(info.readable and os.path.exists(path) and not os.access(path, os.R_OK))  # noqa: PTH110 - as typer looks

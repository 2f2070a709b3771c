"""How the parameters of a command become options: one by one, from the fields of dataclasses and of configurations.

A parameter that is annotated with a dataclass stands for that dataclass's fields: each field becomes an option or
argument, and the command receives the dataclass. Of a configuration that ``fields_of`` annotates, these are the fields
that it names.
"""

import inspect
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import MISSING, fields, is_dataclass
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from typer.models import ArgumentInfo, OptionInfo


def flattened(command: Callable[..., None]) -> Callable[..., None]:
    """A command that takes the fields of its dataclasses one by one."""
    parameters = inspect.signature(command, eval_str=True).parameters
    groups = {name: group for name, each in parameters.items() if (group := _options_of(each.annotation)) is not None}

    def run(**values: Any) -> None:  # noqa: ANN401 - of any option
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
    flat = [each.replace(annotation=_complete(each.name, each.annotation)) for each in flat]
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined] # inspect reads it where it is set
    run.__annotations__ = {}
    return run


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

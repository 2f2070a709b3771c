"""Prompt templates: Jinja files of this package and of users, filled in a sandbox, each with a name and a hash."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from paragone.errors import InvalidConfig, UnreadableFile

if TYPE_CHECKING:
    from jinja2 import Environment, Template

_BREAK = "\n---\n"
_PLAIN = re.compile(r"\{\{ (\w+) \}\}")
DOSSIER_SLOTS = ("dossier_rules", "dossier", "first_notes", "second_notes")
"""Slots of what a dossier adds; empty without one."""
PAIR_SLOTS = ("criteria", "mark", "first", "second")
"""Slots that the template of a pair must have."""
_LARGEST = 200_000
_PROBE_MARK = "0123456789abcdef"


@dataclass(frozen=True, kw_only=True, slots=True)
class PromptTemplate:
    """A prompt template.

    Attributes:
        name: Name of its file.
        parts: Its parts in order, such as the system's message and the user's; in the file a line of three dashes
            separates them.
        hash: SHA-256 of the template, in hexadecimal.
    """

    name: str
    parts: tuple[str, ...]
    hash: str

    def fill(self, part: int, **values: object) -> str:
        """Fill the slots of one part. Values are not searched for slots again.

        Raises:
            KeyError: If a slot has no value.
        """
        from jinja2 import UndefinedError

        try:
            return _compiled(self.parts[part]).render(values)
        except UndefinedError as error:
            raise KeyError(str(error)) from error

    @property
    def slots(self) -> frozenset[str]:
        """The names of all slots."""
        from jinja2.meta import find_undeclared_variables

        names = (find_undeclared_variables(_environment().parse(part)) for part in self.parts)
        return frozenset().union(*names)

    @property
    def takes_dossier(self) -> bool:
        """Whether it has a place for everything that a dossier adds."""
        return self.slots.issuperset(DOSSIER_SLOTS)


@cache
def _environment() -> "Environment":
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    # No loader: a template includes nothing. Prompts are no HTML, so nothing is escaped: texts stand in fences.
    return ImmutableSandboxedEnvironment(undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True)


@cache
def _compiled(source: str) -> "Template":
    return _environment().from_string(source)


@cache
def load(name: str) -> PromptTemplate:
    """Read a prompt template of this package.

    Args:
        name: Name of its file, without the ending.
    """
    source = (files("paragone.judges") / "prompt_texts" / f"{name}.jinja").read_text("utf-8")
    return PromptTemplate(name=name, parts=_parts(source), hash=hashlib.sha256(_plain(source).encode()).hexdigest())


def _parts(source: str) -> tuple[str, ...]:
    return tuple(part.strip("\n") for part in source.split(_BREAK))


def _plain(source: str) -> str:
    """The template as it was before there were dossiers, in the form that its hash was taken of.

    The hash is part of the key of every verdict on record, so it must change with the words and with nothing else.
    """
    return _PLAIN.sub(lambda slot: "" if slot[1] in DOSSIER_SLOTS else f"${slot[1]}", source)


def own_template(path: str | Path, *, scores: bool = False) -> PromptTemplate:
    """Read a user's template of a pair, and check it by filling it.

    Args:
        path: The file: the system's message, a line of three dashes, the user's message.
        scores: Whether scores are asked for, so that it needs a place for them.

    Raises:
        UnreadableFile: If it cannot be read.
        InvalidConfig: If it is no template, lacks a slot, or shows a text outside its fence; says what to do.
    """
    try:
        source = Path(path).read_bytes().decode("utf-8")
    except FileNotFoundError as error:
        raise UnreadableFile(f"{path}: no such file") from error
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableFile(f"{path}: it cannot be read as UTF-8 text ({error})") from error
    if len(source) > _LARGEST:
        raise InvalidConfig(f"{path}: a template has at most {_LARGEST:,} characters, not {len(source):,}")
    digest = hashlib.sha256(source.encode()).hexdigest()
    template = PromptTemplate(name=Path(path).name, parts=_parts(source.replace("\r\n", "\n")), hash=digest)
    if len(template.parts) != 2:
        raise InvalidConfig(
            f"{path}: it has {len(template.parts)} parts; write the system's message, a line of three dashes, and the "
            "user's message"
        )
    _check_slots(template, path, scores=scores)
    _check_fences(template, path)
    return template


def _check_slots(template: PromptTemplate, path: str | Path, *, scores: bool) -> None:
    from jinja2 import TemplateSyntaxError

    try:
        slots = template.slots
    except TemplateSyntaxError as error:
        raise InvalidConfig(f"{path}: it is not a valid Jinja template: {error.message}") from error
    allowed = (*PAIR_SLOTS, *DOSSIER_SLOTS, "scores")
    surplus = sorted(slots - set(allowed))
    if surplus:
        raise InvalidConfig(f"{path}: there is no slot {surplus[0]!r}; the slots are {', '.join(allowed)}")
    missing = [slot for slot in (*PAIR_SLOTS, *(("scores",) if scores else ())) if slot not in slots]
    if missing:
        raise InvalidConfig(
            f"{path}: it lacks {', '.join(f'{{{{ {slot} }}}}' for slot in missing)}; a template has at least "
            f"{', '.join(PAIR_SLOTS)}, and scores where criteria are scored"
        )
    some = sorted(set(DOSSIER_SLOTS) - slots)
    if some and len(some) < len(DOSSIER_SLOTS):
        raise InvalidConfig(f"{path}: it has a part of the dossier, but lacks {', '.join(some)}: take all or none")


def _check_fences(template: PromptTemplate, path: str | Path) -> None:
    """Fill it with texts that can be told apart, and look where they are."""
    from jinja2 import TemplateError

    texts = {"first": "probe-one", "second": "probe-two"}
    values = dict.fromkeys((*PAIR_SLOTS, *DOSSIER_SLOTS, "scores"), "") | texts | {"mark": _PROBE_MARK}
    try:
        system, user = (_compiled(part).render(values) for part in template.parts)
    except (TemplateError, TypeError, ValueError, ArithmeticError) as error:
        raise InvalidConfig(f"{path}: it cannot be filled: {error}") from error
    for slot, text in texts.items():
        if text in system or not _is_fenced(user.split("\n"), slot.upper(), text):
            raise InvalidConfig(
                f"{path}: the {slot} text stands outside a fence, so it could pass for instructions; write\n"
                f"[BEGIN {slot.upper()} {{{{ mark }}}}]\n{{{{ {slot} }}}}\n[END {slot.upper()} {{{{ mark }}}}]"
            )
    if user.count(_PROBE_MARK) < 5 or _PROBE_MARK in system:
        raise InvalidConfig(
            f"{path}: the user's message must name the mark before the texts, as in: Mark of this comparison: "
            "{{ mark }}"
        )


def _is_fenced(lines: Sequence[str], name: str, text: str) -> bool:
    """Whether a text is there once, on a line of its own between the two lines of its fence."""
    positions = [at for at, line in enumerate(lines) if text in line]
    if len(positions) != 1 or not 0 < positions[0] < len(lines) - 1:
        return False
    before, line, after = lines[positions[0] - 1 : positions[0] + 2]
    fence = (f"[BEGIN {name} {_PROBE_MARK}]", text, f"[END {name} {_PROBE_MARK}]")
    return (before, line, after) == fence

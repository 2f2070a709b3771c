"""Forms as browsers send them without a script: fields, and files where the form has some."""

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.parser import HeaderParser
from typing import Annotated, TypeVar
from urllib.parse import parse_qs

from fastapi import Depends, Request
from pydantic import ValidationError
from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response

from paragone.errors import Conflict, InvalidConfig, UsageError
from paragone.web.problems import in_words

MOST_FIELDS = 100
"""Maximum number of fields of a form."""
CSRF = "csrf"
"""Field with the CSRF token of the page."""
_KINDS = ("application/x-www-form-urlencoded", "multipart/form-data")
_TAKES_FILES = re.compile(r"/begin|/import|/pools/[^/]+/change|/api/v1/pools/[^/]+/images")


@dataclass(frozen=True, kw_only=True, slots=True)
class Upload:
    """A file of a form.

    Attributes:
        name: Its name on the sender's machine.
        content: Its bytes.
    """

    name: str
    content: bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class Form:
    """A form that was sent.

    Attributes:
        fields: The values of its fields, each once, without blanks at their ends.
        files: Files that were chosen, by field.
    """

    fields: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, Upload] = field(default_factory=dict)


def takes_files(path: str) -> bool:
    """Whether the form at a path may bring files, which may be larger than other bodies."""
    return _TAKES_FILES.fullmatch(path) is not None


def is_form(headers: Headers) -> bool:
    """Whether a request brings a form."""
    return headers.get("content-type", "").partition(";")[0].strip().lower() in _KINDS


async def form_of(request: Request) -> Form:
    """The form that a request brings; an empty one if it brings none, or one that cannot be read."""
    if not hasattr(request.state, "form"):
        kind = request.headers.get("content-type", "")
        request.state.form = await asyncio.to_thread(parsed, await request.body(), kind)
    form: Form = request.state.form
    return form


FormDep = Annotated[Form, Depends(form_of)]
Sent = TypeVar("Sent")
Acts = Mapping[str, tuple[Callable[[Sent], object], str]]
"""What the forms of a page do, by name: each returns a number or a name, and says what was done in words with it."""


def words_of_act(acts: Acts[Sent], name: str, result: str) -> str:
    """What is said after an act; empty for a name that is none."""
    return acts[name][1].format(result) if name in acts else ""


def do(acts: Acts[Sent], name: str, sent: Sent) -> object:
    """Do what the form of a name says.

    Raises:
        InvalidConfig: If the page has no such form.
    """
    if name not in acts:
        raise InvalidConfig("that form is of another page: send it once more")
    return acts[name][0](sent)


def answer_form(act: Callable[[], str], page_with: Callable[[str], Response]) -> Response:
    """Act on a form and go where that leads; if it is refused, show its page again with the problem in words.

    Args:
        act: Does what the form says, and returns the address that shows what was done.
        page_with: The page with a problem.
    """
    try:
        return RedirectResponse(act(), 303)
    except ValidationError as errors:
        return page_with(in_words(errors))
    except (UsageError, Conflict) as refused:
        return page_with(str(refused))


def parsed(body: bytes, kind: str) -> Form:
    """A form of a body.

    Args:
        body: The body.
        kind: Its content type.
    """
    name, _, rest = kind.partition(";")
    if name.strip().lower() == _KINDS[0]:
        return Form(fields={field: value.strip() for field, value in fields(body).items()})
    boundary = re.search(r'boundary="?([^";,]{1,200})', rest)
    return Form() if boundary is None else _parts(body, boundary[1].encode("latin-1", "replace"))


def fields(body: bytes, most: int = MOST_FIELDS) -> dict[str, str]:
    """The fields of a form without files, each once; none if it is invalid.

    Args:
        body: The body.
        most: Maximum number of fields.
    """
    try:
        sent = parse_qs(body.decode("ascii"), max_num_fields=most, errors="replace")
    except ValueError:
        return {}
    return {name: values[0] for name, values in sent.items()}


def _parts(body: bytes, boundary: bytes) -> Form:
    """The parts of a body as RFC 7578 has them."""
    texts: dict[str, str] = {}
    files: dict[str, Upload] = {}
    for part in (b"\r\n" + body).split(b"\r\n--" + boundary, MOST_FIELDS)[1:]:
        head, gap, content = part.partition(b"\r\n\r\n")
        disposition = HeaderParser().parsestr(head.decode("utf-8", "replace").lstrip("\r\n"))
        name = disposition.get_param("name", header="content-disposition")
        if not gap or not isinstance(name, str):
            continue
        file = disposition.get_param("filename", header="content-disposition")
        if file is None:
            texts.setdefault(name, content.decode("utf-8", "replace").strip())
        elif content or file:  # browsers send a file without a name where none was chosen
            files.setdefault(name, Upload(name=str(file), content=content))
    return Form(fields=texts, files=files)

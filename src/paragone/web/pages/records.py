"""Record comparisons or debates of a file in the browser, after a look at what was understood of it."""

import base64
import zlib
from typing import get_args

from fastapi import APIRouter
from starlette.responses import HTMLResponse, RedirectResponse, Response

from paragone.errors import InvalidConfig, UsageError
from paragone.intake.uploads import MOST_LETTERS
from paragone.web.config import WebConfig
from paragone.web.forms import FormDep, Upload
from paragone.web.middleware.access_tokens import Caller
from paragone.web.middleware.authorization import Admin
from paragone.web.pages.rendering import page
from paragone.web.parameters import ConfigDep, LedgerDep
from paragone.web.record_upload import RecordKind, UploadSummary, recorded
from paragone.wire.address import agents_url, pool_url

router = APIRouter()
LONGEST_NAME = 200


@router.get("/import")
def ask_file(config: ConfigDep, who: Admin) -> HTMLResponse:
    """A form for the file."""
    return _page(config, who)


@router.post("/import")
def take_file(reader: LedgerDep, config: ConfigDep, who: Admin, form: FormDep) -> Response:
    """Show what was understood of a file; or record it, once somebody has seen that."""
    fields = form.fields
    kind, into = fields.get("kind", ""), fields.get("into", "")[:LONGEST_NAME]
    try:
        record_kind = next((each for each in get_args(RecordKind) if each == kind), None)
        if record_kind is None:
            raise InvalidConfig("say what the file holds: votes or debates")
        if "packed" not in fields:
            file = form.files.get("file")
            if file is None:
                raise InvalidConfig("choose a file")
            understood = recorded(record_kind, file.name, file.content, into=into)
            return _page(config, who, record_kind, into, understood, file)
        file = Upload(name=fields.get("name", ""), content=_unpacked(fields["packed"]))
        done = recorded(record_kind, file.name, file.content, db=config.db, into=into)
        reader.log_act(done.pool, who.name, "import", file=file.name, rows=done.rows)
        return RedirectResponse(agents_url(done.pool) if record_kind == "debates" else pool_url(done.pool), 303)
    except UsageError as problem:
        return _page(config, who, kind, into, problem=str(problem))


def _unpacked(text: str) -> bytes:
    try:
        unpacking = zlib.decompressobj()
        content = unpacking.decompress(base64.urlsafe_b64decode(text), 4 * MOST_LETTERS)
        if unpacking.eof:
            return content
    except (ValueError, zlib.error):
        pass
    raise InvalidConfig("the file of this page arrived damaged: choose it once more")


def _page(
    config: WebConfig,
    who: Caller,
    kind: str = "votes",
    into: str = "",
    understood: UploadSummary | None = None,
    file: Upload | None = None,
    *,
    problem: str = "",
) -> HTMLResponse:
    packed = "" if file is None else base64.urlsafe_b64encode(zlib.compress(file.content)).decode()
    if len(packed) > config.max_upload - 10_000:
        packed, understood, problem = "", None, "the file is too large to be looked at here: use paragone import"
    return page(
        "import.html",
        status=422 if problem else 200,
        section="begin",
        who=who,
        kind=kind,
        into=into,
        understood=understood,
        name="" if file is None else file.name,
        packed=packed,
        problem=problem,
        most_bytes=config.max_upload,
    )

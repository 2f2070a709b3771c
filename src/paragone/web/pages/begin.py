"""Begin a tournament in the browser: its items, then what is asked of whom; the forecast and the start come after it.

Each step is a form that works without a script. What was understood of the items is shown, and goes with the second
form: so nothing is on record before the tournament is, and any number of people can begin any number at once.
"""

import base64
import hashlib
import json
import re
import secrets
import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse, Response

from paragone.domain import Item, PairingPolicy
from paragone.domain.dossier import CRITERIA
from paragone.domain.text import counted
from paragone.errors import InvalidConfig, InvalidItems, UsageError
from paragone.intake.images import images_among
from paragone.intake.items import identical_texts, lacking
from paragone.intake.uploads import ENDINGS, MOST_LETTERS, Understood, pasted_items, uploaded_items
from paragone.tournaments.texts import add_image
from paragone.web.api.creation import NewTournament, begin_tournament
from paragone.web.api.pools import NewPool, begin_pool
from paragone.web.config import WebConfig
from paragone.web.forms import Form, FormDep, answer_form
from paragone.web.middleware.access_tokens import Caller
from paragone.web.middleware.authorization import Admin
from paragone.web.pages.rendering import page
from paragone.web.parameters import ConfigDep, LedgerDep, StorableText
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.rich_text import looks_like_markdown
from paragone.web.views.texts import set_read_as
from paragone.wire.address import pool_url

router = APIRouter()

PEOPLE_VOTE = ":people"
"""The choice of people in place of a judge; the name of no judge has a colon."""
REMARKED = 5
"""Remarks on images that are shown."""
PREVIEWED = 6
"""Items that are shown of those that were understood."""
_LONGEST_SHOWN = 300
_DAMAGED = "the items of this page arrived damaged: give them once more"
_CRITERION = re.compile(r"([^:()]+?)\s*(?:\(([^()]*)\))?\s*(?::\s*(.+))?")
_NUMBERS = {"top": int, "confidence": float, "budget": int, "max_cost": float, "max_tokens": int, "orders": int}


@dataclass(frozen=True, kw_only=True, slots=True)
class Preview:
    """What was understood of some items.

    Attributes:
        count: How many there are.
        words: How they were read.
        first: The first of them.
        lengths: Characters of the shortest and of the longest text.
        remarks: What somebody may want to mend before they are judged.
        packed: All of them, as the next form brings them back.
        images: Their images, likewise.
        markdown: Whether most texts look like Markdown, or there are images.
    """

    count: int
    words: str
    first: tuple[Item, ...]
    lengths: tuple[int, int]
    remarks: tuple[str, ...]
    packed: str
    images: str
    markdown: bool


@router.get("/begin")
def ask_items(config: ConfigDep, who: Admin, judge: Annotated[StorableText, Query(max_length=60)] = "") -> HTMLResponse:
    """The first step: items."""
    return _page(config, who, {"judge": judge})


@router.post("/begin")
def take_step(reader: LedgerDep, config: ConfigDep, who: Admin, form: FormDep) -> Response:
    """Show what was understood of the items and ask the rest; or make the tournament and show what it will take."""
    fields = form.fields
    if "packed" not in fields:
        try:
            return _page(config, who, fields, previewed(understood_of(form), config.max_upload))
        except UsageError as problem:
            return _page(config, who, fields, problem=str(problem))
    try:
        items, images = unpacked(fields["packed"]), unpacked_images(fields.get("images", ""))
    except InvalidItems as problem:
        return _page(config, who, {}, problem=str(problem))

    def page_with(problem: str) -> HTMLResponse:
        preview = previewed(Understood(items=items, words=fields.get("words", ""), images=images), config.max_upload)
        return _page(config, who, fields, preview, problem=problem)

    return answer_form(lambda: _begun(reader, config, who, fields, items, images), page_with)


def understood_of(form: Form, fewest: int = 2) -> Understood:
    """The items of a form, of its file if it has one.

    Args:
        form: The form.
        fewest: How many there must be.

    Raises:
        UsageError: If they cannot be read or ranked.
    """
    file, fields = form.files.get("file"), form.fields
    if file is None:
        return pasted_items(fields.get("pasted", ""), paragraphs=fields.get("divided") == "paragraphs", fewest=fewest)
    columns = {name: fields.get(name, "") for name in ("id_column", "text_column")}
    return uploaded_items(file.name, file.content, **columns, fewest=fewest)


def previewed(understood: Understood, most_bytes: int) -> Preview:
    """What to show of items that were understood.

    Args:
        understood: The items.
        most_bytes: Bytes that the next form may have.
    """
    items = understood.items
    same, unfinished = identical_texts(items), sum(bool(lacking(item.text)) for item in items)
    remarks = list(understood.remarks[:REMARKED])
    if len(understood.remarks) > REMARKED:
        remarks.append(f"{len(understood.remarks) - REMARKED:,} more images were left out")
    text, images = packed(items), packed_images(understood.images)
    if len(text) + len(images) > most_bytes - 10_000:
        images = ""
        remarks.append("the images are too large to come with the items: add them on the page Change")
    if same:
        stands = "1 text stands" if len(same) == 1 else f"{len(same):,} texts stand"
        remarks.append(f"{stands} for more than one item: such items can only tie")
    if unfinished:
        remarks.append(f"{counted(unfinished, 'text')} may be cut off at the end")
    lengths = [len(item.text) for item in items]
    return Preview(
        count=len(items),
        words=understood.words,
        first=tuple(items[:PREVIEWED]),
        lengths=(min(lengths), max(lengths)),
        remarks=tuple(remarks),
        packed=text,
        images=images,
        markdown=bool(images) or looks_like_markdown([item.text for item in items]),
    )


def packed(items: Sequence[Item]) -> str:
    """Items as one field of a form."""
    text = json.dumps([[item.id, item.text] for item in items], ensure_ascii=False)
    return base64.urlsafe_b64encode(zlib.compress(text.encode())).decode()


def packed_images(images: Mapping[str, bytes]) -> str:
    """Images as one field of a form; empty if there are none."""
    return " ".join(f"{name}:{base64.b64encode(data).decode()}" for name, data in images.items())


def unpacked_images(text: str) -> dict[str, bytes]:
    """The images of a field, which are checked again where they are kept.

    Raises:
        InvalidItems: If the field is damaged.
    """
    parts = (part.partition(":") for part in text.split())
    try:
        sent = {name: base64.b64decode(data, validate=True) for name, _, data in parts}
    except ValueError as error:
        raise InvalidItems(_DAMAGED) from error
    images, problems = images_among(sent)
    if problems:
        raise InvalidItems(_DAMAGED)
    return images


def unpacked(text: str) -> tuple[Item, ...]:
    """The items of a field; they are checked again where the tournament is made.

    Raises:
        InvalidItems: If the field is damaged, or holds more than may be uploaded.
    """
    try:
        unpacking = zlib.decompressobj()
        values = json.loads(unpacking.decompress(base64.urlsafe_b64decode(text), 5 * MOST_LETTERS))
        return tuple(Item(id=str(id), text=str(text)) for id, text in values)
    except (ValueError, TypeError, zlib.error, RecursionError) as error:
        raise InvalidItems(_DAMAGED) from error


def rubric_of(text: str) -> list[dict[str, Any]]:
    """The criteria of a rubric, one a line: ``name``, ``name: definition`` or ``name (weight): definition``.

    Raises:
        InvalidConfig: If a line is no criterion.
    """
    criteria = []
    for line in filter(None, map(str.strip, text.splitlines())):
        parts = _CRITERION.fullmatch(line)
        if parts is None:
            raise InvalidConfig(f"a criterion is a line such as 'novelty (0.5): how new it is', not {line[:80]!r}")
        name, weight, definition = parts.groups()
        entry = {"name": name, "weight": weight, "definition": definition}
        criteria.append({key: value for key, value in entry.items() if value is not None})
    return criteria


def _begun(
    reader: LedgerReader,
    config: WebConfig,
    who: Caller,
    fields: Mapping[str, str],
    items: tuple[Item, ...],
    images: Mapping[str, bytes],
) -> str:
    """Make the tournament that a form describes. The same form again makes no other one.

    Returns:
        Where it goes on: the forecast, or the ballot where people judge.
    """
    by_people = fields.get("judge") == PEOPLE_VOTE
    request = _pool(fields, items) if by_people else _tournament(fields, items)
    key = hashlib.sha256((fields.get("key", "") + request.model_dump_json()).encode()).hexdigest()
    if isinstance(request, NewPool):
        id, is_new = begin_pool(reader, request, key)
    else:
        id, is_new = begin_tournament(reader, config.judges, request, key)
    if is_new:
        reader.log_act(id, who.name, "create")
        for name, content in images.items():
            add_image(reader.ledger, id, name, content, who.name)
        set_read_as(reader, id, "markdown" if fields.get("read_as") == "markdown" else "plain", who.name)
    return pool_url(id, "vote") if by_people else pool_url(id, "live", "start")


def _tournament(fields: Mapping[str, str], items: tuple[Item, ...]) -> NewTournament:
    rubric = rubric_of(fields.get("rubric", ""))
    dossier = {"goal": fields.get("goal") or None, "rubric": rubric or None}
    values = {name: fields[name] for name in (*_NUMBERS, "name", "criteria", "judge", "pairing") if fields.get(name)}
    aim = fields.get("aim", "")
    if aim != "top":
        values.pop("top", None)
    elif "top" not in values:
        raise InvalidConfig("say how many of the best are to be found")
    return NewTournament.model_validate(
        {
            **_read(values),
            "items": _listed(items),
            "dossier": dossier if any(dossier.values()) else None,
            "winner": aim == "winner",
            "whole_order": aim == "order",
        }
    )


def _pool(fields: Mapping[str, str], items: tuple[Item, ...]) -> NewPool:
    if fields.get("goal") or fields.get("rubric"):
        raise InvalidConfig("people are shown what makes one better in words alone: leave goal and rubric empty")
    top = {"top": fields.get("top"), "winner": "1"}.get(fields.get("aim", ""))
    values = {"name": fields.get("name"), "criteria": fields.get("criteria"), **({"top": top} if top else {})}
    return NewPool.model_validate({**_read(values), "items": _listed(items)})


def _read(values: Mapping[str, Any]) -> dict[str, Any]:
    """Texts of a form as what they stand for.

    Raises:
        InvalidConfig: If a number is none.
    """
    read = dict(values)
    for name, kind in _NUMBERS.items():
        if name in read:
            try:
                read[name] = kind(read[name])
            except ValueError as error:
                raise InvalidConfig(f"{name.replace('_', ' ')} is a number, not {read[name][:40]!r}") from error
    return read


def _listed(items: tuple[Item, ...]) -> list[dict[str, str]]:
    return [{"id": item.id, "text": item.text} for item in items]


def _page(
    config: WebConfig, who: Caller, fields: Mapping[str, str], preview: Preview | None = None, problem: str = ""
) -> HTMLResponse:
    return page(
        "begin.html",
        status=422 if problem else 200,
        section="begin",
        who=who,
        given=defaultdict(str, fields),
        preview=preview,
        problem=problem,
        key=fields.get("key") or secrets.token_hex(16),
        judges=sorted(config.judges),
        people_vote=PEOPLE_VOTE,
        is_markdown=fields["read_as"] == "markdown"
        if "read_as" in fields
        else preview is not None and preview.markdown,
        pairings=[policy.value for policy in PairingPolicy],
        criteria=sorted(CRITERIA),
        endings=ENDINGS,
        most_bytes=config.max_upload,
        longest=_LONGEST_SHOWN,
    )

"""Change a tournament in the browser: more items, items that retire or return, directives and reviews."""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import HTMLResponse, Response

from paragone.errors import InvalidConfig
from paragone.intake.images import MOST_BYTES
from paragone.intake.items import MAX_ID
from paragone.intake.uploads import ENDINGS
from paragone.tournaments import lifecycle
from paragone.tournaments.dossiers import LONGEST_DIRECTIVE, directives
from paragone.tournaments.texts import add_image
from paragone.web.api.dossiers import NewDirective, NewReviews, add_directive, post_reviews, withdraw_directive
from paragone.web.api.lifecycle import NewState, NewTitle, change_state
from paragone.web.api.pools import NewItems, add_items
from paragone.web.api.tasks import Availability, readmit_items, retire_items
from paragone.web.api.texts import NewTextSettings
from paragone.web.config import WebConfig
from paragone.web.forms import Acts, Form, FormDep, answer_form, do, words_of_act
from paragone.web.middleware.access_tokens import Caller
from paragone.web.middleware.authorization import Admin
from paragone.web.pages.begin import understood_of
from paragone.web.pages.rendering import as_data, events_url, link, page, pages_of
from paragone.web.parameters import ConfigDep, LedgerDep, Nth, PoolId
from paragone.web.readers.ledger_reader import LedgerReader
from paragone.web.views import pools, texts
from paragone.web.views.items import retirement_reasons
from paragone.wire.address import pool_url

router = APIRouter()
MOST_RETIRED = 50
"""Retired items of a page."""
MOST_IMAGES = 100
"""Images of a page."""


@dataclass(frozen=True, slots=True)
class _Change:
    """A form that was sent to a pool, by whom."""

    reader: LedgerReader
    pool: str
    who: Caller
    form: Form

    def field(self, name: str) -> str:
        """A field; empty if the form has none of that name."""
        return self.form.fields.get(name, "")

    @property
    def availability(self) -> Availability:
        """The items that a form names, one a line, and why."""
        items = [line.strip() for line in self.field("items").splitlines() if line.strip()]
        return Availability.model_validate({"items": items, "reason": self.field("reason")})


def _add(change: _Change) -> int:
    understood = understood_of(change.form, fewest=1)
    for name, content in understood.images.items():
        add_image(change.reader.ledger, change.pool, name, content, change.who.name)
    items = [{"id": item.id, "text": item.text} for item in understood.items]
    return len(add_items(change.pool, NewItems.model_validate({"items": items}), change.reader, change.who).added)


def _retire(change: _Change) -> int:
    return len(retire_items(change.pool, change.availability, change.reader, change.who))


def _readmit(change: _Change) -> int:
    return len(readmit_items(change.pool, change.availability, change.reader, change.who))


def _direct(change: _Change) -> int:
    body = NewDirective.model_validate({"text": change.field("text")})
    return add_directive(change.pool, body, change.reader, change.who).number


def _withdraw(change: _Change) -> int:
    if not re.fullmatch("[0-9]{1,9}", change.field("number")):
        raise InvalidConfig("the number of a directive is a whole number")
    return withdraw_directive(change.pool, int(change.field("number")), change.reader, change.who).number


def _read_as(change: _Change) -> str:
    body = NewTextSettings.model_validate({"read_as": change.field("read_as")})
    return texts.set_read_as(change.reader, change.pool, body.read_as, change.who.name).read_as


def _image(change: _Change) -> str:
    file = change.form.files.get("file")
    if file is None:
        raise InvalidConfig("choose the file of an image")
    name = change.field("name") or PurePosixPath(file.name.replace("\\", "/")).name
    add_image(change.reader.ledger, change.pool, name, file.content, change.who.name)
    return name


def _review(change: _Change) -> int:
    names = ("item", "reviewer", "score", "text")
    body = NewReviews.model_validate({"reviews": [{name: change.field(name) for name in names}]})
    return len(post_reviews(change.pool, body, change.reader, change.who).added)


def _rename(change: _Change) -> int:
    title = NewTitle.model_validate({"title": change.field("title")}).title
    lifecycle.rename(change.reader.ledger, change.pool, title, change.who.name)
    return 1


def _change_state(change: _Change) -> int:
    names = ("state", "confirm", "reason")
    body = NewState.model_validate({name: change.field(name) for name in names if change.field(name)})
    change_state(change.reader, change.pool, body, change.who.name)
    return 1


_CHANGES: Acts[_Change] = {
    "add": (_add, "Items added: {}. Those that were there with the same text are left alone."),
    "retire": (_retire, "Items retired now: {}."),
    "readmit": (_readmit, "They are available again. Items still retired: {}."),
    "direct": (_direct, "Directive {} is heeded from the next planned match on."),
    "withdraw": (_withdraw, "Directive {} was taken back, from the next planned match on."),
    "texts": (_read_as, "Texts are shown as {} now."),
    "image": (_image, "The image is there: a text in Markdown shows it as ![what it shows]({})."),
    "rename": (_rename, "It has another title now. Its id, and so its address, stays."),
    "state": (_change_state, "That is on record. Its evidence stays."),
    "review": (_review, "Reviews added: {}. The same review again changes nothing."),
}


@router.get("/pools/{pool}/change")
def show(
    pool: PoolId,
    reader: LedgerDep,
    config: ConfigDep,
    who: Admin,
    item: Annotated[str, Query(max_length=MAX_ID)] = "",
    done: Annotated[str, Query(max_length=20)] = "",
    result: Annotated[str, Query(max_length=100)] = "",
    retired: Nth = 1,
    images: Nth = 1,
) -> HTMLResponse:
    """Forms for all that may change while a tournament runs."""
    words = words_of_act(_CHANGES, done, result)
    return _page(reader, config, pool, who, {"item": item, "items": item}, done=words, at=(retired, images))


@router.post("/pools/{pool}/change")
def change(pool: PoolId, reader: LedgerDep, config: ConfigDep, who: Admin, form: FormDep) -> Response:
    """Change what one of the forms says."""
    reader.version(pool)  # refuses a pool that is not there
    name = form.fields.get("change", "")
    return answer_form(
        lambda: link(pool_url(pool, "change"), done=name, result=do(_CHANGES, name, _Change(reader, pool, who, form))),
        lambda problem: _page(reader, config, pool, who, form.fields, problem=problem),
    )


def _page(
    reader: LedgerReader,
    config: WebConfig,
    pool: str,
    who: Caller,
    fields: Mapping[str, str],
    *,
    problem: str = "",
    done: str = "",
    at: tuple[int, int] = (1, 1),
) -> HTMLResponse:
    about, text_settings = pools.pool(reader, pool), texts.settings(reader, pool)
    retired = sorted(retirement_reasons(reader, pool).items())
    return page(
        "change.html",
        status=422 if problem else 200,
        section="change",
        who=who,
        pool=about,
        live=events_url(pool),
        data=_data(pool) if about.tournament is not None else as_data(pool, "items", items=pool_url(pool, "items")),
        given=defaultdict(str, fields),
        problem=problem,
        done=done,
        directives=directives(reader.ledger, pool) if about.tournament is not None else (),
        listings=pages_of(
            pool_url(pool, "change"),
            {
                "retired": (retired, at[0], MOST_RETIRED, "#retire"),
                "images": (text_settings.images, at[1], MOST_IMAGES, "#images"),
            },
        ),
        endings=ENDINGS,
        most_bytes=config.max_upload,
        longest=LONGEST_DIRECTIVE,
        texts=text_settings,
        most_image=MOST_BYTES,
    )


def _data(pool: str) -> dict[str, dict[str, str]]:
    names = ("items", "directives", "reviews", "dossier")
    return as_data(pool, "items", **{name: pool_url(pool, name) for name in names})

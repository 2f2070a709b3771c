"""How the texts of a pool are shown, and the images that they show, over HTTP."""

from typing import Annotated

from fastapi import Header, Path, Response
from pydantic import Base64Bytes, Field

from paragone.intake.images import KINDS, MOST_BYTES
from paragone.tournaments.texts import add_image as keep_image
from paragone.web.api_router import api_router
from paragone.web.middleware.authorization import Admin, Reader
from paragone.web.parameters import Body, LedgerDep, PoolId, StorableText, file_of
from paragone.web.problems import refusals
from paragone.web.views import texts as views
from paragone.wire.item import ReadAs, TextSettings

router = api_router(404, prefix="/pools", tags=["pools"])
images = api_router(404, tags=["pools"])

ImageName = Annotated[str, Path(description="What texts call the image, such as `plot.png`.", max_length=200)]
IfNoneMatch = Annotated[str | None, Header(description="`ETag` of the image that the client has.")]
ALONE = {"content-security-policy": "default-src 'none'; sandbox", "cache-control": "private, max-age=3600"}
"""Headers of an image, which is nothing else even where a browser opens it by itself."""


class NewTextSettings(Body):
    """How the texts of a pool are to be read.

    Attributes:
        read_as: ``plain`` as they are, or ``markdown``.
    """

    read_as: ReadAs


class NewImage(Body):
    """An image that texts may show.

    Attributes:
        name: What texts call it, such as ``plot.png``; it is there for good.
        content: The bytes of a PNG, JPEG, GIF or WebP, in base64.
    """

    name: Annotated[StorableText, Field(min_length=1, max_length=100)]
    content: Annotated[Base64Bytes, Field(max_length=MOST_BYTES)]


@router.get("/{pool}/texts")
def get_text_settings(pool: PoolId, reader: LedgerDep, _: Reader) -> TextSettings:
    """How the texts of a pool are read, and the names of its images."""
    return views.settings(reader, pool)


@router.post("/{pool}/texts")
def set_text_settings(pool: PoolId, body: NewTextSettings, reader: LedgerDep, who: Admin) -> TextSettings:
    """Have the texts of a pool read in another way. The texts, and what judges see, stay as they are."""
    return views.set_read_as(reader, pool, body.read_as, who.name)


@router.post("/{pool}/images", responses=refusals(409))
def add_image(pool: PoolId, body: NewImage, reader: LedgerDep, who: Admin) -> TextSettings:
    """Keep an image that the texts of a pool may show by its name. The same again changes nothing."""
    keep_image(reader.ledger, pool, body.name, body.content, who.name)
    return views.settings(reader, pool)


@images.get(
    "/pools/{pool}/images/{name}",
    response_class=Response,
    responses={**file_of(KINDS.values()), 304: {"description": "The client has it."}},
)
def get_image(
    pool: PoolId, name: ImageName, reader: LedgerDep, _: Reader, if_none_match: IfNoneMatch = None
) -> Response:
    """An image of a pool."""
    kind, digest, content = reader.ledger.images.get(pool, name)
    headers = {**ALONE, "etag": f'"{digest}"'}
    if f'"{digest}"' in (if_none_match or ""):
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=kind, headers=headers)

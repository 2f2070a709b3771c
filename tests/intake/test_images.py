"""Images are decoded before they are believed."""

import base64
import io
import struct
import zlib

import pytest
from PIL import Image

from paragone.errors import UnreadableFile
from paragone.intake import images
from paragone.intake.images import KINDS, MOST_BYTES, checked_image, data_image, image_name, images_among


def drawn(kind, size=(3, 2), **options):
    file = io.BytesIO()
    Image.new("RGB", size, (200, 40, 10)).save(file, kind, **options)
    return file.getvalue()


def claimed(width, height):
    """A PNG of a few bytes that says it has so many pixels."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(b"\0" * 9)), (b"IEND", b"")]
    parts = [
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)) for name, body in chunks
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


@pytest.mark.parametrize("kind", KINDS)
def test_its_kind_is_that_of_its_content(kind):
    picture = checked_image("x.svg", drawn(kind))
    assert (picture.kind, picture.width, picture.height) == (KINDS[kind], 3, 2)


SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>'
WHOLE = drawn("PNG", (60, 60))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (SVG, "is not a complete PNG"),
        (b"<html><script>alert(1)</script>", "is not a complete PNG"),
        (b"", "is not a complete PNG"),
        (b"\x89PNG\r\n\x1a\n", "is not a complete PNG"),
        (WHOLE[: len(WHOLE) // 2], "is not a complete PNG"),
        (drawn("BMP"), "is not a complete PNG"),
        (drawn("TIFF"), "is not a complete PNG"),
        (b"GIF89a" + b"\xff" * 40, "is not a complete PNG|pixels"),
        (claimed(30_000, 30_000), "is not a complete PNG|900,000,000|pixels"),
        (claimed(5_000, 5_000), "5,000 × 5,000 pixels"),
        (claimed(2**31 - 1, 2**31 - 1), "is not a complete PNG|pixels"),
        (b"\0" * (MOST_BYTES + 1), "make it smaller"),
    ],
)
def test_what_is_no_image_or_stands_for_too_much_is_refused(content, words):
    with pytest.raises(UnreadableFile, match=words):
        checked_image("picture.png", content)


def test_an_animation_counts_all_its_frames():
    still = drawn("GIF", (800, 800))
    head = still.index(b",")  # where its only frame begins
    content = still[:head] + 30 * still[head:-1] + still[-1:]
    with pytest.raises(UnreadableFile, match="in 30 frames"):
        checked_image("a.gif", content)
    few = checked_image("a.gif", still[:head] + 25 * still[head:-1] + still[-1:])
    assert (few.width, few.height) == (800, 800)


def test_a_data_url_holds_what_it_says():
    coded = base64.b64encode(WHOLE).decode()
    assert data_image(f"data:image/png;base64,{coded}").width == 60
    for url in ("data:image/png,x", "data:text/html;base64,PHA+", "data:image/png;base64,!", "https://x.example/a.png"):
        with pytest.raises(UnreadableFile):
            data_image(url)
    with pytest.raises(UnreadableFile, match="not a complete PNG"):
        data_image("data:image/svg+xml;base64," + base64.b64encode(SVG).decode())


def test_images_of_a_folder_are_checked_and_called_by_their_files_or_paths(monkeypatch):
    dot, other = drawn("PNG"), drawn("JPEG")
    files = {
        "plot.png": dot,
        "a/x y.jpg": other,
        "a/z.gif": SVG,
        "b/z.gif": drawn("GIF"),
        "c.md": b"text",
        "d.svg": SVG,
    }
    pictures, problems = images_among(files)
    assert pictures == {"plot.png": dot, "x_y.jpg": other, "b-z.gif": files["b/z.gif"]}
    assert problems == ["a/z.gif is not a complete PNG, JPEG, GIF or WebP image; save it as one of these"]
    assert images_among({"bomb.png": claimed(5_000, 5_000)})[0] == {}
    monkeypatch.setattr(images, "MOST_TOGETHER", 5)
    assert list(images_among({"1.png": dot, "2.png": dot, "3.png": dot})[0]) == ["1.png"], "six pixels were enough"


@pytest.mark.parametrize(
    ("path", "name"),
    [("./img/plot.png", "img-plot.png"), ("x%20y.png", "x_y.png"), ("../../up.png", "up.png"), ("/.a.png", "a.png")],
)
def test_a_path_becomes_a_name_that_texts_can_use(path, name):
    assert image_name(path) == name

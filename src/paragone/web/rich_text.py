"""Markdown of untrusted people as HTML: headings, tables, code in colours, mathematics, and images of the ledger.

Every text goes through four doors: HTML in it is text, links lead to the web or to mail only, an image is of this
server or decoded data, and whatever was made of it is sanitised once more by a list of what is allowed. Nothing is
fetched, by this server or by a browser that shows the page.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from paragone.errors import UnreadableFile
from paragone.intake.images import data_image, image_name

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token

LONGEST_CODE = 20_000
"""Characters of a block of code that is coloured; a longer one is shown as it is."""
LONGEST_FORMULA = 2_000
"""Characters of a formula that is set; a longer one is shown as it is."""
MOST_DATA = 2_000_000
"""Characters of all data URLs of a text whose images are shown."""
_LANGUAGE_NAMES = """
bash c c++ cpp cs css diff docker fortran go graphql haskell html ini java javascript js json julia kotlin
latex lua make matlab ocaml perl php powershell python r ruby rust scala sh sql swift tex toml ts typescript
xml yaml
"""
LANGUAGES = frozenset(_LANGUAGE_NAMES.split())
"""Languages whose code is coloured: a name of anything else reaches no lexer."""

_DATA_URL = re.compile(r"data:image/[a-z+.-]{1,20};base64,[A-Za-z0-9+/=]+")
_REMOTE = re.compile(r"https?://", re.IGNORECASE)
_LINKED = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
_SHOWN_SOURCE = re.compile(r"/pools/[^?#]*/images/[^/?#]+|data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+")
_MATHS_TAGS = """
math mrow mi mn mo mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd
mstyle mpadded mphantom menclose mmultiscripts mprescripts none semantics
"""
_MATHS = frozenset(_MATHS_TAGS.split())
_TEXT_TAGS = """
h2 h3 h4 h5 h6 p br hr em strong s code pre blockquote ul ol li table thead tbody tr th td a img span div
"""
_TAGS = _MATHS | frozenset(_TEXT_TAGS.split())
_ATTRIBUTES: Mapping[str, set[str]] = {
    "a": {"href"},
    "img": {"src", "alt", "width", "height", "loading"},
    "ol": {"start"},
    "math": {"display"},
    "mo": {"stretchy", "fence", "form", "separator", "largeop", "movablelimits"},
    "mi": {"mathvariant"},
    "mfrac": {"linethickness"},
    "mover": {"accent"},
    "munder": {"accentunder"},
    "mtable": {"columnalign"},
    "pre": {"tabindex", "role", "aria-label"},
    "div": {"tabindex", "role", "aria-label"},
}
_CLASS = re.compile(r"hl-[a-z0-9]{1,4}|formula|raw-formula|wide|far")
_MARKS = re.compile(
    r"^(?:#{1,6} \S|```|~~~|\|.+\|\s*$|\$\$)|!\[[^\]\n]*\]\([^)\s]+\)|\[[^\]\n]+\]\(https?://[^)\s]+\)", re.MULTILINE
)


def looks_like_markdown(texts: Sequence[str]) -> bool:
    """Whether most texts have marks that hardly any plain text has: headings, fences, tables, images, links."""
    marked = sum(_MARKS.search(text) is not None for text in texts)
    return 2 * marked > len(texts)


def rich(text: str, images: Mapping[str, str], *, level: int = 2, most: int | None = None) -> Markup:
    """A text in Markdown as HTML.

    Args:
        text: The text.
        images: Addresses on this server of the images that it may show, by the names that it uses.
        level: The level of its first heading, 2 to 6; the others follow without gaps.
        most: The largest number of characters that are shown, data of images not counted; all if None.
    """
    return _rich(text, tuple(sorted(images.items())), level, most)


@lru_cache(maxsize=256)
def _rich(text: str, images: tuple[tuple[str, str], ...], level: int, most: int | None) -> Markup:
    data: dict[str, str] = {}
    short = _DATA_URL.sub(lambda match: _kept(data, match[0]), text)
    every = {**dict(images), **data}
    html = _markdown().render(short if most is None else short[:most], {"images": every, "level": level})
    return Markup(_sanitised(html))  # noqa: S704 - sanitised


def _kept(data: dict[str, str], url: str) -> str:
    """A short name for a data URL, under which its image is shown if it is one."""
    name = f"image-in-the-text-{len(data) + 1}"
    within = sum(map(len, data.values())) + len(url) <= MOST_DATA
    data[name] = url if within and _is_image(url) else ""
    return name


def _is_image(url: str) -> bool:
    try:
        return _SHOWN_SOURCE.fullmatch(url) is not None and bool(data_image(url))
    except UnreadableFile:
        return False


def _sanitised(html: str) -> str:
    import nh3

    return nh3.clean(
        html,
        tags=set(_TAGS),
        attributes={tag: set(names) for tag, names in _ATTRIBUTES.items()} | {"*": {"class"}},
        attribute_filter=_allowed,
        url_schemes={"http", "https", "mailto", "data"},
        link_rel="noopener noreferrer nofollow ugc",
    )


def _allowed(_: str, name: str, value: str) -> str | None:
    """The value that an attribute may have; None for none."""
    if name == "class":
        return " ".join(each for each in value.split() if _CLASS.fullmatch(each)) or None
    if name == "href":
        return value if _LINKED.match(value) else None
    if name == "src":
        return value if _SHOWN_SOURCE.fullmatch(value) else None
    return value


@cache
def _markdown() -> "MarkdownIt":
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    markdown = MarkdownIt("commonmark", {"html": False, "highlight": _coloured}).enable(["table", "strikethrough"])
    markdown.use(dollarmath_plugin, allow_digits=False, allow_space=False, double_inline=True, renderer=_formula)
    markdown.core.ruler.push("headings", _level_headings)
    markdown.add_render_rule("image", _image)
    markdown.add_render_rule("link_open", _link)
    markdown.add_render_rule(
        "table_open", lambda *_: '<div class="wide" role="region" aria-label="Table" tabindex="0"><table>'
    )
    markdown.add_render_rule("table_close", lambda *_: "</table></div>")
    return markdown


def _level_headings(state: Any) -> None:  # noqa: ANN401 - of markdown-it
    """Headings become an outline without gaps below the page's own, whatever levels the text has."""
    above: list[int] = []
    for token in state.tokens:
        if token.type == "heading_open":
            own = int(token.tag[1])
            while above and above[-1] >= own:
                above.pop()
            above.append(own)
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, state.env['level'] + len(above) - 1)}"


def _image(_: "RendererHTML", tokens: "Sequence[Token]", at: int, __: Any, env: Mapping[str, Any]) -> str:  # noqa: ANN401
    token = tokens[at]
    source, words = str(token.attrs.get("src", "")), token.content
    images = env["images"]
    address = images.get(source)
    if address is None and not _REMOTE.match(source):  # by its path in a folder, or by its file's name alone
        address = images.get(image_name(source)) or images.get(image_name(PurePosixPath(source).name))
    if address:
        return f'<img src="{escape(address)}" alt="{escape(words)}" loading="lazy">'
    if _REMOTE.match(source):
        link = f'<a class="far" href="{escape(source)}">{escape(words or source)}</a>'
        return f'{link} <span class="far">(an image elsewhere)</span>'
    return f'<span class="far">{escape(words or "an image")} (no such image here)</span>'


def _link(_: "RendererHTML", tokens: "Sequence[Token]", at: int, __: Any, ___: Any) -> str:  # noqa: ANN401
    return f'<a href="{escape(str(tokens[at].attrs.get("href", "")))}">'


def _coloured(code: str, language: str, _: str) -> str:
    """Code with its parts named by classes; empty, so that it is shown as it is, if its language is none of ours."""
    if language.lower() not in LANGUAGES or len(code) > LONGEST_CODE:
        return ""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name

    html: str = highlight(code, get_lexer_by_name(language.lower()), HtmlFormatter(nowrap=True, classprefix="hl-"))
    return html


def _formula(latex: str, options: Mapping[str, Any]) -> str:
    """A formula in MathML; as it is written, if it cannot be set."""
    from latex2mathml import converter, exceptions

    own = [each for each in vars(exceptions).values() if isinstance(each, type)]
    wrong: tuple[type[Exception], ...] = (*own, RecursionError, ValueError, LookupError, TypeError, AttributeError)
    block = bool(options.get("display_mode"))
    try:
        if len(latex) <= LONGEST_FORMULA:
            maths = str(converter.convert(latex, display="block" if block else "inline"))
            return f'<div class="formula">{maths}</div>' if block else maths
    except wrong:
        pass
    return f'<code class="raw-formula">{escape(latex)}</code>'

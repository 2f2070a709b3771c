"""Markdown of untrusted people: what it shows, and what it never becomes."""

import base64
import re
import time
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.web.rich_text import looks_like_markdown, rich

DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
IMAGES = {"plot.png": "/pools/p/images/plot.png"}


def test_headings_lists_code_tables_and_formulas():
    html = rich("# A\n### B\n* x\n\n`y` **z**\n\n| a |\n|---|\n| 1 |\n\n```python\nx = 1\n```\n\n$\\frac{1}{2}$", {})
    for part in ("<h2>A</h2>", "<h3>B</h3>", "<li>x</li>", "<code>y</code>", "<strong>z</strong>", "<td>1</td>"):
        assert part in html
    assert '<span class="hl-mi">1</span>' in html
    assert "<mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac>" in html


def test_headings_follow_the_page_without_gaps():
    assert re.findall("<h([1-6])>", rich("### a\n# b\n##### c\n# d\n## e\n###### f", {}, level=3)) == list("334345")


def test_money_is_no_formula_and_what_cannot_be_set_stays_as_written():
    assert rich("It costs $5 and then $6.", {}) == "<p>It costs $5 and then $6.</p>\n"
    assert '<code class="raw-formula">\\frac{</code>' in rich("a $\\frac{$ b", {})


def test_an_image_is_of_the_pool_or_data_and_any_other_is_a_link_or_words():
    html = rich(
        f"![p](plot.png) ![d](data:image/png;base64,{DOT}) ![far](https://x.example/a.png?u=1) ![n](none.png)", IMAGES
    )
    assert re.findall(r'<img src="([^"]*)"', html) == ["/pools/p/images/plot.png", f"data:image/png;base64,{DOT}"]
    assert 'href="https://x.example/a.png?u=1"' in html
    assert "(an image elsewhere)" in html
    assert "n (no such image here)" in html


SVG = base64.b64encode(b"<svg onload=alert(1)><script>alert(1)</script></svg>").decode()
ATTACKS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[a](javascript:alert(1)) [b](  JaVaScRiPt:alert(1)) [c](vbscript:x) [d](data:text/html;base64,PHNjcmlwdD4=)",
    "[a](//evil.example) [b](/pools/x/change) [c](\\\\evil)",
    "![a](javascript:alert(1)) ![b](//evil.example/x.png) ![c](file:///etc/passwd) ![d](../../login)",
    f"![s](data:image/svg+xml;base64,{SVG}) ![t](data:image/png;base64,{SVG})",
    '![x" onerror="alert(1)](plot.png "t\' onload=alert(1)")',
    '<https://x.example/" onmouseover="alert(1)>',
    "[r]: javascript:alert(1)\n\n[r] ![r]",
    '```"><script>alert(1)</script>\nx\n```',
    "```python\n</code></pre><script>alert(1)</script>\n```",
    "$\\href{javascript:alert(1)}{x} \\text{</mtext></math><script>alert(1)</script>} \\style{position:fixed}{x}$",
    "$$\\class{top}{x}\\text{<style>*{display:none}</style><svg onload=alert(1)>}$$",
    "| <b onclick=x> |\n|---|\n| <form action=/x><input name=csrf> |",
    "<a href='x' style='position:fixed;inset:0'>y</a> <base href=//evil> <meta http-equiv=refresh content=0>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>",
)
MAY = {"href": r"(https?://|mailto:).*", "src": r"/pools/p/images/plot\.png|data:image/png;base64,.*"}
TAGS = (
    "h2 h3 h4 h5 h6 p br hr em strong s code pre blockquote ul ol li table thead tbody tr th td a img span div "
    "math mrow mi mn mo mtext mfrac msub msup"
)


class Checked(HTMLParser):
    """Complains of every tag and attribute that no text may bring."""

    def handle_starttag(self, tag, attrs):
        assert tag in TAGS.split(), tag
        for name, value in attrs:
            assert name in {
                "href",
                "src",
                "rel",
                "alt",
                "class",
                "loading",
                "display",
                "start",
                "role",
                "tabindex",
                "aria-label",
            }
            assert re.fullmatch(MAY.get(name, ".*"), value or "", re.DOTALL), (name, value)
            if name == "class":
                assert re.fullmatch(r"hl-\w+|formula|raw-formula|wide|far", value), value


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_text_becomes_a_program_a_style_or_a_request(attack):
    Checked(convert_charrefs=True).feed(rich(attack, IMAGES))


@given(
    parts=st.lists(
        st.sampled_from([*ATTACKS, "\n\n", "*", "`", "$", "[", "](", "<", "&#106;", "> ", "\t- ", "|"]), max_size=8
    )
)
def test_nor_does_any_mixture(parts):
    Checked(convert_charrefs=True).feed(rich("".join(parts), IMAGES))


@pytest.mark.parametrize(
    "text",
    [
        "[" * 20_000, "![" * 3_000, "*a" * 10_000, ">" * 5_000, "[a](" * 5_000, "$a" * 10_000, "$" + "{" * 1_900 + "$",
        "```ruby\n" + "<<a " * 4_500 + "\n```", "```python\n" + "'" * 19_000 + "\n```",
        "|" * 100 + "\n" + "|-" * 100 + "\n" + ("|" * 100 + "\n") * 90,
    ],
)  # fmt: skip
def test_no_text_takes_long(text):
    begun = time.process_time()
    rich(text, {}, most=20_000)
    assert time.process_time() - begun < 3


def test_only_marks_that_plain_texts_lack_suggest_markdown():
    assert looks_like_markdown(["# A\nb", "see [x](https://x.example)", "plain"])
    assert not looks_like_markdown(["#1 choice * not really_", "- a dash", "costs $5", "a | b", "see [1]"])

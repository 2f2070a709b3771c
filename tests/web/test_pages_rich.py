"""Items in Markdown, their images, and versions of a text, in a browser without scripts and over REST."""

import base64
import io
import zipfile

import pytest

from filled_forms import Browser
from paragone.domain import Item, ItemNotes, RatingConfig
from paragone.ledger import Ledger
from paragone.tournaments.dossiers import inform
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import TokenFile
from paragone.web.middleware.roles import LOCAL, Caller, Role
from paragone.web.views.texts import versions
from paragone.wire.people import PersonGrant

DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
PNG = base64.b64decode(DOT)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'
TEXTS = "id,text\na,# Idea A: **bold** ![plot](plot.png)\nb,# Idea B: *thin*\n"


@pytest.fixture
def browser(tmp_path, client_of):
    return Browser(client_of(WebConfig(db=str(tmp_path / "l.db"), secret=b"s" * 32)))


@pytest.fixture
def pool(browser):
    browser.open("/begin")
    browser.send({"pasted": TEXTS})
    assert 'value="markdown" checked' in browser.page, "headings suggest it"
    made = browser.send({"name": "Ideas", "criteria": "worth", "judge": ":people", "aim": "", "read_as": "markdown"})
    assert made.status_code == 303, browser.page
    return "ideas-1"


def test_a_text_is_shown_as_markdown_only_where_that_was_chosen(browser, pool):
    shown = browser.open(f"/pools/{pool}/items/b").text
    assert "<h2>Idea B: <em>thin</em></h2>" in shown
    assert "# Idea B: *thin*" in shown, "as it was written"
    browser.open(f"/pools/{pool}/change")
    assert browser.send({"read_as": "plain"}, button='value="texts"').status_code == 303
    shown = browser.open(f"/pools/{pool}/items/b").text
    assert '<div class="rich"' not in shown
    assert "<bdi># Idea B: *thin*</bdi>" in shown
    assert browser.client.get(f"/api/v1/pools/{pool}/texts").json() == {"read_as": "plain", "images": []}


def test_an_image_is_kept_on_record_and_shown_and_a_false_one_is_refused(browser, pool, tmp_path):
    browser.open(f"/pools/{pool}/change")
    for name, content in [("plot.png", SVG), ("plot.svg", SVG), ("a b.png", PNG), ("../x.png", b"")]:
        refused = browser.send({}, button='value="image"', file=(name, content))
        assert refused.status_code in (422, 303), name
        assert refused.status_code == 422, name
    assert browser.send({}, button='value="image"', file=("plot.png", PNG)).status_code == 303
    assert f'src="/pools/{pool}/images/plot.png"' in browser.open(f"/pools/{pool}/items/a").text
    answer = browser.client.get(f"/pools/{pool}/images/plot.png")
    assert (answer.content, answer.headers["content-type"], answer.headers["x-content-type-options"]) == (
        PNG,
        "image/png",
        "nosniff",
    )
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
    again = browser.client.get(f"/pools/{pool}/images/plot.png", headers={"if-none-match": answer.headers["etag"]})
    assert again.status_code == 304
    other = base64.b64encode(PNG + b"\0").decode()
    taken = browser.client.post(f"/api/v1/pools/{pool}/images", json={"name": "plot.png", "content": other})
    assert taken.status_code == 409
    with Ledger.open(tmp_path / "l.db") as ledger:
        acts = [event.detail for event in ledger.tournaments.events(pool) if event.detail.get("act") == "image"]
        assert [(act["name"], len(act["sha256"])) for act in acts] == [("plot.png", 64)]
        assert ledger.audit().ok


def test_images_of_a_zip_are_kept_when_a_tournament_begins_and_when_items_join(browser, tmp_path):
    def folder(**files):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name, content in files.items():
                archive.writestr(name.replace("_", "."), content)
        return "ideas.zip", packed.getvalue()

    browser.open("/begin")
    browser.send({}, file=folder(a_md="A ![it](img/plot.png)", b_md="B", plot_png=PNG, bad_png=SVG))
    assert "images: 1; left out because not text: 1" in browser.page
    assert "bad.png is not a complete PNG" in browser.page
    assert 'value="markdown" checked' in browser.page, "images suggest it"
    made = browser.send({"name": "Ideas", "criteria": "worth", "judge": ":people", "aim": "", "read_as": "markdown"})
    assert made.status_code == 303, browser.page
    assert browser.client.get("/api/v1/pools/ideas-1/texts").json() == {"read_as": "markdown", "images": ["plot.png"]}
    shown = browser.open("/pools/ideas-1/items/a.md").text
    assert 'src="/pools/ideas-1/images/plot.png"' in shown, "by the path in the folder"
    browser.open("/pools/ideas-1/change")
    assert browser.send({}, button='value="add"', file=folder(c_md="C", more_png=PNG)).status_code == 303
    assert browser.client.get("/api/v1/pools/ideas-1/texts").json()["images"] == ["more.png", "plot.png"]
    browser.open("/begin")
    browser.send({}, file=folder(a_md="A", b_md="B", plot_png=PNG))
    forged = f"x.png:{base64.b64encode(SVG).decode()}"
    browser.send({"name": "Ideas", "criteria": "w", "judge": ":people", "aim": "", "images": forged})
    assert "arrived damaged" in browser.page
    with Ledger.open(tmp_path / "l.db") as ledger:
        assert [record.id for record in ledger.tournaments.all()] == ["ideas-1"]
        assert ledger.audit().ok


def test_voters_see_the_same_and_only_of_their_own_pair(browser, pool):
    client = browser.client
    ballot = client.get(f"/api/v1/pools/{pool}/votes/next", params={"voter": "ann"}).json()
    body = {"offer": ballot["pair"]["offer"], "voter": "ann"}
    shown = client.post(f"/api/v1/pools/{pool}/votes/shown", json=body).json()
    assert {shown["left"], shown["right"]} == {
        '<h3>Idea A: <strong>bold</strong> <span class="far">plot (no such image here)</span></h3>\n',
        "<h3>Idea B: <em>thin</em></h3>\n",
    }
    assert client.post(f"/api/v1/pools/{pool}/votes/shown", json={**body, "voter": "bob"}).status_code == 422
    assert f'data-shown="/api/v1/pools/{pool}/votes/shown"' in client.get(f"/pools/{pool}/vote").text


def test_two_texts_side_by_side_show_what_differs_and_tags(browser, pool, tmp_path):
    with Ledger.open(tmp_path / "l.db") as ledger:
        inform(ledger, pool, {}, {"a": ItemNotes(attributes=(("tags", "red, <b>big</b>"), ("year", "1999")))})
    shown = browser.open(f"/pools/{pool}/items/a/beside/b").text
    assert "<del>A</del><ins>B</ins>" in shown
    assert '<span class="tag"><bdi>&lt;b&gt;big&lt;/b&gt;</bdi></span>' in shown
    assert '<dd><div class="text"><bdi>1999</bdi></div>' in shown.replace("\n", "")


def test_a_text_of_the_same_id_in_another_pool_is_another_version(browser, pool):
    browser.open("/begin")
    browser.send({"pasted": TEXTS.replace("thin", "thinner")})
    browser.send({"name": "Ideas", "criteria": "worth", "judge": ":people", "aim": ""})
    shown = browser.open("/pools/ideas-2/items/b").text
    assert "Other versions of this text" in shown
    shown = browser.open(f"/pools/ideas-2/items/b?version={pool}").text
    assert "<del>thin</del><ins>thinner</ins>" in shown
    assert "Other versions" not in browser.open("/pools/ideas-2/items/a").text


def test_somebody_invited_to_one_pool_sees_no_version_of_another(library_of, browser, pool, tmp_path):
    with Ledger.open(tmp_path / "l.db") as ledger:
        ledger.pools.create("secret", RatingConfig())
        ledger.items.add("secret", [Item(id="a", text="another")])
    reader, grant = library_of(tmp_path / "l.db"), PersonGrant(pool=pool, role="read")
    for who, seen in [(LOCAL, {"secret": "another"}), (Caller(name="ann", role=Role.READ, grants=(grant,)), {})]:
        assert versions(reader, pool, "a", "text", who) == seen


def test_only_admins_change_how_texts_are_shown(tmp_path, client_of, pool):
    file = TokenFile(tmp_path / "tokens.json")
    bearer = {role: {"authorization": f"Bearer {file.add(role.name.lower(), role)}"} for role in Role}
    client = client_of(WebConfig(db=str(tmp_path / "l.db"), tokens=file.path, secret=b"s" * 32))
    image = {"name": "x.png", "content": DOT}
    for path, body in [("texts", {"read_as": "plain"}), ("images", image)]:
        for role in Role:
            answer = client.post(f"/api/v1/pools/{pool}/{path}", json=body, headers=bearer[role])
            assert (answer.status_code == 200) is (role is Role.ADMIN), (path, role)
    assert client.get(f"/pools/{pool}/images/x.png").status_code == 401
    assert client.get(f"/pools/{pool}/images/x.png", headers=bearer[Role.READ]).content == PNG

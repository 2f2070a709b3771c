"""What judges see beside the texts, in a browser: of a tournament, of an item, and in a match."""

import pytest

from paragone import Tournament
from paragone.judges.dossier_prompt import presented
from paragone.web.config import WebConfig

EVIL = "<script>alert(1)</script>"
ESCAPED = "&lt;script&gt;alert(1)&lt;/script&gt;"


class Reader:
    """A judge that keeps its questions, and does something at the first of them."""

    def __init__(self):
        self.asked, self.then = [], lambda: None

    def __call__(self, a, b, criteria, dossier=None):
        if not self.asked:
            self.then()
        self.asked.append((a.id, b.id, dossier))
        return "first"


@pytest.fixture
def begun(tmp_path):
    """A tournament with a dossier that is longer than its budget; a directive came after its first round."""
    judge, db, ids = Reader(), tmp_path / "l.db", ("h0", "h1", "h2", "h3")
    with Tournament.create(
        {id: f"text of {id}" for id in ids},
        judge=judge,
        criteria="worth",
        pairing="swiss",
        seed=1,
        db=db,
        goal=f"Cure it. {EVIL}",
        rubric=[{"name": "elegance", "definition": f"How good. {EVIL}"}],
        preferences=["cheap"],
        constraints=["no animals"],
        attributes={id: {"organ": f"brain {EVIL}"} for id in ids},
        evidence={"h0": [f"PMID 1 {EVIL}"]},
        reviews=[{"item": id, "reviewer": "ann", "score": 0.5, "text": f"{EVIL} long " * 60} for id in ids],
        dossier={"insights": ["mechanisms win"], "max_tokens": 200},
    ) as tournament:
        judge.then = lambda: tournament.direct(f"prefer the quick {EVIL}", "Ann")
        tournament.run()
    return judge, db


def test_the_page_of_a_tournament_has_all_that_judges_see_of_it(begun, client_of):
    html = client_of(WebConfig(db=str(begun[1]))).get("/pools/tournament-1").text
    dossier = html.split('<details class="dossier"')[1].split("</details>\n</div>")[0]
    texts = ("Cure it.", "How good.", "prefer the quick")
    plain = (
        "elegance",
        "100%",
        "cheap",
        "no animals",
        "mechanisms win",
        "4 items with a review",
        "longer than 200 tokens",
    )
    for words in (*(f"{text} {ESCAPED}" for text in texts), *plain):
        assert words in dossier
    assert EVIL not in html


def test_the_page_of_an_item_has_its_attributes_evidence_and_reviews(begun, client_of):
    client = client_of(WebConfig(db=str(begun[1])))
    html = client.get("/pools/tournament-1/items/h0").text
    organ = html.split("<dt><bdi>organ</bdi></dt>")[1]
    assert f"<bdi>brain {ESCAPED}</bdi>" in organ.split("</dd>")[0]
    assert f"PMID 1 {ESCAPED}" in html
    assert f"{ESCAPED} long" in html
    assert EVIL not in html
    told = client.get("/api/v1/pools/tournament-1/items/h0").json()
    assert (told["attributes"], told["evidence"]) == ({"organ": f"brain {EVIL}"}, [f"PMID 1 {EVIL}"])
    assert "Beside its text" not in client.get("/pools/tournament-1/items/h1").text.split("Reviews")[1]


def test_the_page_of_a_match_has_what_its_judge_saw_then_and_what_was_cut(begun, client_of):
    judge, db = begun
    client = client_of(WebConfig(db=str(db)))
    matches = client.get("/api/v1/pools/tournament-1/matches").json()["matches"]
    for line, late in ((matches[-1], False), (matches[0], True)):
        html = client.get(f"/pools/tournament-1/matches/{line['id']}").text
        told = client.get(f"/api/v1/pools/tournament-1/matches/{line['id']}").json()
        assert (f"prefer the quick {ESCAPED}" in html) is late, "a directive holds from the next planned match on"
        assert EVIL not in html
        assert "Cut for its length: notes." in html
        a, b, dossier = next(each for each in judge.asked if {each[0], each[1]} == {line["a"]["id"], line["b"]["id"]})
        prompt = as_prompted(a, b, dossier)
        for part in (*told["dossier"]["parts"], *told["dossier"]["notes"]):
            assert f"]\n{part['text']}\n[END" in prompt, "to the letter"
        assert [note["name"] for note in told["dossier"]["notes"]] == [line["a"]["id"], line["b"]["id"]]


def as_prompted(a, b, dossier):
    """The dossier and the notes as a model would get them."""
    from paragone.domain import Item, Question

    question = Question(
        call="c", first=Item(id=a, text="x"), second=Item(id=b, text="y"), criteria="worth", dossier=dossier
    )
    shown = presented(question, 100)
    return shown.dossier + "".join(shown.notes)


def test_without_a_dossier_nothing_is_said_of_one(shared_client):
    for page in ("", "/items/i7", "/matches/1.1"):
        html = shared_client.get(f"/pools/tournament-1{page}").text
        assert "eside the text" not in html
    assert shared_client.get("/api/v1/pools/tournament-1/matches/1.1").json()["dossier"] is None

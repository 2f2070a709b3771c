"""The page about workers."""

from paragone.ledger.records import AnnouncedJudge, WorkerRecord
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Role, TokenFile


def test_without_workers_it_says_how_to_start_one(shared_client):
    html = shared_client.get("/workers").text
    assert "No worker is there" in html
    assert "paragone worker --db postgresql://user@host/db --judges FILE" in html
    assert shared_client.get("/api/v1/workers").json() == {"workers": [], "tournaments": []}


def test_a_worker_stands_with_what_it_does_and_names_are_text(library, client):
    record = WorkerRecord(worker="w1", host="<b>rack</b>", process=4711, concurrency=8)
    library.ledger.remote_judging.register(
        record, [AnnouncedJudge(name="<i>fast", card={}), AnnouncedJudge(name="slow", card={})]
    )
    library.ledger.remote_judging.beat("w1", calls=3, answered=1234, failed=2)
    html = client.get("/workers").text
    assert "<b>rack" not in html
    assert "<i>fast" not in html
    for words in ("&lt;b&gt;rack", "process 4711", "&lt;i&gt;fast, slow", "3 of 8", "1,234", ">working<"):
        assert words in html, words
    (worker,) = client.get("/api/v1/workers").json()["workers"]
    assert (worker["questions"], worker["answered"], worker["failed"]) == (3, 1234, 2)


def test_only_admins_see_it(played, tmp_path, client_of):
    file = TokenFile(tmp_path / "tokens.json")
    tokens = {role: file.add(role.name.lower(), role) for role in (Role.READ, Role.JUDGE, Role.ADMIN)}
    client = client_of(WebConfig(db=str(played), tokens=file.path, secret=b"s" * 32))
    codes = {
        role: client.get("/api/v1/workers", headers={"authorization": f"Bearer {token}"}).status_code
        for role, token in tokens.items()
    }
    assert codes == {Role.READ: 403, Role.JUDGE: 403, Role.ADMIN: 200}

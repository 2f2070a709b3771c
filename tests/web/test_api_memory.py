"""The memory over HTTP: to readers what it shows, to admins what they may do, and nothing of this machine."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from local_client import LocalClient
from paragone.memory import Memory
from paragone.web.app import create_app
from paragone.web.config import WebConfig
from paragone.web.middleware.access_tokens import Role, TokenFile
from paragone.wire.address import content_url

AT = "/api/v1/memory"
READS = (
    "",
    "/board",
    "/files/span.py",
    "/quadrants",
    "/echo",
    "/metrics",
    "/histories",
    "/search?q=tower",
    "/pack",
    "/prune",
    "/archive",
)
ACTS = {
    "/prune": {"scope": ["scratch/"], "confirm": "no"},
    "/restore": {"path": "no such"},
    "/truth": {"content": "no such", "r": 1.0},
    "/rebuild": {},
}


@pytest.fixture(scope="module")
def looking(remembered_once: Path, played_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A client of a server that shows a memory, for tests that only look."""
    folder = tmp_path_factory.mktemp("looking")
    shutil.copy(played_once, folder / "played.db")
    root = Path(shutil.copytree(remembered_once, folder / "root"))
    with LocalClient(create_app(WebConfig(db=str(folder / "played.db"), memory=root))) as one:
        yield one


@pytest.fixture
def acting(remembered: Path, played: Path, client_of: Callable[[WebConfig], TestClient]) -> TestClient:
    """A client of a server over a memory that one test writes to."""
    return client_of(WebConfig(db=str(played), memory=remembered))


@pytest.mark.parametrize("path", READS)
def test_a_reader_reads_it_all(looking: TestClient, remembered_once: Path, path: str) -> None:
    answer = looking.get(AT + path)
    assert answer.status_code == 200, answer.text
    assert str(remembered_once.parent.parent) not in answer.text


def test_without_a_memory_every_route_says_how_to_show_one(shared_client: TestClient) -> None:
    for path in (*READS, "/acts", "/events"):
        answer = shared_client.get(AT + path)
        assert answer.status_code == 404
        assert "paragone serve --memory" in answer.json()["detail"]
    for path, body in ACTS.items():
        assert shared_client.post(AT + path, json=body).status_code == 404


def test_pages_of_a_board_follow_each_other(looking: TestClient) -> None:
    ids, cursor = [], None
    while True:
        page = looking.get(
            f"{AT}/board", params={"by": "uses", "limit": 4, "cursor": cursor} if cursor else {"by": "uses", "limit": 4}
        ).json()
        ids += [row["id"] for row in page["rows"]]
        if (cursor := page["next"]) is None:
            break
    assert len(ids) == len(set(ids)) == page["total"] == 9
    assert ids[0] == "docs/loud.md"
    assert looking.get(f"{AT}/board", params={"cursor": "nonsense"}).status_code == 422


def test_names_stand_in_paths_as_ids_do(looking: TestClient) -> None:
    name = looking.get(f"{AT}/board", params={"search": "<script>"}).json()["rows"][0]["id"]
    assert looking.get(f"/api/v1{content_url(name)}").json()["id"] == name
    assert looking.get(f"/api/v1{content_url(name)}?start=2").json()["text"]["start"] == 2


@pytest.mark.parametrize("name", [".env", "~Li4vLi4vZXRjL3Bhc3N3ZA", "..%2F..%2Fetc%2Fpasswd", "nothing"])
def test_nothing_outside_of_the_index_is_shown(looking: TestClient, name: str) -> None:
    answer = looking.get(f"{AT}/files/{name}")
    assert answer.status_code == 404
    assert "key" not in answer.json()["detail"].replace("no content", "")


def test_the_pack_itself_comes_where_it_is_asked_for(looking: TestClient) -> None:
    assert looking.get(f"{AT}/pack", params={"budget": 120}).json()["text"] is None
    told = looking.get(f"{AT}/pack", params={"budget": 120, "text": True, "task": "the tower"}).json()
    assert told["tokens"] <= 120
    assert "Measure twice." in told["text"]
    too_small = looking.get(f"{AT}/pack", params={"budget": 2})
    assert (too_small.status_code, "no room" in too_small.json()["detail"]) == (422, True)


def test_acts_take_an_admin_and_are_on_record(
    remembered: Path, played: Path, tmp_path: Path, client_of: Callable[[WebConfig], TestClient]
) -> None:
    file = TokenFile(tmp_path / "tokens.json")
    tokens = {role: {"authorization": f"Bearer {file.add(role.name.lower(), role)}"} for role in Role}
    client = client_of(WebConfig(db=str(played), memory=remembered, tokens=file.path))
    assert client.get(AT).status_code == 401
    for path, body in ACTS.items():
        for role in Role:
            expected = {"/prune": 409, "/rebuild": 200}.get(path, 404) if role is Role.ADMIN else 403
            assert client.post(AT + path, json=body, headers=tokens[role]).status_code == expected
    assert [client.get(f"{AT}/acts", headers=tokens[role]).status_code for role in Role] == [403, 403, 403, 200]
    assert client.get(AT, headers=tokens[Role.READ]).status_code == 200
    told = client.post(f"{AT}/truth", json={"content": "span.py", "r": 2, "note": "tested"}, headers=tokens[Role.ADMIN])
    assert (told.json()["r"], told.json()["high_above"]) == (2.0, pytest.approx(3**0.5))
    acts = client.get(f"{AT}/acts", headers=tokens[Role.ADMIN]).json()["acts"]
    assert [(one["act"], one["by"]) for one in acts] == [("truth", "admin"), ("rebuild", "admin")]


def test_a_file_is_archived_as_its_plan_said_and_comes_back(acting: TestClient, remembered: Path) -> None:
    plan = acting.get(f"{AT}/prune", params={"scope": ["scratch/", "notes/"]}).json()
    assert [(one["path"], one["action"]) for one in plan["files"]] == [("scratch/old.md", "archive")]
    assert (remembered / "scratch/old.md").exists()
    other = acting.post(f"{AT}/prune", json={"scope": ["scratch/"], "confirm": plan["confirm"]})
    assert (other.status_code, "not what was confirmed" in other.json()["detail"]) == (409, True)
    done = acting.post(f"{AT}/prune", json={"scope": ["scratch/", "notes/"], "confirm": plan["confirm"]}).json()
    assert (done["done"], done["archive"]) == (True, 1)
    assert not (remembered / "scratch/old.md").exists()
    assert acting.get(AT).json()["archived"] == 1
    assert acting.get(f"{AT}/board", params={"search": "scratch"}).json()["total"] == 0
    (remembered / "scratch/old.md").write_text("another\n")
    refused = acting.post(f"{AT}/restore", json={"path": "scratch/old.md"})
    assert (refused.status_code, str(remembered) in refused.text) == (422, False)
    assert acting.post(f"{AT}/restore", json={"path": "scratch/old.md", "force": True}).status_code == 200
    assert "valve" in (remembered / "scratch/old.md").read_text()
    assert [one["reason"] for one in acting.get(f"{AT}/archive").json()["files"]] == ["made way for a restored file"]


def test_bodies_that_cannot_be_are_refused(acting: TestClient) -> None:
    for path, body in (
        ("/truth", {"content": "span.py"}),
        ("/truth", {"content": "span.py", "r": "NaN"}),
        ("/truth", {"content": "", "r": 1}),
        ("/prune", {"scope": ["!"], "confirm": "x"}),
        ("/prune", {"scope": [""]}),
        ("/restore", {"path": "a", "more": 1}),
        ("/rebuild", {"more": 1}),
    ):
        assert acting.post(AT + path, json=body).status_code == 422, (path, body)


def test_a_search_by_a_person_is_no_search_by_an_agent(acting: TestClient, remembered: Path) -> None:
    log = remembered / ".paragone/logs/search_log.jsonl"
    before = log.read_bytes()
    told = acting.get(f"{AT}/search", params={"q": "tower", "how": "keyword", "limit": 1}).json()
    assert (told["total"], len(told["results"]), told["next_offset"]) == (told["total"], 1, 1)
    assert log.read_bytes() == before
    with Memory.open(remembered) as other:
        other.read("docs/true.md")  # nobody paid for what was shown here
    moved = acting.get(f"{AT}/files/~ZG9jcy9sb3VkLm1k").json()["moves"]
    assert not [one for one in moved[-1:] if one["reason"] == "shown_unused"]


WRONG = (
    "/board?by=nothing", "/board?kind=nothing", "/board?tier=nothing", "/board?limit=0", "/search", "/search?q=%20",
    "/search?q=x&how=semantic", "/search?q=x&glob=!", "/pack?budget=0", "/pack?budget=9999999", "/prune?scope=!",
    "/files/span.py?start=0",
)  # fmt: skip


@pytest.mark.parametrize("path", WRONG)
def test_what_cannot_be_asked_is_refused_in_words(looking: TestClient, path: str) -> None:
    answer = looking.get(AT + path)
    assert answer.status_code == 422
    assert answer.json()["detail"]

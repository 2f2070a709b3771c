"""The commands of docs/scaling.md, in their order, as far as one machine without images and a cluster can run them."""

import re
import shlex
import signal
from pathlib import Path
from typing import Any

from paragone.ledger import Ledger

PAGE = Path(__file__).parents[2] / "docs" / "scaling.md"
ELSEWHERE = ("pip", "docker", "kubectl", "echo")
"""What begins the commands that are not run here: they install, or need Docker, a cluster, or a file for Docker."""


def commands() -> list[str]:
    """The lines of the page's blocks."""
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def test_every_command_of_the_page_works(site: Any) -> None:
    strengths = "id,strength\n" + "".join(f"text number {number},{number}\n" for number in range(6))
    (site.folder / "strengths.csv").write_text(strengths)
    (site.folder / "ideas.csv").write_text(
        "id,text\n" + "".join(f"text number {n},text number {n}\n" for n in range(6))
    )
    (site.folder / "judges.toml").write_text('fast = "simulated:strengths.csv"\ncareful = "simulated:strengths.csv"\n')
    worker, ran, url = None, [], str(site.folder / "one.db")
    for line in commands():
        words = shlex.split(line.replace("openai:gpt-5-mini", "simulated:strengths.csv"))
        if words[0] == "export":
            assert words[1] == "PARAGONE_DB=postgresql://ranker@db.example.org/paragone"
            url = site.url
        elif words[:2] == ["paragone", "worker"]:
            worker = site.run(*words[1:])
        elif words[0] == "paragone":
            said = site.ends(site.run(*words[1:], PARAGONE_DB=url))
            ran.append((words[1], said))
        else:
            assert words[0] in (*ELSEWHERE, "openssl"), f"{line}: run it here, or say on the page that it is not run"
    assert worker is not None
    worker.send_signal(signal.SIGINT)
    assert re.search(r"ended: [1-9]\d* questions answered", site.ends(worker))
    assert [name for name, _ in ran] == ["rank", "rank", "rank", "resume", "workers", "token"]
    assert "fast" in ran[4][1]
    with Ledger.open(site.url) as ledger:
        judges = [ledger.tournaments.get(id).settings["judge"] for id in ("ideas-1", "ideas-2")]
    assert judges == ["simulated:strengths.csv", "workers:fast"]


def test_the_page_says_which_commands_were_not_run() -> None:
    skipped = {shlex.split(line)[0] for line in commands()} & set(ELSEWHERE)
    checked = PAGE.read_text().partition("## What was checked")[2]
    assert skipped == set(ELSEWHERE)
    assert all(f"`{name}`" in checked for name in skipped)

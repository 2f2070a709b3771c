"""However a session over standard input and output ends, its audit is written once, and standard output is clean."""

import os
import signal
import subprocess
from collections.abc import Callable

import pytest

import warm_start


def used(server) -> str:
    """Search and read in a session, after some lines that are no messages; its id."""
    server.begin()
    server.process.stdin.write("no json\n{}\n[1]\n\n")
    found = server.call("search", query="forget the oldest answers", how="keyword")["structuredContent"]
    page = server.call("read", path=found["results"][0]["path"])
    assert page["isError"] is False
    return found["session"]


@pytest.mark.parametrize(
    ("end", "code"),
    [
        (lambda process: process.stdin.close(), 0),
        (lambda process: process.send_signal(signal.SIGTERM), 128 + signal.SIGTERM),
        (lambda process: process.send_signal(signal.SIGINT), 128 + signal.SIGINT),
    ],
    ids=["end of input", "SIGTERM", "Ctrl-C"],
)
def test_the_audit_is_written_at_the_end(raw: Callable, project, end: Callable, code: int) -> None:
    server = raw(project.root)
    session = used(server)
    assert project.log("session_audit") == []
    end(server.process)
    server.process.wait(timeout=60)
    assert server.process.returncode == code
    (audit,) = project.log("session_audit")
    assert (audit["session_id"], audit["agent_id"], audit["outcome"]) == (session, "raw", "unknown")
    assert (audit["search_queries"], len(audit["files_accessed"])) == (1, 1)
    assert server.process.stdout.read() == ""
    assert "Traceback" not in server.process.stderr.read()


def test_a_client_that_is_killed_leaves_its_audit(project, tmp_path) -> None:
    client = tmp_path / "client.py"
    client.write_text(CLIENT, "utf-8")
    process = subprocess.Popen(
        [warm_start.python(), client, project.root, warm_start.command()],
        stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    session = process.stdout.readline().strip()
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    (audit,) = project.sessions(1)
    assert (audit["session_id"], audit["agent_id"]) == (session, "mcp")


CLIENT = """
import asyncio, sys
from mcp import Client, StdioServerParameters

async def main():
    server = StdioServerParameters(command=sys.argv[2], args=["mcp", "--no-index", "--root", sys.argv[1]])
    async with Client(server) as client:
        found = await client.call_tool("search", {"query": "seconds to wait", "how": "keyword"})
        print(found.structured_content["session"], flush=True)
        await asyncio.sleep(600)

asyncio.run(main())
"""

"""A scripted agent that reads nothing but the descriptions walks the flow, over stdio and HTTP, whoever is killed."""

import asyncio
import re
import signal
import subprocess
import sys

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

import warm_start

FLOW = ["search", "read", "cite", "mark_used", "end_session"]


class Agent:
    """Knows a task, and which values it was shown; which tool to call it takes from the descriptions alone."""

    def __init__(self, task):
        self.task, self.tools, self.called = task, {}, []
        self.values = {"query": task}

    async def learn(self, client):
        self.tools = {tool.name: tool for tool in (await client.list_tools()).tools}

    def first(self):
        """The tool whose description says that it is called first."""
        [name] = [name for name, tool in self.tools.items() if re.search(r"\bCall this first\b", tool.description)]
        return name

    def next(self, name):
        """The first tool that the description names as the next; none where it says that it is the last."""
        named = re.search(r"Next: (.*)", self.tools[name].description, re.DOTALL)
        words = re.findall(r"[a-z_]+", named[1]) if named else []
        return next((word for word in words if word in self.tools), None)

    def arguments(self, name):
        """What the schema requires, of what the agent was shown."""
        return {field: self.values[field] for field in self.tools[name].input_schema.get("required", ())}

    def take(self, answer):
        """Remember what later calls may need."""
        for row in answer.get("results", ())[:1]:
            self.values |= {"path": row["path"], "symbol": row["symbol"]}
        if "text" in answer and "path" in answer:
            self.values["content"] = [answer["path"]]

    async def step(self, client):
        """Call the next tool; whether there is one after it."""
        name = self.next(self.called[-1]) if self.called else self.first()
        if name is None:
            return False
        result = await client.call_tool(name, self.arguments(name))
        assert not result.is_error, result.content[0].text
        self.called.append(name)
        self.take(result.structured_content)
        return self.next(name) is not None


def accesses(project):
    """The lines of the access log but those of the indexer."""
    return [line for line in project.log("access_log") if line["tool"] != "index"]


async def walk(agent, client):
    await agent.learn(client)
    while await agent.step(client):
        pass


def stdio(root):
    return StdioServerParameters(
        command=str(warm_start.python()),
        args=["-c", "from paragone.cli import main; main()", "mcp", "--root", str(root), "--no-index"],
    )


def served(root):
    process = subprocess.Popen(
        [warm_start.command(), "mcp", "--root", str(root), "--http", "--port", "0", "--no-index"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    url = next(match[0] for line in process.stderr if (match := re.search(r"http://\S+/mcp", line)))
    return process, url


def test_over_stdio(project):
    agent = Agent("how are the oldest answers forgotten")

    async def converse():
        async with Client(stdio(project.root)) as client:
            await walk(agent, client)

    asyncio.run(converse())
    assert agent.called == FLOW
    assert [line["action"] for line in accesses(project)] == ["read", "cited", "used"]
    assert len(project.sessions(1)) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_over_http_with_a_server_that_is_killed_three_times(project):
    agent = Agent("seconds to wait before the next try")

    async def steps(url, number):
        async with Client(streamable_http_client(url)) as client:
            await agent.learn(client)
            for _ in range(number):
                await agent.step(client)

    for number in (1, 2, 1):  # killed after the search, after cite, after mark_used
        process, url = served(project.root)
        try:
            asyncio.run(steps(url, number))
        finally:
            process.send_signal(signal.SIGKILL)
            process.communicate()
    process, url = served(project.root)
    try:
        asyncio.run(steps(url, 1))
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
    assert agent.called == FLOW
    used = [(line["action"], line["entity_id"]) for line in accesses(project)]
    assert used == [(action, agent.values["path"]) for action in ("read", "cited", "used")], "nothing is lost or twice"
    assert len(project.log("search_log")) == 1


def test_resources_and_prompts_tell_the_flow(project):
    async def converse():
        async with Client(stdio(project.root)) as client:
            listed = {str(resource.uri) for resource in (await client.list_resources()).resources}
            read = {uri: (await client.read_resource(uri)).contents[0].text for uri in sorted(listed)}
            prompts = {prompt.name for prompt in (await client.list_prompts()).prompts}
            begin = await client.get_prompt("begin_task", {"task": "Fix the cache."})
            return read, prompts, begin.messages[0].content.text, client.instructions

    read, prompts, begin, instructions = asyncio.run(converse())
    assert set(read) == {"memory://guide", "memory://board", "memory://pack", "memory://notes"}
    assert all(name in read["memory://guide"] for name in FLOW)
    assert "src/cache.py" in read["memory://board"]
    assert read["memory://pack"].startswith("# Pack of files")
    assert prompts == {"begin_task", "finish_task"}
    assert begin.startswith("Fix the cache.\n")
    assert read["memory://guide"] in instructions
    assert accesses(project) == [], "resources are shown, and not used"

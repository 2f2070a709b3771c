"""What the Dockerfile, compose.yaml, the unit and the manifests start exists, and starts without rights."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import click_tree

TOP = Path(__file__).resolve().parents[2]
DOCKERFILE = (TOP / "Dockerfile").read_text("utf-8")
COMPOSE = yaml.safe_load((TOP / "compose.yaml").read_text("utf-8"))
MANIFESTS = [
    part
    for path in sorted((TOP / "deploy/kubernetes").glob("*.yaml"))
    for part in yaml.safe_load_all(path.read_text("utf-8"))
]
SCALING = yaml.safe_load((TOP / "deploy/keda/worker.yaml").read_text("utf-8"))
UNITS = {path.name: path.read_text("utf-8") for path in sorted((TOP / "deploy/systemd").iterdir())}
UNIT = UNITS["paragone.service"]


def words_of(instruction: str) -> list[str]:
    given = re.search(rf"^{instruction} (\[.*\])$", DOCKERFILE, re.MULTILINE)
    assert given
    return list(json.loads(given[1]))


def services() -> dict[str, Any]:
    """The services of compose.yaml that run paragone."""
    return {name: service for name, service in COMPOSE["services"].items() if service["image"] == "paragone"}


def pods() -> list[dict[str, Any]]:
    return [part["spec"]["template"]["spec"] for part in MANIFESTS if part["kind"] == "Deployment"]


def commands() -> Iterator[tuple[str, list[str]]]:
    """Where each command stands, and its words after ``paragone``."""
    yield "Dockerfile", words_of("CMD")
    for name, service in services().items():
        yield f"compose.yaml, {name}", [*service.get("entrypoint", ["paragone"])[1:], *service.get("command", [])]
    for pod in pods():
        yield pod["containers"][0]["name"] + ".yaml", pod["containers"][0]["args"]
    for name, unit in UNITS.items():
        start = re.search(r"^ExecStart=/opt/paragone/bin/paragone (.*)$", unit, re.MULTILINE)
        assert start
        yield name, shlex.split(start[1])


@pytest.mark.parametrize("words", [pytest.param(words, id=place) for place, words in commands()])
def test_the_command_and_its_options_exist(words: list[str]) -> None:
    name, *rest = words
    assert name in click_tree.commands()
    assert {word for word in rest if word.startswith("-")} <= click_tree.options()[name]


def test_an_image_starts_paragone_and_not_as_root() -> None:
    assert words_of("ENTRYPOINT") == ["paragone"]
    assert re.findall(r"^USER (.*)$", DOCKERFILE, re.MULTILINE) == ["10001:10001"]


def test_the_image_has_what_it_is_started_with() -> None:
    text = (TOP / "requirements/image.lock").read_text("utf-8")
    packages = set(re.findall(r"^([\w-]+)==", text, re.MULTILINE))
    assert {"fastapi", "psycopg", "numba", "opentelemetry-sdk", "pyarrow"} <= packages


def test_containers_of_compose_write_to_nothing_but_their_volumes() -> None:
    for service in services().values():
        assert service["read_only"]
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]


def test_compose_publishes_on_loopback_only_and_has_no_password() -> None:
    ports = [port for service in COMPOSE["services"].values() for port in service.get("ports", ())]
    assert ports == ["127.0.0.1:8321:8321"]
    passwords = {
        service["environment"][name]
        for service in COMPOSE["services"].values()
        for name in ("PGPASSWORD", "POSTGRES_PASSWORD")
        if name in service["environment"]
    }
    assert {password.partition(":?")[0] for password in passwords} == {"${PARAGONE_DB_PASSWORD"}


def test_pods_run_without_rights_and_probes_name_a_host_that_is_allowed() -> None:
    for pod in pods():
        assert pod["securityContext"]["runAsNonRoot"]
        (container,) = pod["containers"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        if "ports" not in container:
            continue  # a worker serves nothing; it exits if it cannot work
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            assert container[probe]["httpGet"]["httpHeaders"] == [{"name": "Host", "value": "localhost"}]


def test_builders_are_sent_only_what_the_dockerfile_copies() -> None:
    sent = {line[1:] for line in (TOP / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")}
    copied = {
        path
        for line in re.findall(r"^COPY (?!--from)(.*)$", DOCKERFILE, re.MULTILINE)
        for path in shlex.split(line)[:-1]
    }
    assert sent == copied


def test_workers_are_scaled_by_a_query_that_counts_jobs(schema_url: Any) -> None:
    import psycopg

    from paragone.ledger import Ledger
    from paragone.workers.queue import make_tables

    url = schema_url()
    with Ledger.open(url) as ledger:
        make_tables(ledger, url)
    query = SCALING["spec"]["triggers"][0]["metadata"]["query"]
    assert SCALING["spec"]["scaleTargetRef"]["name"] in {part["metadata"]["name"] for part in MANIFESTS}
    with psycopg.connect(url, autocommit=True) as connection:
        assert connection.execute(query).fetchone() == (0,)
        connection.execute(
            "INSERT INTO procrastinate_jobs (queue_name, task_name) VALUES ('judge fast', 'paragone.judge'), ('x', 'y')"
        )
        assert connection.execute(query).fetchone() == (1,)

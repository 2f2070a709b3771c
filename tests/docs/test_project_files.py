"""What the project says about itself outside of its documentation agrees with pyproject.toml."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import man_pages

TOP = Path(__file__).parents[2]
PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["project"]


def loaded(path: str):
    return yaml.safe_load((TOP / path).read_text("utf-8"))


def requirement(text: str) -> tuple[str, str]:
    """Name and bounds of a requirement of either form, without what a name's other spelling may be."""
    name, bounds = re.fullmatch(r"([\w.-]+)(?:\[\w+\])?\s*(.*)", text).groups()
    return name.lower().replace("_", "-"), bounds.replace(" ", "")


def test_the_conda_recipe_requires_what_the_package_requires():
    recipe = loaded("deploy/conda/recipe.yaml")
    run = dict(map(requirement, recipe["requirements"]["run"]))
    assert run.pop("python") == PROJECT["requires-python"].replace(" ", "")
    assert run == dict(map(requirement, PROJECT["dependencies"]))
    assert recipe["context"]["version"] == PROJECT["version"]
    assert recipe["about"]["license"] == PROJECT["license"]
    assert recipe["build"]["python"]["entry_points"] == [f"paragone = {PROJECT['scripts']['paragone']}"]


def test_the_citation_is_of_this_version():
    citation = loaded("CITATION.cff")
    assert (citation["title"], citation["version"], citation["license"]) == (
        PROJECT["name"],
        PROJECT["version"],
        PROJECT["license"],
    )


def test_the_workflow_runs_the_checks_on_every_version_that_is_promised():
    jobs = loaded(".github/workflows/ci.yml")["jobs"]
    promised = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)]
    assert jobs["checks"]["strategy"]["matrix"]["python"] == promised
    assert {"run": ".ci/run"} in jobs["checks"]["steps"]
    tests = next(step["run"] for step in jobs["same-numbers"]["steps"] if "pytest" in step.get("run", ""))
    assert [path for path in tests.split() if "/" in path and not (TOP / path).exists() and "bin" not in path] == []


@pytest.mark.parametrize("path", sorted((TOP / ".github").rglob("*.yml")), ids=lambda path: path.name)
def test_forms_and_workflows_are_yaml(path):
    assert isinstance(yaml.safe_load(path.read_text("utf-8")), dict)


def test_every_extra_is_on_the_page_of_installation():
    table = (TOP / "docs/install.md").read_text("utf-8").split("| extra |")[1].split("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", "\n".join(line.split("|")[1] for line in table.splitlines()[2:]))) == set(
        PROJECT["optional-dependencies"]
    )


class TestManualPages:
    def test_every_command_has_one_with_all_of_its_options(self):
        pages = man_pages.pages()
        assert {"paragone", "paragone-rank", "paragone-memory-truth-judge"} <= set(pages)
        rank = pages["paragone-rank"]
        assert '.TH "PARAGONE-RANK" 1 "" "paragone' in rank
        assert ".B paragone rank [OPTIONS] ITEMS" in rank
        assert "\\-\\-criteria TEXT" in rank
        assert ".B paragone\\-judges\\-install(1)" in pages["paragone-judges"]

    def test_no_text_is_a_request_of_roff(self):
        assert man_pages.escaped(".so /etc/passwd\n'x \\fB -1") == "\\&.so /etc/passwd\n\\&'x \\efB \\-1"
        requests = {
            line.split()[0] for text in man_pages.pages().values() for line in text.split("\n") if line[:1] == "."
        }
        assert requests == {".TH", ".SH", ".PP", ".TP", ".B"}

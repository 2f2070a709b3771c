"""The workflow for GitHub Actions: it parses, and its commands and options exist."""

from pathlib import Path

import yaml

import click_tree

WORKFLOW = Path(__file__).parents[2] / "examples" / "compare_in_ci.yml"


def test_its_command_has_only_options_that_exist():
    steps = yaml.safe_load(WORKFLOW.read_text())["jobs"]["compare"]["steps"]
    command = next(step["run"] for step in steps if step.get("run", "").startswith("paragone compare"))
    options = {flag for parameter in click_tree.commands()["compare"].params for flag in parameter.opts}
    used = [word for word in command.split() if word.startswith("--")]
    assert len(used) == 7
    assert options >= set(used)

"""The table of optional packages agrees with the project's own, and the messages name what brings a package."""

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from paragone import extras
from paragone.errors import MissingExtra

_PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
_BROUGHT = {
    extra: {Requirement(each).name for each in requirements}
    for extra, requirements in _PROJECT["optional-dependencies"].items()
}


@pytest.mark.parametrize("package", extras.EXTRAS)
def test_the_extra_named_last_brings_the_package(package: str) -> None:
    assert package in _BROUGHT[extras.EXTRAS[package].split(",")[-1]]


@pytest.mark.parametrize("package", ["faiss-cpu", "google-re2", "opentelemetry-sdk", "pillow", "scikit-learn", "segno"])
def test_a_package_that_is_there_is_seen_whatever_its_module_is_called(package: str) -> None:
    assert extras.installed(package)


def test_a_part_of_a_package_that_is_not_there_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(extras._MODULES, "opentelemetry-sdk", "no_telemetry.sdk")  # type: ignore[index]
    assert not extras.installed("opentelemetry-sdk")


def test_what_is_required_is_named_with_the_extra() -> None:
    extras.require("a plot needs", "plotly")
    with pytest.raises(MissingExtra) as missing:
        extras.require("a plot needs", "plotly", "no-such-plot", extra="plot")
    assert str(missing.value) == (
        "a plot needs the package no-such-plot; install it with: pip install 'paragone[plot]'"
    )


def test_what_no_extra_brings_is_installed_by_itself() -> None:
    assert str(extras.missing("a frame needs", "pandas")) == (
        "a frame needs the package pandas; install it with: pip install pandas"
    )


def test_an_import_that_fails_says_what_is_missing_or_why() -> None:
    with (
        pytest.raises(MissingExtra, match=r"^it needs the package segno; .*'paragone\[web\]', or do without$"),
        extras.importing("it needs", "segno", instead=", or do without"),
    ):
        raise ModuleNotFoundError("No module named 'segno'", name="segno")
    with (
        pytest.raises(MissingExtra, match=r"psycopg, which cannot be imported \(no libpq\); .*'paragone\[postgres\]'$"),
        extras.importing("a ledger needs", "psycopg"),
    ):
        raise ImportError("no libpq")

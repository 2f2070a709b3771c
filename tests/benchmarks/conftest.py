"""Benchmarks as modules, importable while a test of theirs runs."""

import importlib
import sys
from pathlib import Path

import pytest

BENCHMARKS = str(Path(__file__).parents[2] / "benchmarks")


@pytest.fixture(autouse=True)
def benchmarks(monkeypatch):
    before = set(sys.modules)
    monkeypatch.syspath_prepend(BENCHMARKS)
    yield
    for name in set(sys.modules) - before:
        if (getattr(sys.modules[name], "__file__", None) or "").startswith(BENCHMARKS):
            del sys.modules[name]


@pytest.fixture
def script(request, benchmarks):
    """The benchmark that the module tests, as ``test_fewer_calls.py`` tests ``fewer_calls.py``."""
    return importlib.import_module(request.path.stem.removeprefix("test_"))

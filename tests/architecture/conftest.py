"""The source tree, parsed once."""

import ast
import gc
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "paragone"


@pytest.fixture(scope="module")
def modules() -> dict[str, ast.Module]:
    """Every module under src by its path there."""
    paths = sorted(path for path in SOURCE.rglob("*.py") if "__pycache__" not in path.parts)
    gc.disable()  # to look for garbage among all that is parsed, even once, takes as long as to parse it
    try:
        return {path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text("utf-8")) for path in paths}
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="module")
def lengths() -> dict[str, int]:
    """Lines of every module."""
    return {
        path.relative_to(SOURCE).as_posix(): len(path.read_text("utf-8").splitlines()) for path in SOURCE.rglob("*.py")
    }

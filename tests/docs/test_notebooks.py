"""The notebooks run, and show what is stored in them."""

import ast
import asyncio
import inspect
import json
import linecache
from pathlib import Path

import pytest

from paragone.domain.displayed import Displayed

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def value_of(cell, names):
    """Run a cell as a kernel does, awaiting where it awaits; the value of its last expression, or None."""
    file = f"<cell {hash(cell)}>"
    linecache.cache[file] = (
        len(cell),
        None,
        f"{cell}\n".splitlines(keepends=True),
        file,
    )  # a judge is named by its source
    tree = ast.parse(cell)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    parts = [(tree, "exec"), *([] if last is None else [(ast.Expression(last.value), "eval")])]
    value = None
    for part, mode in parts:
        value = eval(compile(part, file, mode, flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
        value = asyncio.run(value) if inspect.iscoroutine(value) else value
    return value


def test_there_are_four():
    assert [path.stem for path in NOTEBOOKS] == ["arena", "essays", "loop", "people"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_it_computes(path):
    names, compared = {"__name__": "__main__"}, 0  # as in a kernel
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        value = value_of("".join(cell["source"]), names)
        assert not any(output["output_type"] in ("error", "stream") for output in cell["outputs"])
        if isinstance(value, Displayed):
            (stored,) = (output["data"]["text/html"] for output in cell["outputs"])
            assert "".join(stored) == value._repr_html_()
            compared += 1
    assert compared

"""Sentences beside the results: they break between words on a terminal, and are one line elsewhere."""

import os
import pty
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
LONG = "the words of a sentence that is too long for a narrow terminal " * 3
CODE = "import sys; from paragone.cli.terminal import gap, notice; notice(sys.argv[1]); gap(); print('result')"


def seen_on_a_terminal(text, columns):
    reading, writing = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(columns), "LINES": "24"}
    command = [sys.executable, "-c", CODE, text]
    subprocess.run(command, check=True, stdout=writing, stderr=writing, env=environment)
    os.close(writing)
    try:
        return os.read(reading, 10_000).decode().replace("\r\n", "\n")
    finally:
        os.close(reading)


def test_lines_end_between_words_on_a_terminal_and_a_gap_parts_them_from_the_result():
    said, _, result = seen_on_a_terminal(f"{LONG}\nand a line of its own", 40).partition("\n\n")
    lines = said.splitlines()
    assert max(map(len, lines)) <= 40
    assert " ".join(lines[:-1]).split() == LONG.split()
    assert lines[-1] == "and a line of its own"
    assert result == "result\n"


def test_elsewhere_it_is_one_line():
    seen = subprocess.run([sys.executable, "-c", CODE, LONG], check=True, capture_output=True, text=True)
    assert (seen.stderr, seen.stdout) == (f"{LONG}\n", "result\n")

"""Writing a threshold into a person's ``memory.toml``: one line of it, and only where nothing else changes."""

import tomllib
from pathlib import Path

from paragone.domain.content import TruthSource
from paragone.errors import InvalidConfig, UnreadableFile
from paragone.page import save

TABLE = "[ratings.thresholds]"


def threshold_lines(source: TruthSource, threshold: float, note: str) -> str:
    """The lines to put into ``memory.toml``."""
    return f"{TABLE}\n{_line(source, threshold, note)}\n"


def write_threshold(path: Path, source: TruthSource, threshold: float, note: str) -> None:
    """Set a threshold in ``memory.toml``, whole or not at all; all other lines stay as they are.

    Args:
        path: The file.
        source: Whose threshold.
        threshold: R above which the gate is open.
        note: What it comes from, for the comment behind it; on one line.

    Raises:
        UnreadableFile: If the file cannot be read, or is no TOML.
        InvalidConfig: If the table is written in a way that a line cannot be put into, with the lines to put there.
        Unwritable: If it cannot be written.
    """
    try:
        text = path.read_text("utf-8")
        before = tomllib.loads(text)
    except OSError as error:
        raise UnreadableFile(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise UnreadableFile(f"{path} is no TOML: {error}") from error
    made = _with_line(text, source, _line(source, threshold, note))
    if not _says(made, before, source, threshold):
        raise InvalidConfig(
            f"{path} has its thresholds in another form than lines below {TABLE}; put there by hand: "
            f"{source} = {threshold!r}"
        )
    save(made, path)


def _line(source: TruthSource, threshold: float, note: str) -> str:
    return f"{source} = {threshold!r}  # {' '.join(note.split())}"


def _with_line(text: str, source: TruthSource, line: str) -> str:
    """The text with the line in the table of thresholds, which is made at its end where there is none."""
    lines = text.split("\n")
    head = next((place for place, one in enumerate(lines) if one.split("#")[0].strip() == TABLE), None)
    if head is None:
        return f"{text.rstrip()}\n\n{TABLE}\n{line}\n".lstrip("\n")
    end = next((place for place in range(head + 1, len(lines)) if lines[place].lstrip().startswith("[")), len(lines))
    own = [place for place in range(head + 1, end) if lines[place].split("=")[0].strip().strip("\"'") == source]
    if own:
        return "\n".join([*lines[: own[0]], line, *lines[own[0] + 1 :]])
    return "\n".join([*lines[: head + 1], line, *lines[head + 1 :]])


def _says(text: str, before: dict[str, object], source: TruthSource, threshold: float) -> bool:
    """Whether the text says what the file said before and the threshold, and nothing else."""
    try:
        after = tomllib.loads(text)
    except ValueError:
        return False
    ratings = before.get("ratings", {})
    if not isinstance(ratings, dict) or not isinstance(ratings.get("thresholds", {}), dict):
        return False
    thresholds = {**ratings.get("thresholds", {}), str(source): threshold}
    return after == {**before, "ratings": {**ratings, "thresholds": thresholds}}

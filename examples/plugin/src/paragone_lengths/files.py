"""Files: items from the sections of an .ini file, and a board as a Markdown table."""

from configparser import ConfigParser


def read_ini(path):
    """A row for each section: its name is the id, its keys are columns."""
    parser = ConfigParser(interpolation=None)
    parser.read_string(path.read_text("utf-8"))
    return [{"id": name, **parser[name]} for name in parser.sections()]


def as_markdown(board):
    """The board as a table of Markdown. Texts are untrusted: a bar would end a cell."""
    rows = (f"| {row.rank} | {row.rating:.0f} | {row.id.replace('|', '&#124;')} |" for row in board.items)
    return "\n".join(("| rank | rating | item |", "|--:|--:|---|", *rows, ""))

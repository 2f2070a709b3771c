"""``paragone settings``: what applies where nothing is given, and where it comes from."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from paragone.cli import options
from paragone.presenting.table import Table, table, text

if TYPE_CHECKING:
    from paragone.settings import SettingReport


def settings(output: options.Output) -> None:
    """List the settings from the environment and from paragone.toml, and what sets each."""
    from paragone.settings import setting_reports

    output.show(setting_reports(), _lines)


def _lines(reports: "tuple[SettingReport, ...]") -> Iterator[str | Table[Any]]:
    from paragone.settings import CONFIG, FILE, configuration_files, environment, user_file

    yield table(
        reports,
        text("setting", lambda each: each.name),
        text("value", lambda each: "none" if each.value is None else f"{each.value}"),
        text("set by", lambda each: each.source or "its default"),
    )
    yield ""
    files = ", ".join(map(str, configuration_files())) or "none"
    where = (
        f"{CONFIG} names the file" if environment().get(CONFIG) is not None else f"looked for: {user_file()}, ./{FILE}"
    )
    yield f"files read: {files} ({where})"

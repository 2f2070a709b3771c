"""What file a report may be written to."""

import pytest

from paragone.errors import InvalidConfig, Unwritable
from paragone.presenting.files import require_report_file


@pytest.mark.parametrize("name", ["report.html", "report.json", "report.CSV"])
def test_a_file_of_each_format_may_be_written(tmp_path, name):
    require_report_file(tmp_path / name)
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize(("name", "error"), [("report.pdf", InvalidConfig), ("absent/report.json", Unwritable)])
def test_a_file_that_cannot_be_is_refused(tmp_path, name, error):
    with pytest.raises(error, match="report"):
        require_report_file(tmp_path / name)

"""Whether a wheel carries every file of the package: the typing marker, prompts, templates and migrations too."""

import sys
import zipfile
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "src"


def missing(wheel: Path) -> list[str]:
    """Files under src that the wheel lacks, by their path in the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
    files = (path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return sorted(name for path in files if (name := path.relative_to(PACKAGE).as_posix()) not in packed)


def main() -> None:
    """Check the wheel named on the command line."""
    absent = missing(Path(sys.argv[1]))
    if absent or not (PACKAGE / "paragone" / "py.typed").exists():
        sys.exit("the wheel lacks " + ", ".join(absent or ["paragone/py.typed"]))


if __name__ == "__main__":
    main()

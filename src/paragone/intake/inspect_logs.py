"""Logs of Inspect as files: a ``.eval``, which is a zip archive, or one that it wrote as JSON.

Source: the documentation of Inspect, "Eval Logs". Its newer versions pack archives with Zstandard, which Python reads
from 3.14 on; before that the package ``zstandard`` does, which the extra ``inspect`` brings.
"""

import json
import struct
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paragone import extras
from paragone.errors import UnreadableFile

ENDING = ".eval"
"""What the name of an archive ends in."""
_LARGEST_MEMBER = 1 << 28
"""Bytes of an archive's file, unpacked; a summary of a million samples is smaller."""
_ZSTANDARD = 93
_LOCAL_HEADER = 30
"""Bytes of a member's own header, before its name and its extra field, whose lengths are its last two numbers."""
_DAMAGE = (
    zipfile.BadZipFile,
    OSError,
    ValueError,
    KeyError,
    TypeError,
    RuntimeError,  # a password, a way of packing that nothing here knows, or JSON that is nested too deeply
    struct.error,
)
"""What a file raises that is no whole log."""


@dataclass(frozen=True, kw_only=True, slots=True)
class InspectLog:
    """What a log says of its run.

    Attributes:
        name: Name of the file without its ending.
        task: What was evaluated on.
        model: Which model.
        samples: The samples with their scores.
    """

    name: str
    task: str
    model: str
    samples: Sequence[Mapping[str, Any]]

    @classmethod
    def of(cls, name: str, header: Mapping[str, Any], samples: Sequence[Mapping[str, Any]]) -> "InspectLog":
        """A log of the parts of the file."""
        return cls(name=name, task=str(header["task"]), model=str(header["model"]), samples=samples)


def read_archive(path: Path) -> InspectLog:
    """A log of an archive.

    Raises:
        UnreadableFile: If it is absent or damaged.
        MissingExtra: If it is packed with Zstandard and nothing here reads that.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            header = _member(archive, "header.json") or _member(archive, "_journal/start.json") or {}
            samples = _member(archive, "summaries.json")
            if samples is None:  # a run that was interrupted has parts only
                names = [name for name in archive.namelist() if name.startswith("_journal/summaries/")]
                samples = [sample for name in sorted(names) for sample in _member(archive, name) or []]
            return InspectLog.of(path.stem, header["eval"], samples)
    except FileNotFoundError as error:
        raise UnreadableFile(f"{path}: no such file") from error
    except ImportError as error:
        purpose = f"{path} is packed with Zstandard, which before Python 3.14 needs"
        raise extras.missing(purpose, "zstandard") from error
    except _DAMAGE as error:
        raise UnreadableFile(f"{path} is not a complete log of Inspect ({error})") from error


def _member(archive: zipfile.ZipFile, name: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    if name not in archive.namelist():
        return None
    member = archive.getinfo(name)
    if member.file_size > _LARGEST_MEMBER:
        raise ValueError(f"{name} in it is larger than {_LARGEST_MEMBER >> 20} MB")
    try:
        return json.loads(archive.read(name))
    except NotImplementedError:
        if member.compress_type != _ZSTANDARD:
            raise
        return json.loads(_unpacked(archive, member))


def _unpacked(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """The content of a member that is packed with Zstandard, perhaps in several frames, up to its stated size."""
    import zstandard

    file = archive.fp
    if file is None:
        raise ValueError("the archive is closed")
    file.seek(member.header_offset)
    name_length, extra_length = struct.unpack("<26xHH", file.read(_LOCAL_HEADER))
    file.seek(name_length + extra_length, 1)
    packed = file.read(member.compress_size)
    try:
        with zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True) as stream:
            return bytes(stream.read(member.file_size))
    except zstandard.ZstdError as error:
        raise ValueError(f"{member.filename}: {error}") from error

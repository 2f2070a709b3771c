"""A pack, and its manifest as JSON."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from paragone.domain.text import whole
from paragone.memory.store.instant import as_iso
from paragone.wire.pack import PackedFile, PackForm, PackMode

PackLayout = Literal["markdown", "xml"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Packed(PackedFile):
    """One file of the index and what became of it.

    Attributes:
        sha256: Of the bytes that were read for this pack; of those in the index, where none were read.
    """

    sha256: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Pack:
    """A pack.

    Attributes:
        text: What goes into the context window.
        manifest: Every file of the index: those that are in, in their order in the text, then the others by path.
        tokens: Of the whole text, in ``cl100k_base``.
        full_tokens: Of all files that may be packed, whole, without any headings.
        budget: Tokens that it could have; None where nothing bounds it.
        mode: ``budget`` or ``tiers``.
        layout: ``markdown`` or ``xml``.
        as_of: For which time files were rated, in seconds since 1970.
        query: What it was made for, or empty.
    """

    text: str
    manifest: tuple[Packed, ...]
    tokens: int
    full_tokens: int
    budget: int | None
    mode: PackMode
    layout: PackLayout
    as_of: float
    query: str = ""

    @property
    def saving(self) -> float:
        """How much smaller it is than all files whole, as a share of those; below 0 where it is larger."""
        return 1.0 - self.tokens / self.full_tokens if self.full_tokens else 0.0

    @property
    def counts(self) -> Mapping[PackForm, int]:
        """How many files it has in each form."""
        forms = [file.form for file in self.manifest]
        return {form: forms.count(form) for form in PackForm}


def manifest(pack: Pack) -> dict[str, Any]:
    """The manifest of a pack as JSON values; the same pack gives the same."""
    return {
        "mode": pack.mode,
        "form": pack.layout,
        "query": pack.query,
        "as_of": as_iso(pack.as_of),
        "budget": pack.budget,
        "tokens": pack.tokens,
        "full_tokens": pack.full_tokens,
        "saving": pack.saving,
        "counts": {str(form): count for form, count in pack.counts.items()},
        "sha256": hashlib.sha256(pack.text.encode("utf-8")).hexdigest(),
        "files": [
            {
                "path": file.path,
                "sha256": file.sha256,
                "tier": str(file.tier),
                "form": str(file.form),
                "tokens": file.tokens,
                "reason": file.reason,
            }
            for file in pack.manifest
        ],
    }


def manifest_text(pack: Pack) -> str:
    """The manifest as a JSON document."""
    return whole(json.dumps(manifest(pack), ensure_ascii=False, indent=2, allow_nan=False)) + "\n"

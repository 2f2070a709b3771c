"""A pack's manifest as JSON: what is in it, in which form, why, and what it was made from."""

import hashlib
import json
from typing import Any

from paragone.domain.text import whole
from paragone.memory.packing.pack import Pack
from paragone.memory.store.instant import as_iso


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
                "path": one.path,
                "sha256": one.sha256,
                "tier": str(one.tier),
                "form": str(one.form),
                "tokens": one.tokens,
                "reason": one.reason,
            }
            for one in pack.manifest
        ],
    }


def manifest_text(pack: Pack) -> str:
    """The manifest as a JSON document."""
    return whole(json.dumps(manifest(pack), ensure_ascii=False, indent=2, allow_nan=False)) + "\n"

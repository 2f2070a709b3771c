"""Packs: which files go into a context window, in which form, and why."""

from typing import TYPE_CHECKING

from paragone.on_demand import names

if TYPE_CHECKING:
    from paragone.memory.packing.pack import Pack, Packed, manifest, manifest_text
    from paragone.memory.packing.packer import Packer
else:
    __getattr__ = names(
        __name__,
        {
            ".pack": "Pack Packed manifest manifest_text",
            ".packer": "Packer",
        },
    )

__all__ = ["Pack", "Packed", "Packer", "manifest", "manifest_text"]

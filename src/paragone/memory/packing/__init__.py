"""Packs: which files go into a context window, in which form, and why."""

from paragone.memory.packing.pack import Pack, Packed, PackLayout, manifest, manifest_text
from paragone.memory.packing.packer import Packer

__all__ = ["Pack", "PackLayout", "Packed", "Packer", "manifest", "manifest_text"]

"""Packs: which files go into a context window, in which form, and why."""

from paragone.memory.packing.pack import Pack, Packed, manifest, manifest_text
from paragone.memory.packing.packer import Packer

__all__ = ["Pack", "Packed", "Packer", "manifest", "manifest_text"]

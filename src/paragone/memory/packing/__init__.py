"""Packs: what goes into a context window, in which form, and why. The door is ``Packer``; ``plan.py`` is pure."""

from paragone.memory.packing.pack import Pack, Packed, PackForm, PackLayout, manifest, manifest_text
from paragone.memory.packing.packer import Packer

__all__ = ["Pack", "PackForm", "PackLayout", "Packed", "Packer", "manifest", "manifest_text"]

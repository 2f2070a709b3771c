"""The layouts by their names."""

from paragone.memory.packing.layout import Layout
from paragone.memory.packing.markdown import Markdown
from paragone.memory.packing.pack import PackLayout
from paragone.memory.packing.xml import Xml

LAYOUTS: dict[PackLayout, Layout] = {"markdown": Markdown(), "xml": Xml()}

"""What may be packed: files as they are now, what each form of them would cost, and why others may not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paragone.errors import ParagoneError
from paragone.memory.index import FileEntry, FileReader, Index, SourceText, count_tokens
from paragone.memory.index.secrecy import gitignore
from paragone.memory.index.signatures import signatures
from paragone.memory.packing.layout import Layout, Quote
from paragone.memory.packing.outline import condensed
from paragone.memory.packing.plan import Candidate
from paragone.memory.packing.rating import Rated
from paragone.wire.pack import PackForm

if TYPE_CHECKING:
    from paragone.memory.store import Store


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """A file that may be packed.

    Attributes:
        rated: How it stands.
        candidate: What it costs.
        sha256: Of the bytes that were read.
        quotes: What is quoted, by form.
        changed: Whether it is another than the one in the index.
    """

    rated: Rated
    candidate: Candidate
    sha256: str
    quotes: Mapping[PackForm, Quote]
    changed: bool


class Sources:
    """Reads files for a pack, and says of those that may not be in it why."""

    def __init__(self, store: "Store", index: Index, layout: Layout, exclude: Sequence[str]) -> None:
        self._index, self._layout = index, layout
        self._reader = FileReader(store)
        self._exclude = gitignore(exclude)

    def refused(self, path: str) -> str | None:
        """Why a file is never packed; None where it may be."""
        if self._exclude.match_file(path):
            return "excluded by pack.exclude"
        return self._reader.refused_name(path)

    def of(self, rated: Rated) -> Source | str:
        """A file as it is now, or why there is none."""
        try:
            read = self._reader.read(rated.entry.path)
        except ParagoneError as error:
            return str(error)
        changed = read.sha256 != rated.entry.sha256
        quotes = self._quotes(rated.entry, read, changed=changed)
        prices = {form: self._price(form, quote) for form, quote in quotes.items()}
        candidate = Candidate(
            path=rated.entry.path,
            worth=rated.worth,
            prices=prices,
            tier=rated.rating.tier,
            pinned=rated.rating.pinned,
            is_low=rated.rating.is_high is False,
        )
        return Source(rated=rated, candidate=candidate, sha256=read.sha256, quotes=quotes, changed=changed)

    def _quotes(self, entry: FileEntry, read: SourceText, *, changed: bool) -> dict[PackForm, Quote]:
        tokens = count_tokens(read.text) if changed else entry.tokens
        outline = condensed(signatures(entry.path, read.text) if changed else self._index.signatures(entry.path))
        texts = {PackForm.FULL: read.text, PackForm.SIGNATURES: outline, PackForm.POINTER: ""}
        return {
            form: Quote(path=entry.path, language=entry.language, lines=read.lines, tokens=tokens, text=text)
            for form, text in texts.items()
            if text or form is not PackForm.SIGNATURES
        }

    def _price(self, form: PackForm, quote: Quote) -> int:
        """Tokens of a form. Of a whole file those of its heading and of its text, which add up but for its fences."""
        if form is PackForm.FULL:
            bare = Quote(path=quote.path, language=quote.language, lines=quote.lines, tokens=quote.tokens)
            return quote.tokens + count_tokens(self._layout.whole(bare))
        return count_tokens(written(self._layout, form, quote))


def written(layout: Layout, form: PackForm, quote: Quote) -> str:
    """A quotation in some form."""
    if form is PackForm.FULL:
        return layout.whole(quote)
    return layout.signatures(quote) if form is PackForm.SIGNATURES else layout.pointer(quote)

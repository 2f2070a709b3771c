"""``Closing``: what is to be closed, and is at the end of a ``with`` block."""

from typing import Self


class Closing:
    """The base of what holds files or connections."""

    def close(self) -> None:
        """Release them."""
        raise NotImplementedError  # each class has its own

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

"""What is common to all that goes out as JSON and comes back."""

from typing import Any, ClassVar


class Record:
    """A frozen dataclass that leaves the house and comes in again, under the documents' field names.

    What it does not know is refused when one is read, so that a misspelled field is not taken for one that is absent.
    """

    __slots__ = ()
    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid", "allow_inf_nan": False}

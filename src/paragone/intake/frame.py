"""Tables from data frames, through narwhals: pandas, polars, pyarrow and whatever else it knows."""

from paragone.intake.table import Table


def is_frame(value: object) -> bool:
    """Whether ``value`` looks like a data frame; nothing is imported to find out."""
    return hasattr(value, "__dataframe__") or hasattr(value, "__arrow_c_stream__")


def read_frame(frame: object, *, name: str) -> Table:
    """A table from a data frame held in memory.

    Args:
        frame: A pandas, polars or pyarrow frame, or another that narwhals knows.
        name: What to call it in messages.

    Raises:
        TypeError: If narwhals does not know it as a frame.
    """
    import narwhals

    known = narwhals.from_native(frame, eager_only=True)  # type: ignore[call-overload]  # narwhals tells by looking
    rows = list(known.iter_rows())
    return Table(name=name, columns=tuple(known.columns), rows=rows, unit="row", numbers=range(1, len(rows) + 1))

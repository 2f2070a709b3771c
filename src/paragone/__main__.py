"""Where every command begins, as ``paragone`` and ``python -m paragone``; what it loads can be interrupted."""

import sys


def main() -> None:
    """Run the command line; interrupted while it is still loaded, it exits as it does later."""
    try:
        from paragone.cli import main

        main()
    except KeyboardInterrupt:
        print("paragone: interrupted", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()

"""``python -m paragone``: the command line, where its script is not on the path."""

from paragone.cli import main

if __name__ == "__main__":
    main()

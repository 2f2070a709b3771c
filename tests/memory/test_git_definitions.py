"""Which definitions commits changed: from hunk headers, nested ones too, and from what a hunk begins with."""

import pytest

from paragone.memory.git_history import CommitRange, GitHistory
from paragone.memory.git_learning import changed_definitions, name_in

CODE = """\
class Pool:
    def one(self):
        a = 1
        b = 2
        return a

    def two(self):
        return 2
"""


def changed(repository, sha):
    history = GitHistory(repository.root)
    return changed_definitions(history, CommitRange(head=history.head())).get(sha, ())


def test_a_change_belongs_to_the_innermost_definition_before_it(repository):
    repository.commit(a__py=CODE, **{"a.py": CODE})
    sha = repository.commit(**{"a.py": CODE.replace("b = 2", "b = 3")})
    assert changed(repository, sha) == (("a.py", "one"),)


def test_a_hunk_that_begins_with_a_definition_belongs_to_that_one(repository):
    repository.commit(**{"a.py": CODE})
    sha = repository.commit(**{"a.py": CODE.replace("def two(self)", "def two(self, x)")})
    assert changed(repository, sha) == (("a.py", "two"),)


def test_headings_of_markdown_and_odd_names(repository):
    repository.commit(**{"ä b.md": "# Log\n\n## 0.17 `x`\n\nold\n"})
    sha = repository.commit(**{"ä b.md": "# Log\n\n## 0.17 `x`\n\nnew\n"})
    assert changed(repository, sha) == (("ä b.md", "0.17 x"),)


def test_nothing_that_a_repository_configures_is_run(repository, tmp_path):
    marker = tmp_path / "ran"
    repository.commit(**{"a.py": CODE, ".gitattributes": "*.py diff=evil\n"})
    repository.git("config", "diff.evil.command", f"touch {marker}")
    repository.git("config", "diff.evil.textconv", f"touch {marker}; cat")
    repository.git("config", "diff.python.command", f"touch {marker}")
    sha = repository.commit(**{"a.py": CODE.replace("b = 2", "b = 3")})
    changed(repository, sha)
    assert not marker.exists()


@pytest.mark.parametrize(
    ("path", "header", "name"),
    [
        ("a.py", "    async def run(self):", "run"),
        ("a.go", "func (s *Store) Get(id string) error {", "Get"),
        ("a.rs", "pub(crate) fn main() {", "main"),
        ("a.js", "export default function render(props) {", "render"),
        ("a.c", "static int parse(const char *text)", "parse"),
        ("a.md", "## Usage, *quickly* ##", "Usage, *quickly*"),
        ("a.py", "", ""),
        ("a.md", "parse(text)", ""),
    ],
)
def test_names_of_headers(path, header, name):
    assert name_in(path, header) == name

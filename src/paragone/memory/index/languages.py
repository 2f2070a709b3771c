"""How to find the definitions of each language (tree-sitter queries) and the headings of Markdown and reStructuredText.

A query's captures name the kind of a definition; ``@name`` is its name. ``@scope`` encloses others without being a
symbol itself, such as an ``impl`` of Rust.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter_language_pack import SupportedLanguage


@dataclass(frozen=True, kw_only=True, slots=True)
class Grammar:
    """How definitions are found in a language.

    Attributes:
        parser: Its name in tree-sitter-language-pack.
        query: Finds definitions.
        wrappers: Nodes around a definition that belong to its signature: decorators, templates, exports.
        leading: Siblings before a definition that belong to its signature: attributes.
        comment: How a line comment begins.
    """

    parser: "SupportedLanguage"
    query: str
    wrappers: tuple[str, ...] = ()
    leading: tuple[str, ...] = ()
    comment: str = "//"


_PYTHON = """
(class_definition name: (identifier) @name) @class
(function_definition name: (identifier) @name) @function
(module (expression_statement (assignment left: (identifier) @name) @constant (#match? @name "^_?[A-Z][A-Z0-9_]*$")))
(module (assignment left: (identifier) @name (#match? @name "^_?[A-Z][A-Z0-9_]*$")) @constant)
"""

_JAVASCRIPT = """
(class_declaration name: (_) @name) @class
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(method_definition name: (_) @name) @method
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)])
  @function
(assignment_expression left: (member_expression property: (_) @name) right: [(arrow_function) (function_expression)])
  @function
"""

_TYPESCRIPT = (
    _JAVASCRIPT
    + """
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @method
(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @enum
(internal_module name: (_) @name) @module
(module name: (_) @name) @module
(method_signature name: (_) @name) @method
(abstract_method_signature name: (_) @name) @method
(function_signature name: (_) @name) @function
"""
)

_GO = """
(function_declaration name: (_) @name) @function
(method_declaration name: (_) @name) @method
(type_declaration (type_spec name: (_) @name type: (struct_type)) @struct)
(type_declaration (type_spec name: (_) @name type: (interface_type)) @interface)
(type_declaration (type_spec name: (_) @name type: [(type_identifier) (qualified_type) (pointer_type) (function_type)
  (map_type) (slice_type) (array_type) (channel_type) (generic_type)]) @type)
(type_declaration (type_alias name: (_) @name) @type)
(source_file (const_declaration (const_spec name: (identifier) @name) @constant))
"""

_RUST = """
(function_item name: (_) @name) @function
(function_signature_item name: (_) @name) @function
(struct_item name: (_) @name) @struct
(union_item name: (_) @name) @struct
(enum_item name: (_) @name) @enum
(trait_item name: (_) @name) @trait
(type_item name: (_) @name) @type
(mod_item name: (_) @name body: (_)) @module
(macro_definition name: (_) @name) @macro
(const_item name: (_) @name) @constant
(static_item name: (_) @name) @constant
(impl_item type: (_) @name) @scope
"""

_JAVA = """
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(annotation_type_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(record_declaration name: (_) @name) @class
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
"""

_C = """
(function_definition declarator: (_) @declarator) @function
(declaration declarator: (function_declarator) @declarator) @function
(declaration declarator: (pointer_declarator declarator: (function_declarator)) @declarator) @function
(struct_specifier name: (_) @name body: (_)) @struct
(union_specifier name: (_) @name body: (_)) @struct
(enum_specifier name: (_) @name body: (_)) @enum
(type_definition declarator: (type_identifier) @name) @type
(preproc_function_def name: (_) @name) @macro
"""

_CPP = (
    _C
    + """
(class_specifier name: (_) @name body: (_)) @class
(namespace_definition name: (_) @name) @module
(alias_declaration name: (_) @name) @type
(concept_definition name: (_) @name) @type
(field_declaration declarator: (function_declarator) @declarator) @method
(field_declaration declarator: (pointer_declarator declarator: (function_declarator)) @declarator) @method
(field_declaration declarator: (reference_declarator (function_declarator)) @declarator) @method
"""
)

_RUBY = """
(module name: (_) @name) @module
(class name: (_) @name) @class
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
"""

_CSHARP = """
(namespace_declaration name: (_) @name) @module
(class_declaration name: (_) @name) @class
(struct_declaration name: (_) @name) @struct
(record_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(delegate_declaration name: (_) @name) @type
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
"""

_PHP = """
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(trait_declaration name: (_) @name) @trait
(enum_declaration name: (_) @name) @enum
(function_definition name: (_) @name) @function
(method_declaration name: (_) @name) @method
"""

_BASH = "(function_definition name: (_) @name) @function"

_EXPORTS = ("export_statement", "lexical_declaration", "variable_declaration", "expression_statement")

GRAMMARS = {
    "python": Grammar(parser="python", query=_PYTHON, wrappers=("decorated_definition",), comment="#"),
    "javascript": Grammar(parser="javascript", query=_JAVASCRIPT, wrappers=_EXPORTS, leading=("decorator",)),
    "typescript": Grammar(parser="typescript", query=_TYPESCRIPT, wrappers=_EXPORTS, leading=("decorator",)),
    "tsx": Grammar(parser="tsx", query=_TYPESCRIPT, wrappers=_EXPORTS, leading=("decorator",)),
    "go": Grammar(parser="go", query=_GO, wrappers=("type_declaration", "const_declaration")),
    "rust": Grammar(parser="rust", query=_RUST, leading=("attribute_item",)),
    "java": Grammar(parser="java", query=_JAVA),
    "c": Grammar(parser="c", query=_C, wrappers=("type_definition",)),
    "cpp": Grammar(parser="cpp", query=_CPP, wrappers=("template_declaration", "type_definition")),
    "ruby": Grammar(parser="ruby", query=_RUBY, comment="#"),
    "csharp": Grammar(parser="csharp", query=_CSHARP),
    "php": Grammar(parser="php", query=_PHP),
    "bash": Grammar(parser="bash", query=_BASH, comment="#"),
}

_ENDINGS = {
    "python": "py pyi pyw",
    "javascript": "js mjs cjs jsx",
    "typescript": "ts mts cts",
    "tsx": "tsx",
    "go": "go",
    "rust": "rs",
    "java": "java",
    "c": "c h",
    "cpp": "cc cpp cxx c++ hh hpp hxx h++ ipp inl cu cuh",
    "ruby": "rb rake gemspec",
    "csharp": "cs",
    "php": "php",
    "bash": "sh bash",
    "markdown": "md markdown mdx",
    "rst": "rst",
    "json": "json jsonl",
    "yaml": "yaml yml",
    "toml": "toml",
    "xml": "xml",
    "html": "html htm",
    "css": "css scss less",
    "sql": "sql",
    "text": "txt log csv tsv",
}
_BY_ENDING = {"." + ending: language for language, endings in _ENDINGS.items() for ending in endings.split()}
_BY_NAME = {"Makefile": "make", "Dockerfile": "docker", "Rakefile": "ruby", "Gemfile": "ruby"}


def language_of(path: str) -> str:
    """The language of a file by its name; empty if unknown."""
    name = PurePosixPath(path)
    return _BY_NAME.get(name.name) or _BY_ENDING.get(name.suffix.lower(), "")


_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_PROSE = re.compile(r" {0,3}(?![-*+>|#]|`{3}|~{3}|\d+[.)][ \t])\S")
_END = re.compile(r"\s*$| {4}|\t| {0,3}(?:`{3}|~{3}|(?:-{3,}|=+)\s*$)")
"""A line after which a paragraph begins."""
_ADORNED = re.compile(r"([=\-~^\"'`#*+:.<>_])\1{2,}\s*$")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading.

    Attributes:
        line: Line of its title, from 1.
        level: From 1, the highest.
        title: Without markup.
    """

    line: int
    level: int
    title: str

    @property
    def shown(self) -> str:
        return f"{'#' * self.level} {self.title}"


def markdown_headings(text: str) -> list[Heading]:
    """The headings of Markdown, underlined ones included; none in fences or front matter."""
    headings: list[Heading] = []
    fence = ""
    lines = text.split("\n")
    for number, line in enumerate(lines[_front_matter(lines) :], _front_matter(lines) + 1):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) and not mark[2].strip() else fence
        elif mark and not (mark[1][0] == "`" and "`" in mark[2]):
            fence = mark[1]
        elif atx := _ATX.match(line):
            headings.append(Heading(number, len(atx[1]), plain_title(atx[2] or "")))
        elif number > 1 and _SETEXT.match(line) and _is_title(lines, number - 2, headings):
            headings.append(Heading(number - 1, 1 if "=" in line else 2, plain_title(lines[number - 2])))
    return [heading for heading in headings if heading.title]


def rst_headings(text: str) -> list[Heading]:
    """The headings of reStructuredText: underlined at full length; levels in the order in which the marks appear."""
    headings: list[Heading] = []
    levels: list[tuple[str, bool]] = []
    lines = text.split("\n")
    for row in range(1, len(lines)):
        mark, title = _ADORNED.match(lines[row]), lines[row - 1]
        if not mark or not title.strip() or _ADORNED.match(title) or len(lines[row].rstrip()) < len(title.rstrip()):
            continue
        over = row >= 2 and lines[row - 2].rstrip() == lines[row].rstrip()
        if not over and (title[0].isspace() or (row >= 2 and lines[row - 2].strip())):
            continue
        kind = (mark[1], over)
        if kind not in levels:
            levels.append(kind)
        headings.append(Heading(row, levels.index(kind) + 1, plain_title(title)))
    return headings


HEADINGS: Mapping[str, Callable[[str], list[Heading]]] = {"markdown": markdown_headings, "rst": rst_headings}
"""The function that finds headings, by language."""


def _front_matter(lines: list[str]) -> int:
    """Number of lines of front matter at the start of a text."""
    if lines[0].rstrip() not in {"---", "+++"}:
        return 0
    return next((number for number, line in enumerate(lines[1:], 2) if line.rstrip() == lines[0].rstrip()), 0)


def _is_title(lines: list[str], row: int, headings: list[Heading]) -> bool:
    """Whether a row can be the title above a line: one line of prose that is not already a heading."""
    alone = row == 0 or bool(_END.match(lines[row - 1])) or (bool(headings) and headings[-1].line == row)
    return alone and bool(_PROSE.match(lines[row])) and not (headings and headings[-1].line == row + 1)


def plain_title(title: str) -> str:
    """A title without code marks, emphasis and links."""
    return " ".join(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "").replace("**", "").split())

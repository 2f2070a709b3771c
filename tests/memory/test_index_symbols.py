"""Symbols and outlines: what they are called, where they are, and how they begin."""

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paragone.memory.index.languages import GRAMMARS, Heading, language_of, markdown_headings, rst_headings
from paragone.memory.index.symbols import signatures, symbols_of

PYTHON = '''
import os

# Above.
@decorated(
    "with", more=[1,
                  2],
)
async def fetch(url: str,
    tries: dict[str, int] = dict(
        first=1,
    ),
) -> tuple[
    int, str
]:  # a remark
    """Get it.

    Longer.
    """
    def inner(): ...

class Outer(Base,
            metaclass=Meta):
    """What it is."""

    LIMIT = 3

    class Inner:
        def run(self, x=")"): return x

    @property
    def size(self) -> int: ...

    @size.setter
    def size(self, to: int) -> None: ...

LIMIT: int = 3
lower = 4
if LIMIT:
    def late(): pass
'''


def named(path, text):
    return [(one.name, one.kind, one.start, one.end) for one in symbols_of(path, text)]


def test_python_has_qualified_names_kinds_and_lines():
    assert named("a.py", PYTHON) == [
        ("fetch", "function", 5, 20),
        ("fetch.inner", "function", 20, 20),
        ("Outer", "class", 22, 35),
        ("Outer.Inner", "class", 28, 29),
        ("Outer.Inner.run", "method", 29, 29),
        ("Outer.size", "method", 31, 32),
        ("Outer.size", "method", 34, 35),
        ("LIMIT", "constant", 37, 37),
        ("late", "function", 40, 40),
    ]


def test_a_name_that_comes_again_has_an_id_of_its_own():
    ids = [one.id for one in symbols_of("d/a.py", PYTHON) if one.name == "Outer.size"]
    assert ids == ["@d/a.py::Outer.size", "@d/a.py::Outer.size#2"]


def test_signatures_are_whole_over_many_lines():
    symbols = {one.id.split("::")[1]: one for one in symbols_of("a.py", PYTHON)}
    fetch = textwrap.dedent(
        """
        @decorated(
            "with", more=[1,
                          2],
        )
        async def fetch(url: str,
            tries: dict[str, int] = dict(
                first=1,
            ),
        ) -> tuple[
            int, str
        ]:"""
    ).strip()
    assert (symbols["fetch"].signature, symbols["fetch"].doc) == (fetch, "Get it.")
    assert symbols["Outer"].signature == "class Outer(Base,\n            metaclass=Meta):"
    assert symbols["Outer"].doc == "What it is."
    assert symbols["Outer.Inner.run"].signature == 'def run(self, x=")"):'
    assert symbols["Outer.size#2"].signature == "@size.setter\ndef size(self, to: int) -> None:"
    assert symbols["LIMIT"].signature == "LIMIT: int = 3"


def test_an_outline_shows_types_with_their_methods_and_no_function_in_a_function():
    text = "class A(B):\n    '''Of A.'''\n    def f(self,\n          x): pass\n\ndef g():\n    def h(): pass\n"
    assert signatures("a.py", text) == "# Of A.\nclass A(B):\n    def f(self,\n          x):\ndef g():\n"
    assert signatures("a.txt", text) == ""
    assert signatures("a.py", "x = 1\n") == ""


def test_a_long_constant_is_cut_and_says_so():
    text = "TABLE = [\n" + "    1,\n" * 50 + "]\n"
    (table,) = symbols_of("a.py", text)
    assert table.signature.split("\n") == ["TABLE = [", *["    1,"] * 7, "..."]
    assert (table.start, table.end) == (1, 52)


OTHERS = {
    "a.js": (
        """
        /** Doubles. */
        export function twice(a,
            b = () => 1) { return a }
        class A extends B { static m() {} get y() { return 1 } }
        const f = async (x) => x, g = function () {};
        exports.h = () => {};
        """,
        ["twice:function", "A:class", "A.m:method", "A.y:method", "f:function", "g:function", "h:function"],
        {"twice": ("export function twice(a,\n    b = () => 1)", "Doubles.")},
    ),
    "a.ts": (
        """
        @Injectable({
          a: 1,
        })
        export abstract class A<T> extends B<T> implements C {
          private x = 1;
          m(a: number,
            b?: string): Promise<void> { }
          arrow = (): void => {};
          abstract n(): void;
        }
        export interface I { m(): void }
        export type T = { a: 1 };
        enum E { X }
        namespace N { export const f = (): number => 1; }
        """,
        ["A:class", "A.m:method", "A.arrow:method", "A.n:method", "I:interface", "I.m:method", "T:type", "E:enum",
         "N:module", "N.f:function"],
        {
            "A": ("@Injectable({\n  a: 1,\n})\nexport abstract class A<T> extends B<T> implements C", ""),
            "A.m": ("m(a: number,\n  b?: string): Promise<void>", ""),
            "T": ("export type T = { a: 1 };", ""),
        },
    ),
    "a.tsx": ("export const View = (p: P) => <b>{p.x}</b>;", ["View:function"], {}),
    "a.go": (
        """
        package x

        // F adds.
        // More.
        func F(a int,
            b string) (int, error) { return 1, nil }
        func (s *Store[T]) M() {}
        type Store struct { a int }
        type I interface { M() }
        type ID = int
        const Limit = 1
        """,
        ["F:function", "Store.M:method", "Store:struct", "I:interface", "ID:type", "Limit:constant"],
        {"F": ("func F(a int,\n    b string) (int, error)", "F adds."), "Store": ("type Store struct", "")},
    ),
    "a.rs": (
        """
        /// A point.
        #[derive(Debug)]
        pub struct P<T> { x: T }
        struct Pair(i32, u8);
        impl<T> Shape for P<T> where T: Copy {
            fn area(&self,
                scale: f64) -> f64 { 1.0 }
        }
        trait Shape { fn area(&self, scale: f64) -> f64; }
        mod inner { pub fn f() {} }
        enum E { A }
        macro_rules! m { () => {} }
        const X: i32 = 1;
        """,
        ["P:struct", "Pair:struct", "P.area:method", "Shape:trait", "Shape.area:method", "inner:module",
         "inner.f:function", "E:enum", "m:macro", "X:constant"],
        {
            "P": ("#[derive(Debug)]\npub struct P<T>", "A point."),
            "Pair": ("struct Pair(i32, u8);", ""),
            "P.area": ("fn area(&self,\n    scale: f64) -> f64", ""),
        },
    ),
    "A.java": (
        """
        /** Of A. */
        @Deprecated
        public class A<T> extends B implements C {
          public A(int x) { }
          @Override public int m(int a,
              int b) throws E { return 1; }
          public int m(int a) { return 1; }
          interface I { void q(); }
          enum En { X; }
          record R(int a) {}
        }
        """,
        ["A:class", "A.A:method", "A.m:method", "A.m:method", "A.I:interface", "A.I.q:method", "A.En:enum",
         "A.R:class"],
        {"A": ("@Deprecated\npublic class A<T> extends B implements C", "Of A."),
         "A.m": ("@Override public int m(int a,\n    int b) throws E", "")},
    ),
    "a.c": (
        """
        // Finds.
        static int *find(int a,
                         int b)
        { return 0; }
        struct S { int a; };
        typedef struct { int b; } T;
        enum E { A };
        int g(void);
        #define MAX(a, b) ((a) > (b))
        """,
        ["find:function", "S:struct", "T:type", "E:enum", "g:function", "MAX:macro"],
        {"find": ("static int *find(int a,\n                 int b)", "Finds."), "g": ("int g(void);", "")},
    ),
    "a.cpp": (
        """
        namespace n {
        class A : public B { public: int m() const { return 1; } A(); ~A() {} };
        template <typename T>
        T f(T a) { return a; }
        int A::q() { return 1; }
        }
        struct S { int& r(); };
        """,
        ["n:module", "n.A:class", "n.A.m:method", "n.A.A:method", "n.A.~A:method", "n.f:function", "n.A.q:method",
         "S:struct", "S.r:method"],
        {"n.f": ("template <typename T>\nT f(T a)", ""), "n.A": ("class A : public B", "")},
    ),
    "a.rb": (
        """
        # Of M.
        module M
          class A < B
            # Runs.
            def run(a,
                    b = 1)
              1
            end
            def self.make; end
          end
        end
        """,
        ["M:module", "M.A:class", "M.A.run:method", "M.A.make:method"],
        {"M.A.run": ("def run(a,\n        b = 1)", "Runs."), "M": ("module M", "Of M.")},
    ),
    "a.cs": ("namespace N { class A { public int M(int a) => 1; } }", ["N:module", "N.A:class", "N.A.M:method"], {}),
    "a.php": ("<?php\nclass A { public function m(int $a): int { return 1; } }", ["A:class", "A.m:method"], {}),
    "a.sh": ("# Builds.\nbuild() {\n  make\n}\n", ["build:function"], {"build": ("build()", "Builds.")}),
}  # fmt: skip


@pytest.mark.parametrize("path", OTHERS)
def test_other_languages_have_theirs(path):
    text, names, signed = OTHERS[path]
    symbols = symbols_of(path, textwrap.dedent(text))
    assert [f"{one.name}:{one.kind}" for one in symbols] == names
    found = {one.id.split("::")[1]: (one.signature, one.doc) for one in symbols}
    assert {name: found[name] for name in signed} == signed


def test_every_language_that_a_name_leads_to_has_its_grammar():
    assert set(GRAMMARS) == {language_of(path) for path in OTHERS} | {"python"}
    assert language_of("a/Makefile") == "make"
    assert language_of("no.idea") == ""


def test_what_parses_badly_gives_what_it_has():
    text = "def good(): pass\n\nx = = 1\n\nclass Fine:\n    def m(self): pass\n"
    assert {"good", "Fine"} <= {one.name for one in symbols_of("a.py", text)}
    assert symbols_of("a.py", "") == []


@given(path=st.sampled_from([*OTHERS, "a.py", "a.md", "a.rst"]), text=st.text(max_size=200), cut=st.integers(0, 200))
def test_no_text_breaks_it_and_ids_are_never_given_twice(path, text, cut):
    whole = PYTHON if path == "a.py" else OTHERS[path][0] if path in OTHERS else "# A\n\n## A\n"
    torn = whole[:cut] + text + whole[cut:]
    symbols = symbols_of(path, torn)
    assert len({one.id for one in symbols}) == len(symbols)
    lines = torn.count("\n") + 1
    assert all(1 <= one.start <= one.end <= lines for one in symbols)
    assert symbols == symbols_of(path, torn)


def test_no_text_takes_for_ever():
    deep = symbols_of("a.js", "function a(){" * 3000 + "}" * 3000)
    assert len(deep) == 20
    assert symbols_of("a.py", "(" * 30_000) == []
    assert [one.name for one in symbols_of("a.py", "# x\n" * 20_000 + "def f(): pass\n")] == ["f"]
    many = "var " + ",".join(f"a{number}=function(){{}}" for number in range(3000))
    assert len(symbols_of("a.js", many)) == 3000


MARKDOWN = """---
title: no # heading
---
# Guide to `x` #
text
## [Deep](http://a) **one**
```sh
# no heading
~~~
still code
````
    # code, too
Under
=====

- item
---
Also under
---
#hash
### Three
"""


def test_markdown_headings_leave_out_code_and_front_matter():
    assert markdown_headings(MARKDOWN) == [
        Heading(4, 1, "Guide to x"),
        Heading(6, 2, "Deep one"),
        Heading(13, 1, "Under"),
        Heading(18, 2, "Also under"),
        Heading(21, 3, "Three"),
    ]


def test_headings_hold_all_that_stands_under_them():
    text = "# A\n\n## B\ntext\n## C\n# D\n"
    assert named("a.md", text) == [
        ("A", "heading", 1, 5),
        ("A.B", "heading", 3, 4),
        ("A.C", "heading", 5, 5),
        ("D", "heading", 6, 6),
    ]
    assert signatures("a.md", text) == "# A\n## B\n## C\n# D\n"


def test_restructured_text_has_levels_by_the_order_of_its_marks():
    text = "=====\nTitle\n=====\n\nOne\n---\ntext\n\nTwo\n~~~\n\nThree\n-----\n\nno\n----x\n"
    assert [(one.line, one.level, one.title) for one in rst_headings(text)] == [
        (2, 1, "Title"),
        (5, 2, "One"),
        (9, 3, "Two"),
        (12, 2, "Three"),
    ]

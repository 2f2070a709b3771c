"""Files of votes and items as spreadsheets, arenas and other systems write them."""

import codecs
import zipfile
from xml.sax.saxutils import escape

import pytest

from paragone.errors import InvalidConfig, InvalidVotes, UnknownColumn, UnreadableFile
from paragone.intake import Vote, VoteOptions, read_items, read_table, read_votes
from paragone.intake.votes import VoteFile

TEXT = "a,b,winner\ncafé,thé,a\nthé,eau,tie\n"
VOTES = (Vote(a="café", b="thé", score=1.0), Vote(a="thé", b="eau", score=0.5, tie=True))
ROWS = "".join(f"x{n % 5},y{n % 7},{'ab'[n % 2]}\n" for n in range(40))


def file(folder, content, name="votes.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def both_ways(path, **fields):
    """The votes of a file read whole; read in parts they are the same."""
    votes = read_votes(path, **fields)
    chunks = VoteFile(source=path, options=VoteOptions(**fields)).chunks(7)
    assert tuple(vote for chunk in chunks for vote in chunk.votes()) == votes
    return votes


@pytest.mark.parametrize("delimiter", [";", ",", "|", "\t"])
def test_the_line_that_tells_excel_the_delimiter_is_no_header(tmp_path, delimiter):
    lines = f"sep=,\r\n{TEXT}".replace(",", delimiter)
    assert both_ways(file(tmp_path, codecs.BOM_UTF8 + lines.encode())) == VOTES


class TestEncodings:
    @pytest.mark.parametrize(
        ("content", "spoken"),
        [
            (TEXT.encode("utf-8-sig"), None),
            (TEXT.encode("utf-16"), "UTF-16"),
            (codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"), "UTF-16"),
            (TEXT.encode("utf-16-le"), "UTF-16-LE"),
            (TEXT.encode("utf-16-be"), "UTF-16-BE"),
            (TEXT.encode("utf-32"), "UTF-32"),
        ],
    )
    def test_what_shows_itself_is_read_and_said(self, tmp_path, content, spoken):
        votes = both_ways(file(tmp_path, content))
        assert votes == VOTES
        assert votes.notes[1:] == (() if spoken is None else (f"read as {spoken}",))

    @pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
    def test_one_byte_a_letter_is_refused_until_it_is_named(self, tmp_path, encoding):
        path = file(tmp_path, TEXT.encode(encoding))
        for read in (read_votes, lambda path: list(VoteFile(source=path).chunks(5))):
            with pytest.raises(UnreadableFile, match=r"line 2: byte 0xe9 is not UTF-8; .* --encoding .*cp1252"):
                read(path)
        assert both_ways(path, encoding=encoding) == VOTES

    def test_what_is_no_encoding(self, tmp_path):
        for wrong in ("klingon", "rot13", "hex"):
            with pytest.raises(InvalidConfig, match=wrong):
                read_votes(file(tmp_path, TEXT), encoding=wrong)

    @pytest.mark.parametrize("encoding", ["utf-16", "punycode", "undefined"])
    def test_an_encoding_that_does_not_say_which_byte_is_wrong(self, tmp_path, encoding):
        path = file(tmp_path, TEXT)
        for read in (read_votes, lambda path, **how: list(VoteFile(source=path, options=VoteOptions(**how)).chunks(5))):
            with pytest.raises(UnreadableFile, match=rf"votes.csv.* is not {encoding}; save the file as UTF-8, or"):
                read(path, encoding=encoding)

    @pytest.mark.parametrize("name", ["items.txt", "items.csv", "items.jsonl", "items.json", "folder/one.txt"])
    def test_items_in_utf_16_and_in_a_named_encoding(self, tmp_path, name):
        content = {"txt": "café\nthé\n", "csv": "text\ncafé\nthé\n", "jsonl": '{"text": "café"}\n{"text": "thé"}\n'}
        text = {**content, "json": '[{"text": "café"}, {"text": "thé"}]'}[name.rpartition(".")[2]]
        (tmp_path / "folder").mkdir()
        source = tmp_path / name.partition("/")[0]
        if name.startswith("folder"):
            file(tmp_path, "thé".encode("utf-16"), "folder/two.txt")
        path = file(tmp_path, text.encode("utf-16"), name)
        plain = [item.text for item in read_items(source)]
        assert plain[-1] == "thé"
        assert plain[0].startswith("café")
        if not name.startswith("folder"):
            file(tmp_path, text.encode("cp1252"), name)
            assert [item.text for item in read_items(path, encoding="cp1252")] == plain


class TestSpreadsheets:
    def test_semicolons_and_decimal_commas(self, tmp_path):
        votes = both_ways(file(tmp_path, "a;b;score;weight\nx;y;0,75;0,5\ny;z;1,0;1\n"))
        assert [(vote.score, vote.weight) for vote in votes] == [(0.75, 0.5), (1.0, 1.0)]

    def test_a_comma_that_may_divide_thousands_is_no_number(self, tmp_path):
        with pytest.raises(InvalidVotes, match="the weight '1,000' is not"):
            read_votes(file(tmp_path, "a;b;winner;weight\nx;y;a;1,000\n"))

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_trailing_empty_rows_and_columns(self, tmp_path, end):
        text = 'a,b,winner,,\n"x",y,a,,\n,,,,\ny,z,b,,\n,,,,\n,,,,\n'.replace("\n", end)
        votes = both_ways(file(tmp_path, text))
        assert [(vote.a, vote.b, vote.score) for vote in votes] == [("x", "y", 1.0), ("y", "z", 0.0)]
        assert (votes.abstentions, votes.skipped) == (0, 0)

    def test_quoted_line_breaks_pipes_and_spellings_of_names(self, tmp_path):
        text = ' Model A |MODEL-B| Winner \n"x\none"|y|Model_A\ny|z|model b\n'
        votes = both_ways(file(tmp_path, text))
        assert [(vote.a, vote.b, vote.score) for vote in votes] == [("x\none", "y", 1.0), ("y", "z", 0.0)]

    def test_a_workbook(self, tmp_path):
        cells = [["a", "b", "Winner", "weight"], ["x", "y", "a", 0.5], ["y", 7, "tie", 1], []]
        votes = both_ways(workbook(tmp_path / "votes.xlsx", [[], *cells]))
        assert votes == (Vote(a="x", b="y", score=1.0, weight=0.5), Vote(a="y", b="7", score=0.5, tie=True))
        table = read_table(tmp_path / "votes.xlsx")
        assert table.where(0) == f"{tmp_path / 'votes.xlsx'}, sheet 'Votes', row 3"

    def test_workbooks_that_cannot_be_read(self, tmp_path):
        with pytest.raises(UnreadableFile, match="is empty"):
            read_votes(workbook(tmp_path / "empty.xlsx", []))
        with pytest.raises(UnreadableFile, match="row 2: a cell lies beyond the last name"):
            read_votes(workbook(tmp_path / "wide.xlsx", [["a", "b", "winner"], ["x", "y", "a", "?"]]))

    def test_a_first_line_that_is_a_vote_is_asked_about(self, tmp_path):
        with pytest.raises(UnknownColumn, match=r"put a line of names above it, such as a,b,winner or winner,loser"):
            read_votes(file(tmp_path, "claude,gpt,left\ngpt,llama,left\n"))
        with pytest.raises(UnreadableFile, match=r"'claude' twice; .* put a line of names above it"):
            read_votes(file(tmp_path, "claude,gpt,claude\ngpt,llama,gpt\n"))


class TestArenas:
    def test_model_a_and_model_b(self, tmp_path):
        text = (
            "question_id,model_a,model_b,winner,judge,turn\n"
            "1,x,y,model_a,arena_user_1,1\n2,x,y,tie,arena_user_2,1\n3,y,z,tie (bothbad),arena_user_1,1\n"
            "4,z,x,model_b,arena_user_3,1\n"
        )
        votes = both_ways(file(tmp_path, text))
        assert [vote.score for vote in votes] == [1.0, 0.5, 0.5, 0.0]
        assert {vote.judge for vote in votes} == {"arena_user_1", "arena_user_2", "arena_user_3"}
        assert votes.notes == (
            (
                "votes.csv: 4 votes from the columns 'model_a', 'model_b' and 'winner', judges from the column 'judge' "
                "(--no-judge leaves it out)"
            ),
        )
        assert {vote.judge for vote in both_ways(tmp_path / "votes.csv", judge=False)} == {None}
        assert "--no-judge" not in read_votes(tmp_path / "votes.csv", judge="judge").notes[0]

    @pytest.mark.parametrize("names", ["winner,loser", "Winner_ID,Loser ID", "chosen,rejected", "loser,winner"])
    def test_winner_and_loser(self, tmp_path, names):
        turned = names.startswith("loser")
        rows = [("x", "y", ""), ("y", "z", "true"), ("z", "x", "0")]
        lines = [",".join((*(pair[::-1] if turned else pair), draw)) for *pair, draw in rows]
        votes = both_ways(file(tmp_path, "\n".join((f"{names},Draw", *lines))))
        assert [(vote.a, vote.b, vote.score, vote.tie) for vote in votes] == [
            ("x", "y", 1.0, False),
            ("y", "z", 0.5, True),
            ("z", "x", 1.0, False),
        ]
        assert not votes.has_order
        assert votes.notes[1] == (
            "rows name the winner and the loser, not the order in which items were shown: no position term, and "
            "answers to one pair are independent"
        )

    def test_named_winner_and_loser(self, tmp_path):
        votes = both_ways(file(tmp_path, "ja,nein,gleich\nx,y,\ny,x,1\n"), winner="ja", loser="nein", draw="gleich")
        assert [vote.score for vote in votes] == [1.0, 0.5]
        with pytest.raises(UnknownColumn, match="not both"):
            read_votes(tmp_path / "votes.csv", a="ja", b="nein", loser="nein")

    def test_pairs_are_winner_and_loser(self):
        assert both_ways([("x", "y"), ("y", "x")]) == (Vote(a="x", b="y", score=1.0), Vote(a="y", b="x", score=1.0))

    @pytest.mark.parametrize(("winner", "side"), [("a", "first"), ("b", "second")])
    def test_that_one_side_always_wins_is_noticed(self, winner, side):
        rows = [{"a": f"x{n % 3}", "b": f"y{n % 4}", "winner": winner if n else "tie"} for n in range(11)]
        votes = both_ways(rows)
        assert not votes.has_order
        assert votes.notes[1].startswith(f"the item named {side} always wins, so rows do not say in which order")
        assert both_ways(rows[:10]).has_order  # nine votes for one side may be an accident
        assert both_ways([*rows, {"a": "x0", "b": "y0", "winner": "ab"[winner == "a"]}]).has_order


class TestRowsThatCannotBeEvidence:
    def test_a_few_are_skipped_counted_and_named(self, tmp_path):
        bad = ["x,x,a\n", ",y,a\n"]
        votes = both_ways(file(tmp_path, "a,b,winner\n" + bad[0] + ROWS + bad[1]))
        assert (len(votes), votes.skipped) == (40, 2)
        path = tmp_path / "votes.csv"
        assert votes.notes[1] == (
            f"2 of 42 rows skipped: {path}, line 2: 'x' is compared with itself; "
            f"{path}, line 43: an item is missing in 'a'"
        )

    def test_three_are_named_and_the_others_counted(self, tmp_path):
        votes = both_ways(file(tmp_path, "a,b,winner\n" + ROWS * 2 + "x,x,a\n" * 2 + "x,y,?\n" * 2))
        assert votes.notes[1].endswith("leave it empty where nobody said; and 1 more")
        assert votes.notes[1].count("line") == 3

    def test_more_than_one_in_twenty_refuses_the_file(self, tmp_path):
        assert both_ways(file(tmp_path, "a,b,winner\n" + ROWS[: ROWS.index("\n") + 1] * 19 + "x,x,a\n")).skipped == 1
        path = file(tmp_path, "a,b,winner\n" + ROWS[: ROWS.index("\n") + 1] * 18 + "x,x,a\n")
        for read in (read_votes, lambda path: list(VoteFile(source=path).chunks(5))):
            with pytest.raises(InvalidVotes, match=r"line 20: 'x' is .*\. 1 of 19 rows of .* more than one in twenty"):
                read(path)

    def test_strict_refuses_any(self, tmp_path):
        path = file(tmp_path, "a,b,winner\n" + ROWS + "x,x,a\n")
        with pytest.raises(InvalidVotes, match=r"line 42: 'x' is .* 1 of 41 rows .* --strict"):
            read_votes(path, strict=True)


def workbook(path, rows):
    """A .xlsx file with one sheet, as little as there must be."""
    kind = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"

    def cell(value):
        if isinstance(value, str):
            return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'
        return f"<c><v>{value}</v></c>"

    lines = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
    rels = "application/vnd.openxmlformats-package.relationships+xml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        f'<Default Extension="rels" ContentType="{rels}"/>'
        '<Default Extension="xml" ContentType="application/xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{kind}" xmlns:r="{office}"><sheets>'
        '<sheet name="Votes" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{kind}"><sheetData>{lines}</sheetData></worksheet>',
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in parts.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{text}')
    return path

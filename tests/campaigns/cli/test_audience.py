"""`frontdesk campaigns audience`: a list tried out, without a profile and without the network."""

from pathlib import Path

import pytest

from cli.commandline import Frontdesk

pytestmark = pytest.mark.usefixtures("local_reads")

LIST = (
    "Phone,Name,City\n050-2345678,Dana,Haifa\n9.72521E+11,Omar,\n+972502345678,Dana,\n"
    "052-1234567,\x1b]0;x\x07,\n\x1b[2J,Noa,\n"
)


@pytest.fixture
def path(tmp_path: Path) -> str:
    file = tmp_path / "list.csv"
    file.write_text(LIST)
    return str(file)


@pytest.mark.usefixtures("child_reads")
def test_people_see_counts_and_the_first_problems_by_line(nowhere: Frontdesk, path: str) -> None:
    said = nowhere("campaigns", "audience", path, "--country", "IL")
    assert said.status == 0
    assert "numbers     column 1, Phone" in said.out
    assert "names       column 2, Name" in said.out
    assert "recipients  2" in said.out
    assert "skipped: line 3: 9.72521E+11: Excel rounded this number" in said.out
    assert "skipped: line 6: ␛[2J: has " in said.out
    assert "duplicate: line 4: +972502345678: same number as line 2" in said.out
    assert "doubtful: line 5: 052-1234567: right length for IL" in said.out
    assert "\x1b" not in said.out


def test_programs_get_one_object(nowhere: Frontdesk, path: str) -> None:
    said = nowhere("campaigns", "audience", path, "--country", "il", "--json").row
    assert said["columns"] == {"number": 1, "name": 2, "country": None, "header": True}
    assert (said["rows"], said["recipients"], said["refusedCount"], said["duplicateCount"]) == (5, 2, 2, 1)
    assert said["doubtful"][0]["line"] == 5
    assert said["refused"][0]["value"] == "9.72521E+11"
    assert len(said["digest"]) == 64


@pytest.mark.slow
def test_columns_encoding_and_delimiter_can_be_said(nowhere: Frontdesk, tmp_path: Path) -> None:
    file = tmp_path / "list.txt"
    file.write_bytes("קוד|a|b\n1|0502345678|דנה\n".encode("cp1255"))
    ways = (("2", "3"), ("A", "b"))
    for number, name in ways:
        words = ["--number-column", number, "--name-column", name, "--delimiter", "|", "--encoding", "cp1255"]
        said = nowhere("campaigns", "audience", str(file), "--country", "IL", *words, "--json").row
        assert said["columns"] == {"number": 2, "name": 3, "country": None, "header": True}
        assert said["recipients"] == 1
    file.write_text("0502345678\tDana\n")
    assert nowhere("campaigns", "audience", str(file), "--country", "IL", "--delimiter", "tab").status == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--number-column", "City"], "no one in this list can be messaged"),
        (["--number-column", "Tel"], "no column named 'Tel'; the headings are Phone, Name, City"),
        (["--number-column", "9"], "no column 9; the list has 3 columns"),
        (["--country", "Atlantis"], "unknown country 'Atlantis'"),
        (["--encoding", "klingon"], "unknown encoding"),
    ],
)
def test_what_can_not_be_used_is_an_input_error(nowhere: Frontdesk, path: str, words: list[str], why: str) -> None:
    said = nowhere("campaigns", "audience", path, *words)
    assert said.status == 2
    assert why in said.err
    assert said.err.count("\n") == 1


@pytest.mark.slow
def test_the_countries_of_rows_can_be_passed_over(nowhere: Frontdesk, tmp_path: Path) -> None:
    file = tmp_path / "list.csv"
    file.write_text("Phone,Name,Country\n0502345678,Dana,Mars\n")
    words = ["campaigns", "audience", str(file), "--country", "Israel", "--json"]
    (refused,) = nowhere(*words).rows[0]["refused"]
    assert "unknown country 'Mars'" in refused["reason"]
    assert nowhere(*words, "--country-column", "none").row["recipients"] == 1


def test_a_file_that_is_no_list(nowhere: Frontdesk, tmp_path: Path) -> None:
    said = nowhere("campaigns", "audience", str(tmp_path / "none.csv"))
    assert (said.status, said.err) == (2, f"frontdesk: {tmp_path}/none.csv: file not found\n")
    file = tmp_path / "words.csv"
    file.write_text("a,b\nc,d\n")
    assert "choose one with --phone-column" in nowhere("campaigns", "audience", str(file)).err

"""The check for turns of phrase that are hard to read for those who learned English late."""

import pytest

from workflow import prose


@pytest.mark.parametrize(
    ("text", "turn"),
    [
        ("The result hangs on it.", "hangs on"),
        ("One row a job.", "row a job"),
        ("105 GB a node", "GB a node"),
        ("They cannot be told apart.", "told apart"),
        ("-1 stands for null", "stands for"),
    ],
)
def test_a_turn_is_found_in_its_line(text, turn):
    assert [(line, phrase) for line, phrase, _ in prose.found(f"Plain.\n{text}\nPlain again.")] == [(2, turn)]


def test_plain_words_pass():
    plain = "The result depends on it. One row per job, 105 GB per node. A file a reader can open, one a job has left."
    assert prose.found(plain) == []


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One two. Three\nfour? Five.", [(1, "One two."), (1, "Three four?"), (2, "Five.")]),
        (
            "See trace.yaml, e.g. 2.5 GB (Fig. 3, Lee et al. 2023).",
            [(1, "See trace.yaml, e_g_ 2.5 GB (Fig_ 3, Lee et_al_ 2023).")],
        ),
        ("The file `a b. c` is one.", [(1, "The file `a_b__c` is one.")]),
        ("A [page of\nours](docs/page.md) has it. ![A picture](a.svg)", [(1, "A page of ours has it.")]),
        ("* First\n* **second** item\n  goes on\n\nEnd", [(1, "First"), (2, "**second** item goes on"), (5, "End")]),
        ("# A heading\n\n| a | cell |\n<!-- a comment -->\n```\n$ code. More.\n```\nText.", [(8, "Text.")]),
        ("---\ntitle: No prose.\n---\nText.", [(4, "Text.")]),
        ("````\n```\nCode.\n```\n````\nText.", [(6, "Text.")]),
    ],
)
def test_a_text_is_cut_into_sentences(text, sentences):
    assert list(prose.sentences(text)) == sentences


def test_code_is_one_word_and_a_lone_sign_is_none():
    ((_, sentence),) = prose.sentences("Run `apportion answer my_log.csv` – once.")
    assert prose.words(sentence) == 3


def test_a_sentence_that_is_too_long_is_refused_with_its_line():
    (fault,) = prose.long_sentences({"a.md": "Short one.\n" * 99 + "\n" + "word " * 36})
    assert fault.startswith("a.md:101: 36 words, more than 35: word word")
    assert prose.long_sentences({"a.md": "Short one.\n" * 99 + "word " * 35}) == []


@pytest.mark.parametrize("lengths", [[14] * 10, [4] * 9 + [26]])
def test_sentences_that_are_too_long_together_are_refused(lengths):
    (fault,) = prose.long_sentences({"a.md": " ".join("word " * (length - 1) + "end." for length in lengths)})
    mean, share = sum(lengths) / len(lengths), sum(length > 25 for length in lengths) / len(lengths)
    assert f"{mean:.1f} words on average" in fault
    assert f"{share:.1%} of them more than 25" in fault


def test_main_fails_where_a_page_has_a_long_sentence(tmp_path, monkeypatch, capsys):
    for name in prose.FILES:
        (tmp_path / name).write_text("Plain.\n")
    monkeypatch.setattr(prose, "ROOT", tmp_path)
    assert prose.main() == 0
    (tmp_path / "README.md").write_text("Plain. " * 99 + "word " * 36)
    assert prose.main() == 1
    assert "README.md:1: 36 words" in capsys.readouterr().out

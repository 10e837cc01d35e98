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

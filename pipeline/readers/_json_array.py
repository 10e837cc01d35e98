"""Long arrays of JSON, object by object: what is held of a file is a block and the object that it ends in."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pipeline.drops import Refusal
from pipeline.readers._files import byte_blocks

LONGEST = 1 << 24
"""Characters of an object. Prometheus answers with 11,000 samples a series at most, which are 400 kB."""

_BETWEEN = re.compile(r"[\s,]*")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def objects(file: Path, begin: Callable[[str], str], what: str) -> Iterator[dict[str, Any]]:
    """The objects of the array that follows what `begin` cuts off the beginning of a file, plain or gzip.

    what: what an object is called in sentences. Raises Refusal where one is no JSON, longer than LONGEST or cut off,
    after those before it.
    """
    decode, decoder = codecs.getincrementaldecoder("utf-8-sig")().decode, json.JSONDecoder()
    text, begun, number = "", False, 0
    for block, failure in byte_blocks(file):
        try:
            text += decode(block, final=not block)
        except UnicodeDecodeError:
            raise Refusal("unreadable_json", "the file is not UTF-8") from None
        if not begun:
            if not text and not block:
                raise Refusal("file_empty", "the file is empty")
            text, begun = begin(text), True
        at, escaped = 0, _SURROGATE.search(text) is not None
        while True:
            at = _BETWEEN.match(text, at).end()
            if text.startswith("]", at):
                return
            try:
                value, at = decoder.raw_decode(text, at)
            except json.JSONDecodeError:
                break
            except (RecursionError, ValueError) as error:
                raise Refusal("unreadable_json", f"{what} {number + 1} is not JSON: {error}") from None
            number += 1
            if not isinstance(value, dict) or (escaped and not _is_text(value)):
                raise Refusal("unreadable_json", f"{what} {number} is no object of texts and numbers")
            yield value
        text = text[at:]
        if len(text) > LONGEST:
            raise Refusal(
                "object_too_long",
                f"{what} {number + 1} is no JSON, or longer than 16 MiB; get it in smaller pieces",
            )
        if failure:
            raise Refusal(failure[0], f"{failure[1]} in {what} {number + 1}; what follows is lost, get the file anew")
    raise Refusal("unreadable_json", f"the file ends in {what} {number + 1}, or that is no JSON; get it anew")


def _is_text(value: dict[str, object]) -> bool:
    """Whether the texts can be written: half of a character (an escape \\ud800 alone) cannot."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True

"""A drop as one string of bytes, which is what fuzzers pass around, and as a folder."""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

Files = dict[str, bytes]
"""Contents by name inside the drop; names that are no UTF-8 carry surrogates, as from os.fsdecode."""

_LENGTHS = struct.Struct("<HI")
LONGEST_NAME = 200


def pack(files: Mapping[str, bytes]) -> bytes:
    """The files one after the other: lengths of name (2 bytes) and content (4 bytes), name, content."""
    parts = []
    for name, content in files.items():
        encoded = os.fsencode(name)
        parts += [_LENGTHS.pack(len(encoded), len(content)), encoded, content]
    return b"".join(parts)


def unpack(data: bytes) -> Files:
    """The files in a string of bytes; whatever a mutation made of the lengths, each file is as long as bytes last."""
    files: Files = {}
    at = 0
    while at + _LENGTHS.size <= len(data):
        of_name, of_content = _LENGTHS.unpack_from(data, at)
        at += _LENGTHS.size
        name = os.fsdecode(data[at : at + of_name])
        at += of_name
        files[name] = data[at : at + of_content]
        at += of_content
    return files


def writable(name: str) -> bool:
    """Whether a file system takes a name inside a folder, and it stays there."""
    parts = PurePosixPath(name).parts
    return (
        bool(parts)
        and "\0" not in name
        and not name.startswith("/")
        and all(part not in ("..", ".") and len(os.fsencode(part)) <= LONGEST_NAME for part in parts)
    )


def write(files: Mapping[str, bytes], folder: Path) -> None:
    """Write the files below a folder; those that no file system takes beside the others are left out."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        if not writable(name):
            continue
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            # The name of one file is the folder of another.
            continue


def read(folder: Path) -> Files:
    """The files below a folder, by name."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }

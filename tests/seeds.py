"""Small valid drops of every format, and those that once did harm (`found-…`): the folders of tests/fuzz/seeds."""

from collections.abc import Mapping
from pathlib import Path

FOLDER = Path(__file__).parent / "fuzz" / "seeds"
Files = dict[str, bytes]
"""Contents by name inside a drop."""


def of(name: str) -> list[Files]:
    """Drops of a format, by name of their folder."""
    return [
        {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
        for folder in sorted((FOLDER / name).iterdir())
    ]


def write(files: Mapping[str, bytes], folder: Path) -> None:
    """Write files below a folder; of two of which one's name is the other's folder the first stays."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            continue

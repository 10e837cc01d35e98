"""Count the lines of each room of the house, and say which room has more than its budget; and which function is large.

Budgets only fall: `make budgets` lowers each to what the room has. A new capability pays for itself by a removal.
"""

import ast
import csv
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "workflow" / "budgets.csv"
"""Most lines of the files with a suffix below a folder."""
LONGEST_FUNCTION = 60
MOST_PARAMETERS = 7
"""Those that are given by place; names say what the others are."""
KERNELS = {"njit", "leaf", "inlined"}
"""Decorators of compiled functions, which may be longer and take more: each call of another one costs."""
COMMAND = "app.command"
"""Decorator of a verb: its parameters are the options that people give by name."""


def lines(room: Path, suffix: str) -> int:
    """Lines of all files below a folder that end in the suffix."""
    return sum(len(path.read_bytes().splitlines()) for path in room.rglob(f"*{suffix}"))


def large_functions(folder: Path) -> Iterator[str]:
    """A sentence for each function of the Python files below a folder that is too long, or takes too much by place."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.FunctionDef):
                continue
            decorators = {ast.unparse(decorator).partition("(")[0] for decorator in node.decorator_list}
            if decorators & KERNELS:
                continue
            count, where = node.end_lineno - node.lineno + 1, f"{path.relative_to(ROOT)}: {node.name}"
            if count > LONGEST_FUNCTION:
                yield f"{where} has {count} lines, more than {LONGEST_FUNCTION}"
            taken = [each for each in node.args.posonlyargs + node.args.args if each.arg not in ("self", "cls")]
            if len(taken) > MOST_PARAMETERS and COMMAND not in decorators:
                yield f"{where} takes {len(taken)} parameters by place, more than {MOST_PARAMETERS}"


def main() -> int:
    """Exit code: 0 where no room has more lines than its budget, none is without one, and no function is too large."""
    with FILE.open(encoding="utf-8") as file:
        budgets = {(row["room"], row["suffix"]): int(row["lines"]) for row in csv.DictReader(file)}
    found = {key: lines(ROOT / key[0], key[1]) for key in budgets}
    faults = [
        f"{room}: {found[room, suffix]} lines of {suffix}, {found[room, suffix] - most} more than its budget of {most}"
        for (room, suffix), most in budgets.items()
        if found[room, suffix] > most
    ]
    if sys.argv[1:] == ["--lower"]:
        rows = [(*key, min(most, found[key])) for key, most in budgets.items() if found[key]]
        with FILE.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([("room", "suffix", "lines"), *rows])
    rooms = {
        f"pipeline/{folder.name}" for folder in (ROOT / "pipeline").iterdir() if (folder / "__init__.py").is_file()
    }
    faults += [f"{room}: has no budget" for room in sorted(rooms - {room for room, _ in budgets})]
    faults += large_functions(ROOT / "pipeline")
    print("\n".join(faults) or "no room has more lines than its budget, and no function is too large")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

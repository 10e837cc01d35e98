"""Count the lines of each room of the house, and say which room has more than its budget; and which function is large.

A room that needs more takes it from another one. Where none has any to give, the budget is raised here, and a line of
CHANGELOG.md says why.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUDGETS = {
    ("pipeline/claims", ".py"): 1160,
    ("pipeline/config", ".py"): 380,
    ("pipeline/drops", ".py"): 1000,
    ("pipeline/export", ".py"): 130,
    ("pipeline/fit", ".py"): 4295,
    ("pipeline/gpus", ".py"): 255,
    ("pipeline/readers", ".py"): 12360,
    ("pipeline/reference", ".py"): 750,
    ("pipeline/report", ".py"): 1745,
    ("pipeline/runtime", ".py"): 1560,
    ("pipeline/simulation", ".py"): 960,
    ("pipeline/stages", ".py"): 1620,
    ("pipeline/statistics", ".py"): 815,
    ("pipeline/studies", ".py"): 25450,
    ("pipeline/synthetic", ".py"): 2140,
    ("pipeline/tables", ".py"): 1950,
    ("pipeline/warehouse", ".py"): 1050,
    ("pipeline", ".sql"): 10810,
    ("tests", ".py"): 43900,
    ("docs", ".md"): 11290,
    ("bench", ".py"): 2480,
    ("reliability", ".py"): 2945,
    ("validation", ".py"): 1860,
    ("workflow", ".py"): 820,
}
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
    faults = []
    for (room, suffix), budget in BUDGETS.items():
        found = lines(ROOT / room, suffix)
        if found > budget:
            faults.append(f"{room}: {found} lines of {suffix}, {found - budget} more than its budget of {budget}")
    rooms = {
        f"pipeline/{folder.name}" for folder in (ROOT / "pipeline").iterdir() if (folder / "__init__.py").is_file()
    }
    faults += [f"{room}: has no budget" for room in sorted(rooms - {room for room, _ in BUDGETS})]
    faults += large_functions(ROOT / "pipeline")
    print("\n".join(faults) or "no room has more lines than its budget, and no function is too large")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

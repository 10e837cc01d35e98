"""Runs a trial and prints what it found: `python -m reliability --help`."""

from __future__ import annotations

import argparse
import logging
import sys

from reliability import trials


def main(arguments: list[str] | None = None) -> int:
    """Run the trial that the arguments name; 0 where it passed, 1 where something happened that must not."""
    given = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(prog="python -m reliability", description="Trials of the whole.")
    commands = parser.add_subparsers(dest="trial", required=True, metavar="TRIAL")
    known = trials.found()
    for name, module in known.items():
        heading = (module.__doc__ or name).splitlines()[0]
        command = commands.add_parser(name, help=heading.replace("%", "%%"), description=heading)
        module.arguments(command)
    options = parser.parse_args(given)
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    report = known[options.trial].run(options)
    for finding in report.findings:
        print(f"{finding.figure}: {finding.value}" + (f" ({finding.note})" if finding.note else ""))
    return 0 if report.passed else 1


if __name__ == "__main__":
    sys.exit(main())

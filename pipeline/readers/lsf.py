"""Accounting of LSF: files of any name, as `lsb.acct`, plain or gzip; all of them are one trace.

Told by the first record, `"JOB_FINISH" "10.1" 1709290800 …`. Source: man page lsb.acct(5) of IBM Spectrum LSF 10.1, and
records of versions 5.1 to 10.1 in tests of public readers, in which the limit comes before options3, other than there.

Blanks part the fields of a record; texts stand in quotes, and a quote in a text is doubled. Four sections are as long
as a count before them says: hosts asked for, hosts used, extensions of the submission, and the use of each host. One
wrong count moves every later field, so each is compared with what has to follow it, and a record that does not fit is
rejected. Older versions end before the last two sections; where these do not fit, the limit alone is not known.

maxRMem (kB) is the resident memory of the whole job, and divided by its nodes. Slots are those listed with the hosts.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import polars as pl

from pipeline.drops import Drop, DropSettings
from pipeline.readers import _accounting
from pipeline.readers._extent import rows
from pipeline.readers._items import Note, Yields

FORMAT = "lsf"
GIVES = ("jobs",)

_SIGN = re.compile(r'"(?:JOB_FINISH|JOB_RESIZE|EVENT_ADRSV_FINISH)" "\d[\d.]*" \d+ ')
_FIELD = re.compile(r'"((?:[^"]|"")*)"(?= |$)|([^" ]+)(?= |$)| +')
_WHOLE = re.compile(r"-?\d+")
_NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
_LEFT_OUT = {"other_record": "records of other types (JOB_RESIZE, EVENT_ADRSV_FINISH)"}
_ENDED = 32 | 64
"""Bits of the status of a job that exited, or is done."""
_KB = 1024
_MOST_HOSTS = 1 << 20

# Fields from the beginning of a record.
TYPE, EVENT, JOB, SUBMIT, START, USER, QUEUE, ASKED = 0, 2, 3, 7, 10, 11, 12, 22
_TIMES = (EVENT, SUBMIT, START)
# Fields from the status of the job on: numbers of lsfRusage, then those behind them.
STATUS, FACTOR, NAME, COMMAND, RUSAGE, MAIL = 0, 1, 2, 3, 4, 23
INDEX, MEMORY, SWAP, FIXED = 29, 30, 31, 32
_TO_EXTENSION = 21
"""Fields from the spooled input (behind maxRSwap) to the count of extensions of the submission."""
_RATES = (5, 4)
"""Numbers with each host in its use of resources, in the versions."""


class _Field(NamedTuple):
    text: str
    quoted: bool

    @property
    def whole(self) -> int | None:
        """The whole number in it."""
        return int(self.text) if not self.quoted and _WHOLE.fullmatch(self.text) else None


class _Misfit(Exception):  # noqa: N818 - what is wrong with a record is an outcome, kept as a reason
    """A record whose fields are not what its counts say."""


def recognises(files: list[Path], settings: DropSettings) -> list[Path]:  # noqa: ARG001
    """The accounting files among the files, by their first record."""
    return _accounting.with_sign(files, _SIGN)


def memory_bytes(drop: Drop, files: list[Path]) -> int:
    """Peak memory of reading the files."""
    return _accounting.BYTES_A_JOB * sum(rows(file) for file in recognises(files, drop.settings))


def read(drop: Drop, files: list[Path]) -> Yields[None]:
    """The jobs of all files, as trace `<drop>`."""
    cores = yield from _accounting.read(drop, files, _accounting.System(_parse, _LEFT_OUT))
    yield Note(drop.name, f"Used memory is maxRMem, the whole job's, divided by its {'cores' if cores else 'nodes'}.")


def _parse(lines: pl.DataFrame) -> pl.DataFrame:
    """Records of lines (row, text). Sections of variable length leave no columns to parse at once."""
    records = [_record(row, text) for row, text in lines.select("row", "text").iter_rows()]
    frame = pl.DataFrame(records, schema={name: _accounting.RECORD[name] for name in _COLUMNS}, orient="row")
    return _accounting.as_records(frame)


_COLUMNS = ("row", "reason", "detail", "job_id", "submit_s", "start_s", "end_s", "nodes", "cpus", "walltime_s",
            "used_memory_gb", "user", "name", "partition", "hosts", "unknown")  # fmt: skip


def _record(row: int, text: str) -> tuple:
    """A line as the values of _COLUMNS."""
    nothing = (None,) * (len(_COLUMNS) - 3)
    try:
        fields = _fields(text)
        if fields[TYPE].text != "JOB_FINISH":
            other = fields[TYPE].quoted and _SIGN.match(text)
            return (row, "other_record" if other else "malformed_line", None if other else "no record", *nothing)
        return (row, *_job(fields))
    except _Misfit as misfit:
        return (row, "malformed_line", f"{misfit}: {text[:80]}", *nothing)


def _fields(text: str) -> list[_Field]:
    """The fields of a record."""
    fields, position = [], 0
    while position < len(text):
        match = _FIELD.match(text, position)
        if match is None:
            raise _Misfit(f"a quote does not end, or text follows it, at character {position + 1}")
        if match[1] is not None:
            fields.append(_Field(match[1].replace('""', '"'), True))
        elif match[2] is not None:
            fields.append(_Field(match[2], False))
        position = match.end()
    if not fields:
        raise _Misfit("no fields")
    return fields


def _job(fields: list[_Field]) -> tuple:
    """The values of _COLUMNS but the row, of a record of a job; raises _Misfit where it does not hang together."""
    if len(fields) <= ASKED + 1:
        raise _Misfit(f"{len(fields)} fields, which end before the hosts")
    event, submit, start = (_whole(fields, at, "a time") for at in _TIMES)
    _require(all(fields[at].quoted for at in range(USER, ASKED)), "the fields from user to job file are texts")
    _, at = _texts(fields, ASKED, "asked for")
    places, at = _texts(fields, at, "used")
    if len(fields) < at + FIXED:
        raise _Misfit(f"{len(fields)} fields, which end before maxRSwap")
    tail = fields[at:]
    _require((tail[STATUS].whole or 0) & _ENDED != 0, f"status {tail[STATUS].text!r} is neither done nor exit")
    _require(tail[NAME].quoted and tail[COMMAND].quoted, "job name and command are texts")
    usage = tail[FACTOR:NAME] + tail[RUSAGE:MAIL]
    _require(all(not f.quoted and _NUMBER.fullmatch(f.text) for f in usage), "the use of resources is 19 numbers")
    index, kilobytes = (_whole(tail, at, "a whole number") for at in (INDEX, MEMORY))
    hosts, slots = _slots(places)
    limit, known = _limit(tail)
    job = fields[JOB].text
    nodes = len(hosts) or None
    return (
        "never_started" if start == 0 else None,
        None,
        f"{job}[{index}]" if index > 0 else job,
        str(submit),
        str(start),
        str(event),
        nodes,
        slots or None,
        limit,
        kilobytes * _KB / 1e9 / nodes if nodes and kilobytes > 0 else None,
        fields[USER].text,
        tail[NAME].text or None,
        fields[QUEUE].text or None,
        hosts,
        None if known else "walltime_s_unreadable",
    )


def _require(holds: bool, sentence: str) -> None:
    if not holds:
        raise _Misfit(f"a count does not fit, since {sentence}")


def _whole(fields: list[_Field], at: int, what: str) -> int:
    number = fields[at].whole
    if number is None:
        raise _Misfit(f"field {fields[at].text[:20]!r} is not {what}")
    return number


def _texts(fields: list[_Field], at: int, what: str) -> tuple[list[str], int]:
    """The texts behind the count at a position, and the position behind them."""
    count = fields[at].whole if at < len(fields) else None
    if count is None or not 0 <= count <= _MOST_HOSTS:
        raise _Misfit(f"no count of the hosts {what}")
    texts = fields[at + 1 : at + 1 + count]
    _require(
        len(texts) == count and all(f.quoted for f in texts),
        f"{count} hosts {what} are announced, and not as many named",
    )
    return [field.text for field in texts], at + 1 + count


def _slots(places: list[str]) -> tuple[list[str], int]:
    """Names of the hosts, each once, and the slots on all of them: `"n1" "n1"`, or `"2*n1"` for short."""
    slots, hosts = 0, {}
    for place in places:
        times, star, host = place.partition("*")
        short = star and times.isdecimal()
        slots += int(times) if short else 1
        hosts[host if short else place] = True
    return list(hosts), slots


def _limit(tail: list[_Field]) -> tuple[float | None, bool]:
    """The limit of the run time (s), and whether the record was understood as far as there; older ones end before."""
    at = FIXED + _TO_EXTENSION
    if len(tail) <= at + 1:
        return None, True
    pairs = tail[at].whole
    at += 1 + 2 * (pairs or 0)
    count = tail[at].whole if pairs is not None and 0 <= pairs <= _MOST_HOSTS and at < len(tail) else None
    if count is None or not 0 <= count <= _MOST_HOSTS:
        return None, False
    for rates in _RATES:
        end = at + 1 + count * (1 + rates)
        names, behind = tail[at + 1 : end : 1 + rates], tail[end : end + 4]
        fits = len(behind) == 4 and behind[3].quoted and not any(field.quoted for field in behind[:3])
        if fits and behind[0].whole is not None and all(field.whole is None for field in names):
            return (float(behind[0].text) if behind[0].whole > 0 else None), True
    return None, False

"""jacquardctl dataset"""

from __future__ import annotations

import io
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from jacquard.whole_file import WholeFile
from jacquard_apps.terminal import exits, options, output

from ..recording import dataset

HEADINGS = ("FILE", "GESTURE", "HAND", "GARMENT", "SAMPLES", "TOUCHES", "SECONDS")


def add(commands: Any) -> None:
    parser = commands.add_parser("dataset", help="check, join and convert labelled recordings")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    check = actions.add_parser(
        "check", parents=[options.shared()], help="check that files can be published, and list their recordings"
    )
    add_files(check)
    check.set_defaults(run=run_check)
    merge = actions.add_parser(
        "merge", parents=[options.shared()], help="write the recordings of files to one file, without changing them"
    )
    add_files(merge)
    merge.add_argument("target", metavar="TARGET", type=options.path, help="the new file")
    merge.set_defaults(run=run_merge)
    export = actions.add_parser("export", parents=[options.shared()], help="write a table with one row for each sample")
    add_files(export)
    about_target = "the new file, ending with .csv or .parquet; - for CSV on standard output"
    export.add_argument("target", metavar="TARGET", type=options.path, help=about_target)
    export.set_defaults(run=run_export)


def add_files(parser: ArgumentParser) -> None:
    about_files = "files written by jacquardctl record --label or by dataset merge"
    parser.add_argument("files", metavar="FILE", nargs="+", type=options.path, help=about_files)


async def run_check(arguments: Namespace) -> int:
    found = dataset.Dataset()
    valid: list[dataset.Recording] = []
    status = exits.OK
    for path in arguments.files:
        try:
            valid += list(found.read(path))
        except (dataset.BadDataset, OSError) as error:
            reported = exits.Failure(f"{path}: {error.strerror}") if isinstance(error, OSError) else error
            output.report(reported, arguments.json)
            status = exits.USAGE
    if arguments.json:
        for recording in valid:
            output.say_json(file=str(recording.file), line=recording.line, **members(recording))
    elif valid:
        output.show_table(HEADINGS, [row(recording) for recording in valid])
    return status


def members(recording: dataset.Recording) -> dict[str, Any]:
    counts = {"samples": len(recording.samples), "touches": recording.touches, "seconds": recording.samples[-1].time}
    return {**output.members_of(recording.label), **counts}


def row(recording: dataset.Recording) -> tuple[str, ...]:
    *counted, seconds = members(recording).values()
    return (f"{recording.file}:{recording.line}", *map(str, counted), f"{seconds:.1f}")


async def run_merge(arguments: Namespace) -> int:
    dataset.merge(dataset.all_of(arguments.files), arguments.target)
    return exits.OK


async def run_export(arguments: Namespace) -> int:
    if arguments.target == Path("-"):
        if arguments.json:
            raise exits.Failure("--json and CSV on standard output exclude each other.", exits.USAGE)
        dataset.write_csv(dataset.all_of(arguments.files), sys.stdout)
        return exits.OK
    kind = arguments.target.suffix.lower()
    if kind not in (".csv", ".parquet"):
        raise exits.Failure(f"{arguments.target} does not end with .csv or .parquet.", exits.USAGE)
    found = dataset.all_of(arguments.files)
    if kind == ".csv":
        with WholeFile(arguments.target) as file, io.TextIOWrapper(file, "utf-8", newline="") as text:
            dataset.write_csv(found, text)
        return exits.OK
    try:
        dataset.write_parquet(found, arguments.target)
    except ImportError as error:
        raise exits.Failure(str(error), exits.USAGE) from None
    return exits.OK

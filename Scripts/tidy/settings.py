# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables beside this program: allowed arrows, banned phrases, and exceptions with their reasons."""
import functools
import pathlib
import tomllib

FOLDER = pathlib.Path(__file__).parent


@functools.cache
def table(name):
    return tomllib.loads((FOLDER / name).read_text())


def phrases():
    return table("phrases.toml")["phrase"]


def load():
    """All settings of the rules, by name."""
    exceptions = table("exceptions.toml")
    for rule, entries in exceptions.items():
        for name, reason in entries.items():
            if not isinstance(reason, str) or len(reason) < 10:
                raise SystemExit(f"Scripts/tidy/exceptions.toml: [{rule}] {name} has no reason")
    return {**table("modules.toml"), **exceptions, "phrase": phrases()}

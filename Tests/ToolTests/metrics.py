# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks metrics on standard input as strictly as Prometheus' text format lets one: exits with 1 at the first mistake.

Every family has its HELP and TYPE, once, before its samples; counters end in _total and are not negative; no series
stands twice; the text ends with its last line; and Prometheus' own client reads the same families.
"""

import re
import sys

from prometheus_client.parser import text_string_to_metric_families

SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[^}]*\})? (\S+)")


def problems(text):
    helps, types, series, families = {}, {}, set(), []
    if not text.endswith("\n"):
        yield "the last line does not end"
    for line in text.splitlines():
        if line.startswith("# "):
            word, name, rest = line[2:].split(" ", 2)
            table = {"HELP": helps, "TYPE": types}.get(word)
            if table is None or name in table or not rest.strip():
                yield f"a strange comment: {line}"
            else:
                table[name] = rest
            continue
        match = SAMPLE.fullmatch(line)
        if not match:
            yield f"no sample: {line}"
            continue
        name, labels, value = match.groups()
        if (name, labels) in series:
            yield f"a series stands twice: {line}"
        series.add((name, labels))
        if name not in helps or name not in types:
            yield f"no HELP or TYPE before {line}"
        if not families or families[-1] != name:
            if name in families:
                yield f"the samples of {name} do not stand together"
            families.append(name)
        if (types.get(name) == "counter") != name.endswith("_total"):
            yield f"{name} is a {types.get(name)}"
        if types.get(name) == "counter" and float(value) < 0:
            yield f"a counter below zero: {line}"
    for name in types:
        if name not in families:
            yield f"{name} has no samples"
    read = {sample.name for family in text_string_to_metric_families(text) for sample in family.samples}
    if read != set(families):
        yield f"the client reads other families: {read ^ set(families)}"
    if not families:
        yield "there is nothing"


found = list(problems(sys.stdin.buffer.read().decode("utf-8")))
print("\n".join(found))
sys.exit(1 if found else 0)

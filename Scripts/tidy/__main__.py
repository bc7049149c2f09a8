# SPDX-License-Identifier: GPL-3.0-or-later
"""python3 Scripts/tidy [RULE…]: checks the source tree against the rules; all of them by default.

Each rule first proves on a canary, a small tree that breaks it, that it finds what it is for. Prints every violation, and
ends with 1 when there is one.
"""
import gc
import json
import pathlib
import subprocess
import sys

import rules
import settings
import tree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FIRST_COMMIT = "29e9011"


def package():
    """Path and dependencies of each target in Package.swift."""
    dump = subprocess.run(
        ["swift", "package", "dump-package", "--ignore-lock"], cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL)
    targets = {}
    for target in json.loads(dump.stdout)["targets"]:
        folder = "Tests" if target["type"] == "test" else "Sources"
        targets[target["name"]] = {
            "path": target.get("path") or f"{folder}/{target['name']}",
            "dependencies": [(row.get("byName") or row.get("product") or row.get("target"))[0]
                             for row in target["dependencies"]],
        }
    return targets


def commits():
    """Hash, number of parents and subject of each commit after the first one that the rule covers."""
    log = subprocess.run(
        ["git", "log", "--format=%H%x09%P%x09%s", f"{FIRST_COMMIT}..HEAD"], cwd=ROOT, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL)
    if log.returncode != 0:
        print(f"tidy: {FIRST_COMMIT} is not in this clone; commit subjects are not checked", file=sys.stderr)
        return []
    rows = [line.split("\t", 2) for line in log.stdout.splitlines()]
    return [(commit, len(parents.split()), subject) for commit, parents, subject in rows]


def raises():
    """Hash and body of each commit that raises a limit of the agent's lines."""
    log = subprocess.run(
        ["git", "log", "--no-color", "--format=%x00%h%x01%b%x01", "-p", "-U0", "-G^agent-lines", "--", "Scripts/bench-thresholds"],
        cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    rows = [row.split("\x01") for row in log.stdout.split("\0")[1:]]
    return [(commit, body) for commit, body, patch in rows if rules.ALL["agent-lines"].raised(patch)]


def fails_canary(name, rule):
    for number, (sample, known, expected) in enumerate(rule.canaries(), 1):
        found = {(violation.path, violation.line) for violation in rule.check(sample, known)}
        if found != expected:
            print(f"tidy: {name} misses its canary {number}: missed {sorted(expected - found)}, "
                  f"found for no reason {sorted(found - expected)}", file=sys.stderr)
            return True
    return False


def main():
    names = sys.argv[1:] or list(rules.ALL)
    for name in names:
        if name not in rules.ALL:
            sys.exit(f"{__doc__.strip()}\n\nThere is no rule {name}; there are: {', '.join(rules.ALL)}")
    # A run is short, so collecting cycles would only cost time.
    gc.disable()
    known = settings.load()
    checkout = tree.checkout(ROOT)
    checkout.package = package() if {"arrows", "closure", "agent-lines"} & set(names) else {}
    checkout.commits = commits() if "subjects" in names else []
    checkout.raises = raises() if "agent-lines" in names else []
    broken = False
    for name in names:
        rule = rules.ALL[name]
        if fails_canary(name, rule):
            broken = True
            continue
        if sys.argv[1:] and hasattr(rule, "report"):
            print(*rule.report(checkout), sep="\n")
        violations = sorted(rule.check(checkout, known))
        if not violations:
            continue
        print(f"{name}: {len(violations)}. {rule.SENTENCE}")
        for violation in violations:
            print(f"  {violation}")
        broken = True
    sys.exit(broken)


main()

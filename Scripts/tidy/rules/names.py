# SPDX-License-Identifier: GPL-3.0-or-later
"""File names are unique."""
from collections import defaultdict

from tree import Tree, Violation

SENTENCE = "No two Swift files below Sources share a name."


def check(tree, settings):
    paths = defaultdict(list)
    for path in tree.paths("Sources/", suffix=".swift"):
        name = path.rsplit("/", 1)[1]
        # SwiftPM requires this name for the entry point of each program.
        if name != "main.swift":
            paths[name].append(path)
    for same in paths.values():
        for path in same[1:]:
            yield Violation(path, 0, f"has the same name as {same[0]}")


def canaries():
    texts = dict.fromkeys(
        ("Sources/A/One.swift", "Sources/B/One.swift", "Sources/B/Two.swift", "Sources/A/main.swift",
         "Sources/B/main.swift"), "")
    yield Tree(texts), {}, {("Sources/B/One.swift", 0)}

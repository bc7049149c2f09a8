# SPDX-License-Identifier: GPL-3.0-or-later
"""The example apps are written as for iOS: they guard imports of UI modules, and nothing else."""
import re

from tree import Tree, Violation

SENTENCE = "In an example app, `#if` guards at most 10 lines, and each of them imports a UI module."
LINES_MAX = 10
PROGRAM = re.compile(r"^(Scripts/examples/[^/]+)/Package\.swift$")
UI_IMPORT = re.compile(r"^\s*import (UIKit|SwiftUI|AppKit|WatchKit)$")


def guarded(text):
    """The lines inside of `#if`, with their numbers."""
    depth = 0
    for number, line in enumerate(text.split("\n"), 1):
        word = line.strip().partition(" ")[0]
        if word == "#if":
            depth += 1
        elif word == "#endif":
            depth -= 1
        elif depth and word and word not in ("#else", "#elseif"):
            yield number, line


def check(tree, settings):
    for program in filter(None, map(PROGRAM.match, tree.paths("Scripts/examples/", suffix="/Package.swift"))):
        folder, count = program.group(1), 0
        for path in tree.paths(f"{folder}/", suffix=".swift"):
            for number, line in guarded(tree.texts[path]):
                count += 1
                if not UI_IMPORT.match(line):
                    yield Violation(path, number, f"guarded by #if, and no import of a UI module: {line.strip()}")
        if count > LINES_MAX:
            yield Violation(folder, 0, f"#if guards {count} lines")


def canaries():
    package = {"Scripts/examples/dice/Package.swift": "let package = Package()\n"}
    fine = "#if canImport(UIKit)\n  import UIKit\n#endif\nstart()\n"
    yield Tree({**package, "Scripts/examples/dice/Sources/main.swift": fine}), {}, set()
    wrong = fine + "#if os(iOS)\nimport UIKit\n#if DEBUG\nlog()\n#endif\n#else\n\nimport Glibc\n#endif\nend()\n"
    yield Tree({**package, "Scripts/examples/dice/Sources/main.swift": wrong}), {}, {
        ("Scripts/examples/dice/Sources/main.swift", 8), ("Scripts/examples/dice/Sources/main.swift", 12)}
    many = "#if canImport(UIKit)\n" + "import UIKit\n" * 11 + "#endif\n"
    yield Tree({**package, "Scripts/examples/dice/Sources/main.swift": many}), {}, {("Scripts/examples/dice", 0)}
    # A script beside the packages is no app.
    yield Tree({"Scripts/examples/guide/main.swift": wrong}), {}, set()

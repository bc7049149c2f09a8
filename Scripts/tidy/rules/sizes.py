# SPDX-License-Identifier: GPL-3.0-or-later
"""Files are neither too long to read nor too short to open."""
from tree import Tree, Violation

from rules.properties import CENTRAL

SENTENCE = "Swift files have at most 400 lines, those below Sources at least 30, unless they are listed with a reason."
LINES_MIN, LINES_MAX = 30, 400
EXCEPTIONS_MAX = 20


def check(tree, settings):
    exceptions = settings.get("sizes", {})
    if len(exceptions) > EXCEPTIONS_MAX:
        yield Violation("Scripts/tidy/exceptions.toml", 0, f"more than {EXCEPTIONS_MAX} exceptions for sizes")
    broken = {}
    for path in tree.paths("Sources/", "Tests/", "Scripts/", suffix=".swift"):
        lines = tree.texts[path].count("\n")
        if lines > LINES_MAX or (lines < LINES_MIN and path.startswith("Sources/")):
            broken[path] = lines
    for path, lines in broken.items():
        if path not in exceptions:
            yield Violation(path, 0, f"{lines} lines")
    for path in exceptions:
        _, module, *_, file = path.split("/")
        if f"{module}.{file.split('+')[0].removesuffix('.swift')}" in CENTRAL:
            yield Violation("Scripts/tidy/exceptions.toml", 0, f"{path} is never an exception")
        if path not in broken:
            yield Violation("Scripts/tidy/exceptions.toml", 0, f"{path} needs no exception any more")


def canaries():
    texts = {
        "Sources/A/Long.swift": "\n" * 401, "Sources/A/Short.swift": "\n" * 29, "Sources/A/Good.swift": "\n" * 400,
        "Tests/A/Long.swift": "\n" * 401, "Tests/A/Short.swift": "\n", "Sources/A/Listed.swift": "\n" * 3,
        "Sources/Discovery/Pipeline.swift": "\n" * 401,
    }
    expected = {(path, 0) for path in ("Sources/A/Long.swift", "Sources/A/Short.swift", "Tests/A/Long.swift")}
    expected.add(("Scripts/tidy/exceptions.toml", 0))
    listed = {"Sources/A/Listed.swift": "a program's entry", "Sources/Discovery/Pipeline.swift": "too long"}
    yield Tree(texts), {"sizes": listed}, expected

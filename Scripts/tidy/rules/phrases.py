# SPDX-License-Identifier: GPL-3.0-or-later
"""Plain words in names, comments and messages."""
import re

from tree import Tree, Violation

SENTENCE = "The phrases and names in Scripts/tidy/phrases.toml do not occur."
FOLDERS = ("Sources/", "Config/", "Board/", "Scripts/", "Tests/", ".ci/", "README.md", "Package.swift")
# They quote what they forbid and what they allow.
TABLES = ("Scripts/tidy/phrases.toml", "Scripts/tidy/exceptions.toml")


def check(tree, settings):
    exceptions = settings.get("phrases", {})
    used = set()
    patterns = [(row, re.compile(row["find"], re.MULTILINE | (0 if row.get("case") else re.IGNORECASE)))
                for row in settings["phrase"]]
    for path in tree.paths(*FOLDERS):
        if path in TABLES:
            continue
        # A file's name is its line 0.
        text = path.rsplit("/", 1)[-1].split(".")[0] + "\n" + tree.texts[path]
        for row, pattern in patterns:
            if not path.startswith(row.get("below", "")):
                continue
            for match in pattern.finditer(text):
                place = f"{path}: {match.group().strip()}"
                if place in exceptions:
                    used.add(place)
                else:
                    line = text.count("\n", 0, match.start() + len(match.group()) - len(match.group().lstrip()))
                    yield Violation(path, line, f"“{match.group().strip()}”; write: {row['write']}")
    for place in exceptions:
        if place not in used:
            yield Violation("Scripts/tidy/exceptions.toml", 0, f"“{place}” needs no exception any more")


def canaries():
    # Each phrase must find its own example, and no phrase may find plain words.
    import settings
    rows = settings.phrases()
    for row in rows:
        path = f"{row.get('below', 'Sources/')}Words.swift"
        yield Tree({path: row["example"] + "\n"}), {"phrase": [row]}, {(path, 1)}
    plain = "/// Returns the next reply. The client receives every byte; nil on success.\n"
    yield Tree({"Sources/HCI/Plain.swift": plain, TABLES[0]: rows[0]["example"]}), {"phrase": rows}, set()

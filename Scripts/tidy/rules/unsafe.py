# SPDX-License-Identifier: GPL-3.0-or-later
"""Unchecked memory access stays in a few places that can be reviewed."""
from tree import Tree, Violation

SENTENCE = "`unsafe` appears only in the byte cursor and its memory, in LinuxSystem, and in front of a C library."


def check(tree, settings):
    allowed = settings.get("unsafe", {})
    used = set()
    for source in tree.swift("Sources/"):
        place = next((entry for entry in allowed if source.path.startswith(entry)), None)
        for token in source.tokens:
            if token.text == "unsafe":
                used.add(place)
                if place is None:
                    yield Violation(source.path, token.line, "`unsafe` outside its places")
    for entry in allowed:
        if entry not in used:
            yield Violation("Scripts/tidy/exceptions.toml", 0, f"{entry} has no `unsafe` any more")


def canaries():
    texts = {
        "Sources/LinuxSystem/Clock.swift": "let time = unsafe read()\n",
        "Sources/Agent/Reply.swift": "// unsafe in a comment\nlet text = \"unsafe\"\nlet byte = unsafe read()\n",
    }
    yield Tree(texts), {"unsafe": {"Sources/LinuxSystem/": "system calls"}}, {("Sources/Agent/Reply.swift", 3)}

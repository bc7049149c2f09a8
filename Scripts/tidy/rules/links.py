# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation links name a declaration."""
import re
from collections import defaultdict

from tree import Tree, Violation

SENTENCE = "Every ``symbol`` in a comment exists."
LINK = re.compile(r"``([^`\s]+(?: [^`\s]+)*)``")
REFERENCE = re.compile(r"([\w.]+)(?:\(([\w:]*)\))?$")


def check(tree, settings):
    members, labels, types = defaultdict(set), defaultdict(set), defaultdict(set)
    everything = set()
    for source in tree.swift("Sources/", "Tests/", "Scripts/"):
        everything.add(source.module)
        for declaration in source.declarations:
            everything.add(declaration.name)
            owner = declaration.owner.rsplit(".", 1)[-1]
            members[owner].add(declaration.name)
            types[source.path].add(owner)
            if declaration.kind in ("func", "init", "case"):
                labels[declaration.name].add("".join(f"{label}:" for label in declaration.labels))
    for source in tree.swift("Sources/", "Tests/", "Scripts/"):
        for number, line in enumerate(source.text.split("\n"), 1):
            if "``" not in line or not line.lstrip().startswith("//"):
                continue
            for link in LINK.findall(line):
                if not exists(link, everything, members, labels):
                    yield Violation(source.path, number, f"``{link}`` does not exist")


def exists(link, everything, members, labels):
    parts = re.split(r"[/.](?![^(]*\))", link)
    for index, part in enumerate(parts):
        match = REFERENCE.match(part)
        if not match or match.group(1) not in everything:
            return False
        name, written = match.groups()
        if index and name not in members[parts[index - 1]]:
            return False
        if written is not None and written not in labels[name]:
            return False
    return True


def canaries():
    texts = {
        "Sources/HCI/Packet.swift":
            "/// See ``Packet/bytes``, ``Packet/read(at:count:)`` and ``read(at:count:)``.\n"
            "/// Not ``Parcel``.\n/// Nor ``Packet/words``.\n/// Nor ``read(from:)``.\n"
            "struct Packet {\n  let bytes: [UInt8]\n  func read(at offset: Int, count: Int) {}\n}\n",
    }
    yield Tree(texts), {}, {("Sources/HCI/Packet.swift", line) for line in (2, 3, 4)}

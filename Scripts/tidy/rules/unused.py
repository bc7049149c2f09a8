# SPDX-License-Identifier: GPL-3.0-or-later
"""Every declaration is used.

A name counts as used when it stands anywhere in Sources, Tests or Scripts but in a declaration of that name. So a name
that two types share is not found while one of them is used; the compiler finds unused local names.
"""
import re
from collections import Counter

from tree import Tree, Violation

SENTENCE = "Every declared name is used somewhere in Sources, Tests or Scripts."
FOLDERS = ("Sources/", "Tests/", "Scripts/")
# The compiler, the standard library or a library calls these.
CALLED_BY_OTHERS = {
    "init", "description", "debugDescription", "hash", "encode", "main", "run", "validate", "configuration", "allCases",
    "makeIterator", "next", "startIndex", "endIndex", "index", "errorDescription", "underestimatedCount", "customMirror", "callAsFunction", "testDescription", "isRecursive",
}
FUNCTION_IN_C = re.compile(r"^[\w *]*?\b(c[a-z]+_\w+)\(", re.M)


def check(tree, settings):
    exceptions = settings.get("unused", {})
    mentions, declared = Counter(), Counter()
    for source in tree.swift(*FOLDERS):
        mentions.update(token.text for token in source.tokens)
        declared.update(declaration.name for declaration in source.declarations if declaration.kind != "extension")
    for source in tree.swift(*FOLDERS):
        for declaration in source.declarations:
            name = declaration.name
            if mentions[name] > declared[name] or declaration.kind in ("extension", "init"):
                continue
            if name == "_" or name in CALLED_BY_OTHERS or name in exceptions or is_called_by_others(declaration):
                continue
            yield Violation(source.path, declaration.line, f"nothing mentions {name}")
    for path in tree.paths("Sources/C", "Tests/C", suffix=".h"):
        for match in FUNCTION_IN_C.finditer(tree.texts[path]):
            if not mentions[match.group(1)] and match.group(1) not in exceptions:
                yield Violation(path, tree.texts[path].count("\n", 0, match.start(1)) + 1, f"nothing calls {match.group(1)}")
    for name in exceptions:
        if mentions[name] > declared[name] or not declared[name]:
            yield Violation("Scripts/tidy/exceptions.toml", 0, f"{name} needs no exception any more")


def is_called_by_others(declaration):
    """Whether something outside uses the declaration: a test attribute, C code, a raw value, or an overridden caller."""
    marks = {"@Test", "@Suite", "@main", "@_cdecl", "@_extern", "@c", "@Flag", "@Option", "@Argument", "@OptionGroup"}
    return bool(declaration.modifiers & (marks | {"override"})) or declaration.has_raw_value


def canaries():
    texts = {
        "Sources/HCI/Idle.swift":
            "struct Idle {\n  static let countMax = 3, count: Int\n  var isIdle: Bool { count == 0 }\n  func wait() {}\n}\n"
            "enum Kind {\n  case good, bad(code: Int)\n}\n"
            "enum Raw: String {\n  case read\n}\n",
        "Sources/HCI/User.swift": "// isIdle wait\nlet idle = Idle(count: 0...Idle.countMax)\nprint(\"\\(idle.count)\", Kind.good, Raw.self, \"bad\")\n",
        "Tests/HCITests/Test.swift": "@Test(arguments: [(1, 2)])\nfunc countsIdleTime() {}\n",
        "Sources/CLinux/include/clinux.h": "#pragma once\nint clinux_thread(void);\nint clinux_idle(void);\n",
        "Sources/LinuxSystem/Thread.swift": "_ = clinux_thread()\n",
    }
    expected = {
        ("Sources/HCI/Idle.swift", 3), ("Sources/HCI/Idle.swift", 4), ("Sources/HCI/Idle.swift", 7),
        ("Sources/CLinux/include/clinux.h", 3),
    }
    yield Tree(texts), {}, expected

# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules that a plain search checks."""
import re
from dataclasses import dataclass

from tree import Tree, Violation

SENTENCE = "No leftovers, no traps without a reason, no sleeping tests, no paths of one machine, a licence on every file."
LICENSED = re.compile(r"\.(swift|c|cpp|h|toml|py)$|^Scripts/|^\.ci/")
UNLICENSED = re.compile(r"/Fixtures/|\.(md|json)$")
# JSON has no comments: the README.md of its folder states the licence.
UNCOMMENTED = re.compile(r"^(Config|Scripts)/.*\.json$")
LICENCE = "SPDX-License-Identifier: "


@dataclass
class Search:
    sentence: str
    pattern: str
    paths: str
    canary: str


SEARCHES = [
    Search("a leftover", r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b", r"^(Sources|Tests|Scripts)/.*\.swift$|^Scripts/[^.]*$|\.py$",
           "// TO" "DO: more"),
    Search("a trap without a reason", r"try!|fatalError\(|as!", r"^Sources/.*\.swift$", "try! work()"),
    Search("a test that sleeps", r"\b(sleep|usleep|nanosleep)\(|Task\.sleep|Thread\.sleep", r"^Tests/.*\.swift$",
           "usleep(10)"),
    Search("a path of one machine", r"(^|[^a-z.])/(work|root|home|srv)/", r"\.(swift|md|toml|py)$|^Scripts/|^\.ci/",
           'let folder = "/ho' 'me/me"'),
    # Apps have it anyway, and call `localizedDescription` on every error.
    Search("Foundation", r"import Foundation$", r"^Sources/(?!AccessorySetupKit/|CoreBluetooth/).*\.swift$",
           "import Foundation"),
]


def check(tree, settings):
    for path, text in tree.texts.items():
        if LICENSED.search(path) and not UNLICENSED.search(path):
            if LICENCE not in "\n".join(text.split("\n", 3)[:3]):
                yield Violation(path, 0, "no SPDX line at the top")
        if UNCOMMENTED.search(path):
            if LICENCE not in tree.texts.get(path.rpartition("/")[0] + "/README.md", ""):
                yield Violation(path, 0, "no SPDX line in the README.md of its folder")
        for search in SEARCHES:
            if not re.search(search.paths, path):
                continue
            for number, line in enumerate(text.split("\n"), 1):
                if re.search(search.pattern, line):
                    yield Violation(path, number, f"{search.sentence}: {line.strip()}")


def canaries():
    licence = "// SPDX-License-Identifier: GPL-3.0-or-later\n"
    texts = {"Sources/HCI/Bare.swift": "struct Bare {}\n"}
    texts["Config/schema/bare.json"] = "{}\n"
    expected = {("Sources/HCI/Bare.swift", 0), ("Config/schema/bare.json", 0)}
    for index, search in enumerate(SEARCHES):
        folder = "Tests" if "sleep" in search.pattern else "Sources"
        path = f"{folder}/HCI/File{index}.swift"
        texts[path] = licence + search.canary + "\n"
        expected.add((path, 2))
    yield Tree(texts), {}, expected

# SPDX-License-Identifier: GPL-3.0-or-later
"""What the client libraries link is under Apache-2.0."""
import re

from tree import Tree, Violation

SENTENCE = "Every file that a library of [apache] in Scripts/tidy/modules.toml reaches is under Apache-2.0."
LICENCE = "SPDX-License-Identifier: Apache-2.0"
COMPILED = re.compile(r"\.(swift|c|cpp|h|varlink)$")


def reached(targets, name):
    """The targets that a library links, itself included, and the names that are no targets of the package."""
    found, left = set(), [name]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += targets.get(name, {}).get("dependencies", [])
    return found


def check(tree, settings):
    for library in settings.get("apache", {}).get("libraries", []):
        for name in sorted(reached(tree.package, library)):
            if name not in tree.package:
                yield Violation("Package.swift", 0, f"{library} links {name}, whose licence is not known here")
                continue
            for path in tree.paths(tree.package[name]["path"] + "/"):
                if COMPILED.search(path) and LICENCE not in "\n".join(tree.texts[path].split("\n", 3)[:3]):
                    yield Violation(path, 0, f"{library} links a file that is not under Apache-2.0")


def canaries():
    def target(name, *dependencies):
        return {"path": f"Sources/{name}", "dependencies": list(dependencies)}

    package = {"Kit": target("Kit", "Client"), "Client": target("Client", "JSON"), "JSON": target("JSON"),
               "Agent": target("Agent", "JSON")}
    free, other = f"// {LICENCE}\n", "// SPDX-License-Identifier: GPL-3.0-or-later\n"
    texts = {"Sources/Kit/Kit.swift": free, "Sources/Client/Client.swift": free, "Sources/JSON/Reader.swift": other,
             "Sources/JSON/README.md": "no licence\n", "Sources/Agent/Agent.swift": other}
    settings = {"apache": {"libraries": ["Kit"]}}
    yield Tree(texts, package=package), settings, {("Sources/JSON/Reader.swift", 0)}
    linking = {**package, "Client": target("Client", "Unknown")}
    yield Tree(texts, package=linking), settings, {("Package.swift", 0)}

# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules import only what their row allows."""
from tree import Tree, Violation

SENTENCE = "Modules import what Scripts/tidy/modules.toml allows, declare it in Package.swift, and declare nothing else."


def reachable(table, module):
    """The modules that each module may import, directly or through its row."""
    found, left = set(), list(table.get(module, []))
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += table.get(name, [])
    return found


def check(tree, settings):
    table, targets = settings["modules"], tree.package
    modules = {name for name, target in targets.items() if target["path"].startswith("Sources/")}
    for name in sorted(modules - set(table)):
        yield Violation("Package.swift", 0, f"the module {name} has no row in Scripts/tidy/modules.toml")
    for name in sorted(set(table) - set(targets)):
        yield Violation("Scripts/tidy/modules.toml", 0, f"there is no module {name}")
    for name in sorted(table):
        if name in reachable(table, name):
            yield Violation("Scripts/tidy/modules.toml", 0, f"{name} may import itself, through others")
    for name, target in sorted(targets.items()):
        declared = set(target["dependencies"])
        if name in table:
            for other in sorted(declared - reachable(table, name)):
                yield Violation("Package.swift", 0, f"{name} may not depend on {other}")
        imported = set()
        for source in tree.swift(target["path"] + "/"):
            if owner(targets, source.path) != name:
                continue
            for line, other in source.imports:
                imported.add(other)
                if other in targets and other not in declared:
                    yield Violation(source.path, line, f"{name} imports {other}, which Package.swift does not declare")
                if name in table and other in settings["system"] and name not in settings["system"][other]:
                    yield Violation(source.path, line, f"{name} may not import {other}")
        if name in modules and not name.startswith("C"):
            for other in sorted(declared - imported):
                yield Violation("Package.swift", 0, f"{name} declares {other} and does not import it")


def owner(targets, path):
    """The target whose folder is the closest around the file."""
    around = [name for name, target in targets.items() if path.startswith(target["path"] + "/")]
    return max(around, key=lambda name: len(targets[name]["path"]))


def canaries():
    def target(name, *dependencies):
        return {"path": f"Sources/{name}", "dependencies": list(dependencies)}

    package = {
        "HCI": target("HCI"),
        "Discovery": target("Discovery", "HCI"),
        "Setup": target("Setup", "Discovery"),
        "Agent": target("Agent", "HCI", "VirtualRadio"),
        "VirtualRadio": target("VirtualRadio"),
        "Rogue": target("Rogue"),
        "Tests": {"path": "Tests/Tests", "dependencies": ["Agent"]},
    }
    texts = {
        "Sources/Discovery/Row.swift": "public import HCI\nimport Glibc\n",
        "Sources/Setup/Session.swift": "import Discovery\nimport HCI\n",
        "Sources/Agent/Agent.swift": "import HCI\n@preconcurrency internal import VirtualRadio\n",
        "Tests/Tests/Test.swift": "@testable import Agent\n// import Setup\n",
    }
    settings = {
        "modules": {"HCI": [], "Discovery": ["HCI"], "Setup": ["Discovery"], "Agent": ["Setup"], "VirtualRadio": ["HCI"]},
        "system": {"Glibc": ["LinuxSystem"]},
    }
    expected = {("Package.swift", 0), ("Sources/Discovery/Row.swift", 2), ("Sources/Setup/Session.swift", 2)}
    yield Tree(texts, package=package), settings, expected

    allowed = {**settings, "modules": {name: list(package) for name in package} | {"HCI": [], "Discovery": ["HCI"]}}
    plain = {"HCI": target("HCI"), "Discovery": target("Discovery", "HCI")}
    sources = {"Sources/Discovery/Row.swift": "public import HCI\n"}
    yield Tree(sources, package=plain), {**allowed, "modules": {"HCI": [], "Discovery": ["HCI"]}}, set()
    backwards = {"HCI": ["Discovery"], "Discovery": ["HCI"]}
    yield Tree(sources, package=plain), {**allowed, "modules": backwards}, {("Scripts/tidy/modules.toml", 0)}
    idle = {"HCI": target("HCI"), "Discovery": target("Discovery", "HCI")}
    yield Tree({}, package=idle), {**allowed, "modules": {"HCI": [], "Discovery": ["HCI"]}}, {("Package.swift", 0)}

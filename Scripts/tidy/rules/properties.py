# SPDX-License-Identifier: GPL-3.0-or-later
"""Types stay small: one with many stored properties becomes several values with one owner each."""
from collections import defaultdict

from tree import Tree, Violation

SENTENCE = "No type has more than 15 stored properties, unless it is listed with a reason."
STORED_MAX = 15
EXCEPTIONS_MAX = 10
# Types that every input passes through. They once held the state of everything, and are never listed.
CENTRAL = {
    "Discovery.Pipeline", "Setup.SetupCore", "Setup.SessionStore", "Setup.FlowTable", "Setup.RegistryQueue",
    "Agent.AgentCore", "AgentRuntime.AgentLoop"}


def check(tree, settings):
    exceptions = settings.get("properties", {})
    if len(exceptions) > EXCEPTIONS_MAX:
        yield Violation("Scripts/tidy/exceptions.toml", 0, f"more than {EXCEPTIONS_MAX} exceptions for properties")
    stored, places = defaultdict(int), {}
    for source in tree.swift("Sources/"):
        for declaration in source.declarations:
            name = f"{source.module}.{declaration.owner}"
            if declaration.kind in ("struct", "class", "enum", "actor"):
                places[f"{name}.{declaration.name}".replace("..", ".")] = declaration
            if declaration.is_stored and declaration.owner and not declaration.modifiers & {"static", "class"}:
                stored[name] += 1
    for name, count in stored.items():
        if count > STORED_MAX and name not in exceptions:
            place = places.get(name)
            yield Violation(
                place.path if place else name, place.line if place else 0, f"{name} has {count} stored properties")
    for name in exceptions:
        if name in CENTRAL:
            yield Violation("Scripts/tidy/exceptions.toml", 0, f"{name} is never an exception")
        if stored.get(name, 0) <= STORED_MAX:
            yield Violation("Scripts/tidy/exceptions.toml", 0, f"{name} needs no exception any more")


def canaries():
    many = "".join(f"  var value{index} = InlineArray<2, Int>(repeating: 0)\n" for index in range(14))
    texts = {
        "Sources/HCI/Wide.swift":
            "struct Outer {\n struct Wide {\n" + many + "  let a: Int, b: [String: Int]\n"
            "  static let limit = 3\n  var sum: Int { value0 }\n }\n}\n",
        "Sources/HCI/Observed.swift":
            "struct Observed {\n" + many + "  var seen = 0 {\n    didSet { value0 = 1 }\n  }\n"
            "  lazy var late = 1\n}\n",
        "Sources/HCI/Narrow.swift": "struct Narrow {\n" + many + "  private(set) var last = \"{\" // var more = 1\n"
            "  func make() { let one = 1, two = 2 }\n}\n",
    }
    yield Tree(texts), {}, {("Sources/HCI/Wide.swift", 2), ("Sources/HCI/Observed.swift", 1)}
    pipeline = {"Sources/Discovery/Pipeline.swift": "struct Pipeline {\n" + many + "  var a = 1, b = 2\n}\n"}
    yield Tree(pipeline), {"properties": {"Discovery.Pipeline": "too large"}}, {("Scripts/tidy/exceptions.toml", 0)}

# SPDX-License-Identifier: GPL-3.0-or-later
"""A method of the agent receives what it needs."""
import re

from tree import Tree, Violation

SENTENCE = "A file in Sources/Agent/Methods names at most three parts of the agent, which are the properties in AgentCore.swift."
AGENT = "Sources/Agent/AgentCore.swift"
METHODS = "Sources/Agent/Methods/"
PART = re.compile(r"^  (?:public internal\(set\) )?(?:let|var) (\w+)[^{\n]*$", re.MULTILINE)
PARTS_MAX = 3


def check(tree, settings):
    parts = set(PART.findall(tree.texts.get(AGENT, "")))
    for path in tree.paths(METHODS, suffix=".swift"):
        named = sorted(parts & set(re.findall(r"\bagent\.(\w+)", tree.texts[path])))
        if len(named) > PARTS_MAX:
            yield Violation(path, 0, f"{len(named)} parts of the agent: {', '.join(named)}")
        if "extension AgentCore " in tree.texts[path]:
            yield Violation(path, 0, "an extension of the agent names every part of it; it belongs beside the part")


def canaries():
    texts = {AGENT: "final class AgentCore {\n  var one: Int\n  let two = 2\n  public internal(set) var three: Int\n  var four: Int\n"
                    "  var time: Int { 0 }\n}\n",
             METHODS + "Good.swift": "agent.one + agent.two + agent.two + agent.three + agent.time\n",
             METHODS + "Many.swift": "agent.one + agent.two + agent.three + agent.four\n",
             METHODS + "Whole.swift": "extension AgentCore {}\n"}
    yield Tree(texts), {}, {(METHODS + "Many.swift", 0), (METHODS + "Whole.swift", 0)}

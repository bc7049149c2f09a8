# SPDX-License-Identifier: GPL-3.0-or-later
"""One file per rule.

Each has SENTENCE, which says what must hold; `check(tree, settings)`, which yields violations; and `canaries()`, which
yields small trees with their settings, and the places in them that the check must find: no more and no fewer.
"""
from rules import agent_lines, arrows, closure, links, parts, phrases, searches, subjects, unsafe, unused

ALL = {
    "searches": searches,
    "arrows": arrows,
    "closure": closure,
    "unsafe": unsafe,
    "parts": parts,
    "unused": unused,
    "links": links,
    "phrases": phrases,
    "subjects": subjects,
    "agent-lines": agent_lines,
}

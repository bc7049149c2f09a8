# SPDX-License-Identifier: GPL-3.0-or-later
"""One file per rule.

Each has SENTENCE, which says what must hold; `check(tree, settings)`, which yields violations; and `canaries()`, which
yields small trees with their settings, and the places in them that the check must find: no more and no fewer.
"""
from rules import arrows, closure, guards, links, names, phrases, properties, searches, sizes, subjects, unsafe, unused

ALL = {
    "searches": searches,
    "arrows": arrows,
    "closure": closure,
    "guards": guards,
    "properties": properties,
    "unsafe": unsafe,
    "unused": unused,
    "links": links,
    "names": names,
    "sizes": sizes,
    "phrases": phrases,
    "subjects": subjects,
}

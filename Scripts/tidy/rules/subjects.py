# SPDX-License-Identifier: GPL-3.0-or-later
"""Subjects of commits are short and name no paths."""
import re

from tree import Tree, Violation

SENTENCE = "Commit subjects have at most 60 characters and contain no paths, and history is linear."
SUBJECT_MAX = 60
PATH = re.compile(
    r"(?:^|\s)(?:~|\.{0,2})/\w|\b(?:Sources|Tests|Scripts|Config|Board|\.ci)/|\w/\w+/\w|\w\.(?:swift|py|md|toml|c|h)\b")


def check(tree, settings):
    exceptions = settings.get("subjects", {})
    for commit, parents, subject in tree.commits:
        if any(commit.startswith(listed) for listed in exceptions):
            continue
        if len(subject) > SUBJECT_MAX:
            yield Violation(f"commit {commit[:8]}", 0, f"{len(subject)} characters: {subject}")
        if PATH.search(subject):
            yield Violation(f"commit {commit[:8]}", 0, f"a path: {subject}")
        if parents > 1:
            yield Violation(f"commit {commit[:8]}", 0, f"a merge: {subject}")


def canaries():
    commits = [
        ("1" * 40, 1, "Assert that the network prompt fits 40 columns"),
        ("2" * 40, 1, "Say in more than sixty characters what could be said in far fewer"),
        ("3" * 40, 1, "Merge the clone in /tmp/clone"),
        ("4" * 40, 1, "Correct Scripts/run"),
        ("5" * 40, 2, "Merge branch 'main'"),
        ("6" * 40, 1, "Read and/or write"),
        ("7" * 40, 1, "Move Reload.swift"),
    ]
    yield Tree({}, commits=commits), {}, {(f"commit {digit * 8}", 0) for digit in "23457"}

# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that the rules read: those of the checkout, or those of a canary."""
import functools
import os
import pathlib
import subprocess
from dataclasses import dataclass

import swift

IGNORED_FOLDERS = {".build", ".lab", ".git", "__pycache__"}


@dataclass(frozen=True, order=True)
class Violation:
    """A place that breaks a rule. Line 0 means the whole file."""

    path: str
    line: int
    text: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.text}" if self.line else f"{self.path}: {self.text}"


class Tree:
    """Text files by path, relative to the top of the repository. Symbolic links and binary files are left out."""

    def __init__(self, texts, package=None, commits=(), raises=()):
        self.texts = texts
        self.package = package
        self.commits = commits
        self.raises = raises

    def paths(self, *folders, suffix=""):
        return [path for path in sorted(self.texts) if path.endswith(suffix) and path.startswith(folders)]

    @functools.cached_property
    def sources(self):
        """Every Swift file, parsed, by path."""
        return {path: swift.Source(path, self.texts[path]) for path in self.paths("", suffix=".swift")}

    def swift(self, *folders):
        return [source for path, source in self.sources.items() if path.startswith(folders)]


def checkout(root):
    """Reads the working tree, without what git ignores."""
    texts = {}
    for path in listed(root):
        file = root / path
        if file.is_symlink() or not file.is_file():
            continue
        try:
            texts[path] = file.read_text()
        except UnicodeDecodeError:
            continue
    return Tree(texts)


def listed(root):
    """The paths of the working tree. Without git (in a release archive), every file outside the build folders."""
    git = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if git.returncode == 0:
        return [path for path in git.stdout.split("\0") if path]
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in IGNORED_FOLDERS and not name.startswith(".build-")]
        found += [str(pathlib.Path(folder, name).relative_to(root)) for name in names]
    return found

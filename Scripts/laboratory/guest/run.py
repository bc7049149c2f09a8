# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs scenarios of the plan that no other machine has taken, each in a process and control group of its own, and
leaves a result for each."""

import importlib.util
import json
import os
import pathlib
import re
import sys
import time
import traceback

import lab

SHARED = pathlib.Path("/mnt")
RESULTS = SHARED / "results"
# Which machine this is.
NUMBER = re.search(r"lab\.machine=(\d+)", pathlib.Path("/proc/cmdline").read_text())[1]
GROUPS = pathlib.Path("/sys/fs/cgroup")
ADAPTERS = pathlib.Path("/sys/class/bluetooth")
PATIENCE = 120
# The machine is not as it should be; it is booted again for what is left.
BOOT_AGAIN = 3


def load(name):
    path = pathlib.Path(__file__).parents[1] / "scenarios" / f"{name}.py"
    spec = importlib.util.spec_from_file_location("scenario", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def perform(name, result):
    """In the child: fills in the result."""
    world = lab.Lab(RESULTS / name)
    start = time.monotonic()
    try:
        load(name).scenario(world)
        result.update(passed=True, why="")
    except lab.Failure as failure:
        result.update(passed=False, why=str(failure))
    except BaseException:
        result.update(passed=False, why=traceback.format_exc())
    if not result["passed"]:
        result["why"] += world.last_words()
    result.update(seconds=time.monotonic() - start, figures=world.figures)
    world.end()
    write(name, result)


def write(name, result):
    interim = RESULTS / f"{name}.interim"
    interim.write_text(json.dumps(result))
    interim.rename(RESULTS / f"{name}.json")


def patience(name):
    """A scenario that takes longer says so; it is not imported here, where it could do harm."""
    for line in (pathlib.Path(__file__).parents[1] / "scenarios" / f"{name}.py").read_text().splitlines():
        if line.startswith("PATIENCE = "):
            return int(line.split("=")[1])
    return PATIENCE


def run(name):
    """Whether the next one can follow in this machine."""
    (SHARED / f"begun.{NUMBER}").write_text(name)
    (RESULTS / name).mkdir(exist_ok=True)
    group = GROUPS / name
    group.mkdir()
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        os.setsid()
        (group / "cgroup.procs").write_text("0")
        perform(name, {})
        os._exit(0)
    ended = wait(child, start + patience(name))
    # Whoever is left, wherever it went.
    (group / "cgroup.kill").write_text("1")
    if not ended:
        wait(child, time.monotonic() + 5)
    if not (RESULTS / f"{name}.json").exists():
        why = "it did not end in time" if not ended else "it ended without a result"
        write(name, {"passed": False, "why": why, "seconds": time.monotonic() - start, "figures": {}})
    return is_clean(group)


def wait(child, end):
    while time.monotonic() < end:
        if os.waitpid(child, os.WNOHANG)[0]:
            return True
        time.sleep(0.02)
    return False


def is_clean(group):
    """Whether nothing of it is left: no process, no adapter."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        reap()
        if "populated 0" in (group / "cgroup.events").read_text() and not any(ADAPTERS.glob("hci*")):
            remove(group)
            return True
        time.sleep(0.05)
    return False


def remove(group):
    """With the groups that were made in it."""
    for child in group.iterdir():
        if child.is_dir():
            remove(child)
    group.rmdir()


def reap():
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def take(name):
    """Whether it is ours to run: the folder is made by one machine only."""
    try:
        (SHARED / "taken" / name).mkdir()
        return True
    except FileExistsError:
        return False


for name in (SHARED / "plan").read_text().split():
    if take(name) and not run(name):
        sys.exit(BOOT_AGAIN)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the scenarios of the plan that need this machine's clock and that no other machine has claimed, each in its own
process and control group, and writes a result for each."""

import importlib.util
import json
import os
import pathlib
import re
import select
import shutil
import sys
import time
import traceback

import hci
import lab

SHARED = pathlib.Path("/mnt")
RESULTS = SHARED / "results"
SCENARIOS = pathlib.Path(__file__).parents[1] / "scenarios"
BUMBLE = "/usr/lib/bumble"
# The logs of a scenario, until it has ended: the clock skips ahead while a program waits for the host.
LOGS = pathlib.Path("/tmp/lab-logs")
# The number of this machine, and whether its clock counts "instructions" or is the "host"'s.
NUMBER, CLOCK = re.search(r"lab\.machine=(\d+) lab\.clock=(\w+)", pathlib.Path("/proc/cmdline").read_text()).groups()
GROUPS = pathlib.Path("/sys/fs/cgroup")
ADAPTERS = pathlib.Path("/sys/class/bluetooth")
PATIENCE = 120
# The exit status for a machine that is not clean; the host boots it again for the remaining scenarios.
BOOT_AGAIN = 3


def load(name):
    path = SCENARIOS / f"{name}.py"
    spec = importlib.util.spec_from_file_location("scenario", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_scenario(name, result):
    """Runs in the child process, and fills in the result."""
    world = lab.Lab(LOGS / name)
    start = time.monotonic()
    try:
        load(name).scenario(world)
        world.equal(world.denials.take(), [], "what AppArmor denied the agent")
        result.update(passed=True, why="")
    except lab.ScenarioError as error:
        result.update(passed=False, why=str(error))
    except BaseException:
        result.update(passed=False, why=traceback.format_exc())
    if not result["passed"]:
        result["why"] += "".join(f"\n{denial}" for denial in world.denials.take()) + world.log_tails()
    result.update(seconds=time.monotonic() - start, figures=world.figures)
    world.end()
    write(name, result)


def write(name, result):
    interim = RESULTS / f"{name}.interim"
    interim.write_text(json.dumps(result))
    interim.rename(RESULTS / f"{name}.json")


def setting(name, key, default):
    """A constant of a scenario. The file is read, not imported, because importing it here could do harm."""
    for line in (SCENARIOS / f"{name}.py").read_text().splitlines():
        if line.startswith(f"{key} = "):
            return line.split(" = ")[1].strip('"')
    return default


def load_bumble(name):
    """Loads bumble if a scenario uses it, which takes seconds; its processes and those of later scenarios are forks."""
    if not re.search(r"\blab\.(peer|bumble_dice)\(", (SCENARIOS / f"{name}.py").read_text()) or BUMBLE in sys.path:
        return
    sys.path.insert(0, BUMBLE)
    # bumble describes every packet in colored words, even without a log; that took a third of its time.
    importlib.import_module("bumble.colors").color = lambda text, *_: text
    importlib.import_module("bumble.hci").HCI_Object.format_fields = staticmethod(lambda *_: "")
    # cryptography loads the last one when it is used first.
    for module in ("bumble.device", "bumble.transport.common", "cryptography.hazmat.backends.openssl"):
        importlib.import_module(module)


def run(name):
    """Runs a scenario, and returns whether this machine can run another one."""
    (SHARED / f"begun.{NUMBER}").write_text(name)
    load_bumble(name)
    (LOGS / name).mkdir(parents=True, exist_ok=True)
    group = GROUPS / name
    group.mkdir()
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        os.setsid()
        (group / "cgroup.procs").write_text("0")
        run_scenario(name, {})
        os._exit(0)
    ended = wait(child, start + int(setting(name, "PATIENCE", PATIENCE)))
    # Kills the remaining processes, whatever their session.
    (group / "cgroup.kill").write_text("1")
    if not ended:
        wait(child, time.monotonic() + 5)
    shutil.copytree(LOGS / name, RESULTS / name, dirs_exist_ok=True)
    if not (RESULTS / f"{name}.json").exists():
        why = "it did not end in time" if not ended else "it ended without a result"
        write(name, {"passed": False, "why": why, "seconds": time.monotonic() - start, "figures": {}})
    return is_clean(group)


def wait(child, end):
    """Returns whether the child ended in time. Looking again and again would cost the host more than many scenarios."""
    descriptor = os.pidfd_open(child)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        if not poll.poll(max(0, end - time.monotonic()) * 1000):
            return False
    finally:
        os.close(descriptor)
    os.waitpid(child, 0)
    return True


def is_clean(group):
    """Whether no process and no adapter of the scenario is left; then its files are removed."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        reap()
        if "populated 0" in (group / "cgroup.events").read_text() and not any(ADAPTERS.glob("hci*")):
            remove(group)
            # Installed programs and apps of earlier scenarios would fill the machine's memory.
            for folder in pathlib.Path("/tmp").glob("lab-*"):
                shutil.rmtree(folder)
            # A recovery that was cut off leaves new adapters blocked.
            hci.block(False)
            return True
        time.sleep(0.05)
    return False


def remove(group):
    """Removes a group with the groups in it."""
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


def claim(name):
    """Whether this machine runs the scenario: only one machine can create the folder."""
    try:
        (SHARED / "taken" / name).mkdir()
        return True
    except FileExistsError:
        return False


for name in (SHARED / "plan").read_text().split():
    if setting(name, "CLOCK", "instructions") == CLOCK and claim(name) and not run(name):
        sys.exit(BOOT_AGAIN)

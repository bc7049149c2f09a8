# SPDX-License-Identifier: GPL-3.0-or-later
"""What programs cost under the same load: 500 reports a second from 300 devices, in runs of 10 s or 3 s."""

import os
import pathlib
import time
from typing import NamedTuple

import rivals
import steps

RATE = 500
# Parts, and the seconds of each. The others cost so much that a single waking does not show.
PARTS, RIVAL_PARTS = (3, 10), (1, 3)
# The first events cost more, for rows of devices and the emulator's translation of the code; they do not count.
WARM_SECONDS = 5
# Time for the last events to arrive.
SETTLE_SECONDS = 3
IDLE_SECONDS = 10


class Agent:
    """The agent, with the methods of the programs in rivals.py."""

    def __init__(self, lab, controller, access):
        self.lab = lab
        self.agent = steps.start_scanning(lab, controller, access)

    def usages(self):
        return [self.agent.usage()]

    def heard(self):
        return steps.count_read(self.lab, self.agent)

    def end(self):
        self.agent.end()


def start(lab, controller, kind):
    """Starts "exclusive" or "shared", the agent in this mode; "C reader"; or bluetoothd with the client `kind`."""
    if kind in ("exclusive", "shared"):
        return Agent(lab, controller, kind)
    return rivals.Reader(lab, controller) if kind == "C reader" else rivals.Rival(lab, controller, kind)


class Seconds(NamedTuple):
    """Processor time of the program's processes and of the whole machine, and the time that passed."""

    program: float
    machine: float
    passed: float

    @classmethod
    def now(cls, program):
        # In /proc/stat the kernel adds up busy time by ticks, but measures idle time: the rest of the time is busy.
        fields = pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()
        idle = (int(fields[4]) + int(fields[5])) / os.sysconf("SC_CLK_TCK")
        passed = time.monotonic()
        return cls(sum(usage.seconds for usage in program.usages()), passed * os.cpu_count() - idle, passed)

    def since(self, before):
        return Seconds(*(after - early for after, early in zip(self, before)))


def wait(controller, seconds):
    """Waits, and asks the controller as often as `await_load` does, so that this costs the same with and without a
    load."""
    end = time.monotonic() + seconds
    controller.world.until(
        lambda: controller.count() and time.monotonic() > end, f"{seconds} s have passed", seconds + 60, 0.1)


def idle_share(controller, program):
    """How much of the machine's time goes without a load."""
    before = Seconds.now(program)
    wait(controller, IDLE_SECONDS)
    spent = Seconds.now(program).since(before)
    return spent.machine / spent.passed


def carry(controller, program, parts, seconds):
    """Sends the load in parts of some seconds. Returns how many events were written, and the least seconds per event in
    any part: of the program, and of the whole machine without what it spends when it is idle.

    With the host's clock, other work of the host counts as the guest's time, so that the part with the least time is
    the most exact. A part in which the program did not scan, as bluetoothd when it is late, is sent again.
    """
    share = idle_share(controller, program)
    total, costs, tries = 0, [], 0
    while len(costs) < parts:
        tries += 1
        assert tries <= 3 * parts, "the program hardly scans"
        count, before = controller.count(), Seconds.now(program)
        controller.load(RATE, seconds)
        written = controller.await_load(120)
        wait(controller, SETTLE_SECONDS)
        spent = Seconds.now(program).since(before)
        events = steps.difference(written, count, "events")
        if events < RATE:
            continue
        costs.append((spent.program / events, (spent.machine - share * spent.passed) / events))
        total += events
    return total, [min(column) for column in zip(*costs)]


def compare(lab, kinds, word):
    """Measures each program, and notes its figures and how many times more than the agent the others cost. `word` says
    what the clock counts. Returns those ratios by the kinds of the agent and of the other program."""
    costs = {}
    for kind in kinds:
        controller = lab.controller()
        program = start(lab, controller, kind)
        controller.load(RATE, WARM_SECONDS)
        controller.await_load(60)
        wait(controller, SETTLE_SECONDS)
        early = program.heard()
        parts = PARTS if kind in ("exclusive", "shared", "C reader") else RIVAL_PARTS
        written, costs[kind] = carry(controller, program, *parts)
        heard = program.heard() - early
        lab.figure(f"\n         {kind}: s per million", round(costs[kind][0] * 1e6, 1))
        lab.figure(f"{kind}: s per million, whole machine", round(costs[kind][1] * 1e6, 1))
        lab.figure(f"{kind}: arrived %", round(100 * heard / written, 1))
        lab.figure(f"{kind}: RSS MB", " + ".join(f"{usage.resident / 1024:.1f}" for usage in program.usages()))
        program.end()
        controller.end()
    ratios = {}
    for agent in (kind for kind in kinds if kind in ("exclusive", "shared")):
        for other in (kind for kind in kinds if kind not in ("exclusive", "shared")):
            program, machine = (cost / least for cost, least in zip(costs[other], costs[agent]))
            name = "the C reader" if other == "C reader" else f"bluetoothd with {other}"
            lab.figure(f"\n         {name} costs … times {agent}, by {word}", round(program, 1))
            lab.figure(f"{name}, times {agent}, whole machine", round(machine, 1))
            ratios[agent, other] = program
    return ratios

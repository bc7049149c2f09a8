# SPDX-License-Identifier: GPL-3.0-or-later
"""What programs cost under the same load: reports at an even rate from 300 devices, of which 3 % are wanted."""

import os
import pathlib
import time
from typing import NamedTuple

import rivals
import steps

# Reports a second, and the seconds of a part. A part of another program is shorter, and there is but one: bluetoothd and
# its client cost so much that a single waking does not show.
PART_SECONDS = {20: 20, 170: 10, 1000: 6}
PARTS, RIVAL_SHARE = 2, 0.5
TARGETS = 3
# The first events cost more, for rows of devices and the emulator's translation of the code; they do not count.
WARM_SECONDS = 5
# Time for the last events to arrive.
SETTLE_SECONDS = 3
IDLE_SECONDS = 10
AGENTS, READERS = ("exclusive", "shared"), ("no reader", "C reader", "C reader, filtered")


class Agent:
    """The agent, with the methods of the programs in rivals.py."""

    def __init__(self, lab, controller, access, **settings):
        self.lab = lab
        self.agent = steps.start_scanning(lab, controller, access, **settings)

    def usages(self):
        return [self.agent.usage()]

    def heard(self):
        return steps.count_read(self.lab, self.agent)

    def end(self):
        self.agent.end()


def start(lab, controller, kind, **settings):
    """Starts "exclusive" or "shared", the agent in this mode; one of the READERS; or bluetoothd with the client `kind`."""
    if kind in AGENTS:
        return Agent(lab, controller, kind, **settings)
    if kind in READERS:
        words = kind.split(", ")[1:]
        return rivals.Nothing(lab, controller) if kind == "no reader" else rivals.Reader(lab, controller, *words)
    return rivals.Rival(lab, controller, kind)


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


def carry(controller, program, share, rate, seconds, parts):
    """Sends the load in parts of some seconds. Returns how many events were written, and the least seconds per event in
    any part: of the program, and of the whole machine without its `share`, what it spends when it is idle.

    With the host's clock, other work of the host counts as the guest's time, so that the part with the least time is
    the most exact. A part in which the program did not scan, as bluetoothd when it is late, is sent again.
    """
    total, costs, tries = 0, [], 0
    while len(costs) < parts:
        tries += 1
        assert tries <= 3 * parts, "the program hardly scans"
        count, before = controller.count(), Seconds.now(program)
        controller.load(rate, seconds, targets=TARGETS)
        written = controller.await_load(120)
        wait(controller, SETTLE_SECONDS)
        spent = Seconds.now(program).since(before)
        events = steps.difference(written, count, "events")
        if events < rate:
            continue
        costs.append((spent.program / events, (spent.machine - share * spent.passed) / events))
        total += events
    return total, [min(column) for column in zip(*costs)]


def measure(lab, kind):
    """The seconds per event of a program and of the whole machine, at each rate."""
    controller = lab.controller()
    program = start(lab, controller, kind, **({"filter": "on"} if kind in AGENTS else {}))
    controller.load(500, WARM_SECONDS, targets=TARGETS)
    controller.await_load(60)
    wait(controller, SETTLE_SECONDS)
    share, costs = idle_share(controller, program), {}
    for rate, seconds in PART_SECONDS.items():
        early = program.heard()
        is_rival = kind not in AGENTS + READERS
        parts = (int(seconds * RIVAL_SHARE), 1) if is_rival else (seconds, PARTS)
        written, costs[rate] = carry(controller, program, share, rate, *parts)
        own, machine = (cost * 1e6 for cost in costs[rate])
        lab.figure(f"\n         {kind}, {rate}/s: µs a report", f"{own:.1f}")
        lab.figure(f"{kind}, {rate}/s: of the whole machine", f"{machine:.1f}")
        lab.figure(f"{kind}, {rate}/s: arrived %", f"{100 * (program.heard() - early) / written:.1f}")
    lab.figure(f"{kind}: RSS MB", " + ".join(f"{usage.resident / 1024:.1f}" for usage in program.usages()))
    program.end()
    controller.end()
    return costs


def compare(lab, kinds, word):
    """Measures each program, and notes how many times the agent's the costs of others are, their own and the whole
    machine's. `word` says what the clock counts. Returns the costs by kind and rate."""
    costs = {kind: measure(lab, kind) for kind in kinds}
    for agent in (kind for kind in kinds if kind in AGENTS):
        for other in (kind for kind in kinds if kind not in AGENTS):
            for rate in PART_SECONDS:
                program, machine = (cost / least for cost, least in zip(costs[other][rate], costs[agent][rate]))
                name = other if other in READERS else f"bluetoothd with {other}"
                lab.figure(f"\n         {name}, times {agent}, at {rate}/s by {word}", f"{program:.2f}, {machine:.2f}")
    return costs

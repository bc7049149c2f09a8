# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults that only a certain remedy ends, all at once: every case has an adapter and an agent of its own."""

import time

RUNGS = ("restartScan", "reset", "takeDownAndUp", "powerCycle", "boardStep")
# A silence of half a minute, a ladder of a minute.
PATIENCE = 120
# From the first failure to the end of a ladder, and from the end of a cause that something tells of to the next scan.
LADDER_SECONDS, AGAIN_SECONDS = 60, 3


def used(agent):
    """The rungs that were tried, in order."""
    metrics = agent.metrics()
    return [rung for rung in RUNGS if metrics.get(f'radio_recoveries_total{{rung="{rung}"}}', 0) > 0]


class Case:
    """An agent that scans an empty scene, and what is about to go wrong."""

    def __init__(self, lab, access, rung, fault):
        self.lab = lab
        self.rung = rung
        self.fault = fault
        self.controller = lab.controller(address=f"00:E0:4C:00:01:{RUNGS.index(rung):02X}")
        self.agent = lab.agent(radio=self.controller.name_of_adapter, access=access, board="lab")
        self.agent.await_state("on", 30)
        self.controller.await_scan()
        self.asked = self.over = self.cured = None

    def begin(self):
        self.commands = self.controller.count()["commands"]
        self.start = time.monotonic()
        self.controller.fault(**self.fault)

    def step(self):
        """Notes what has come about; whether it is over."""
        if self.cured:
            return True
        now = time.monotonic() - self.start
        if self.agent.recovery_request.exists():
            self.take_board_step()
        count = self.controller.count()
        if self.asked is None and count["commands"] > self.commands:
            self.asked = now
        if self.over is None and not count["faulty"]:
            self.over = now
        # The agent, whose answer costs more, is asked last.
        if self.over is not None and count["scanning"] and self.agent.radio()["state"] == "on":
            self.cured = now
        return self.cured is not None

    def take_board_step(self):
        """As the recovery unit does: the controller loses its power, and the request goes."""
        self.controller.unplug()
        self.controller.mend()
        self.controller.plug()
        self.agent.recovery_request.unlink()

    def hold(self):
        """It was cured by this rung, in time."""
        lab, tried = self.lab, used(self.agent)
        lab.check(self.cured is not None, f"{self.rung}: it does not scan again: {self.agent.radio()}")
        # Each that comes before, and none behind it.
        lab.equal(tried, list(RUNGS[:RUNGS.index(self.rung) + 1]), f"{self.rung}: tried")
        # From the question that nobody answers; it fails a little later.
        lab.check(self.asked is not None, f"{self.rung}: nobody was asked")
        ladder = self.over - self.asked
        lab.check(ladder <= LADDER_SECONDS, f"{self.rung}: the ladder took {ladder:.1f} s")
        again = self.cured - self.over
        lab.check(again <= AGAIN_SECONDS, f"{self.rung}: it scanned again {again:.1f} s after the end of the fault")


def climb(lab, access, faults):
    """Every fault, by the rung that ends it; each is reached only when those before it did not help."""
    cases = [Case(lab, access, rung, fault) for rung, fault in faults.items()]
    for case in cases:
        case.begin()
    end = time.monotonic() + PATIENCE
    while not all([case.step() for case in cases]) and time.monotonic() < end:
        time.sleep(0.1)
    for case in cases:
        lab.figure(f"\n         {access} {case.rung}", f"asked {seconds(case.asked)} ended {seconds(case.over)} "
                   f"scans {seconds(case.cured)}, tried {' '.join(used(case.agent))}")
    for case in cases:
        case.hold()
    for case in cases:
        case.agent.end()
        case.controller.end()


def seconds(value):
    return "never" if value is None else f"{value:.1f} s"

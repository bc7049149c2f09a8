# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults that only a certain recovery action ends. All run at once: every case has its own adapter and agent."""

import time

ACTIONS = ("restartScan", "reset", "takeDownAndUp", "powerCycle", "boardStep")
# Half a minute of silence, and a minute of recovery.
PATIENCE = 120
# The longest time from the first failure to the end of the recovery, and from the end of a fault to the next scan.
RECOVERY_SECONDS, SCAN_SECONDS = 60, 3


def count(agent, action):
    """How many times the agent has taken a recovery action."""
    return sum(number for name, number in agent.metrics().items()
               if name.startswith("radio_recoveries_total{") and f'"{action}"' in name)


def used(agent):
    """The recovery actions that the agent has taken, in order."""
    return [action for action in ACTIONS if count(agent, action) > 0]


class Case:
    """An agent that scans an empty scene, and the fault that its controller will have."""

    def __init__(self, lab, access, action, fault):
        self.lab = lab
        self.action = action
        self.fault = fault
        self.controller = lab.controller(address=f"00:E0:4C:00:01:{ACTIONS.index(action):02X}")
        self.agent = lab.agent(radio=self.controller.name_of_adapter, access=access, board="lab")
        self.agent.await_state("on", 30)
        self.controller.await_scan()
        self.asked = self.over = self.cured = None

    def begin(self):
        self.commands = self.controller.count()["commands"]
        self.start = time.monotonic()
        self.controller.fault(**self.fault)

    def step(self):
        """Notes the progress, and returns whether the agent scans again."""
        if self.cured:
            return True
        now = time.monotonic() - self.start
        if self.agent.recovery_request.exists():
            self.carry_out_board_step()
        count = self.controller.count()
        if self.asked is None and count["commands"] > self.commands:
            self.asked = now
        if self.over is None and not count["faulty"]:
            self.over = now
        # The call to the agent, which costs more, comes last.
        if self.over is not None and count["scanning"] and self.agent.radio()["state"] == "on":
            self.cured = now
        return self.cured is not None

    def carry_out_board_step(self):
        """Does what the recovery unit does: cuts the controller's power, and removes the request."""
        self.controller.unplug()
        self.controller.clear_fault()
        self.controller.plug()
        self.agent.recovery_request.unlink()

    def check(self):
        """Checks that this action ended the fault, in time."""
        lab, tried = self.lab, used(self.agent)
        lab.check(self.cured is not None, f"{self.action}: it does not scan again: {self.agent.radio()}")
        # Each earlier action and none after it.
        lab.equal(tried, list(ACTIONS[:ACTIONS.index(self.action) + 1]), f"{self.action}: tried")
        # Recovery begins with the probe that the controller does not answer; it fails a little later.
        lab.check(self.asked is not None, f"{self.action}: no probe was sent")
        took = self.over - self.asked
        lab.check(took <= RECOVERY_SECONDS, f"{self.action}: the recovery took {took:.1f} s")
        again = self.cured - self.over
        lab.check(again <= SCAN_SECONDS, f"{self.action}: it scanned again {again:.1f} s after the end of the fault")


def check_all(lab, access, faults):
    """Checks every fault, by the action that ends it; an action is taken only when those before it did not help."""
    cases = [Case(lab, access, action, fault) for action, fault in faults.items()]
    for case in cases:
        case.begin()
    end = time.monotonic() + PATIENCE
    while not all([case.step() for case in cases]) and time.monotonic() < end:
        time.sleep(0.1)
    for case in cases:
        lab.figure(f"\n         {access} {case.action}", f"probed {seconds(case.asked)} ended {seconds(case.over)} "
                   f"scans {seconds(case.cured)}, tried {' '.join(used(case.agent))}")
    for case in cases:
        case.check()
    for case in cases:
        case.agent.end()
        case.controller.end()


def seconds(value):
    return "never" if value is None else f"{value:.1f} s"

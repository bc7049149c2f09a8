# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller answers with errors: a recovery action helps, or all fail in a minute and the next try scans. Where only
extended scanning is refused, the agent in exclusive access scans with legacy commands."""

import time

import recovery

PATIENCE = 400
# The commands that the controller refuses, from before the agent starts: Command Disallowed.
CASES = {"scan enable": {"opcode": "0x2042"}, "scan parameters": {"opcode": "0x2041"}, "every command": {}}
# Those of them that exclusive access goes around.
EXTENDED_CASES = ["scan enable", "scan parameters"]
# The agent is not notified of the end of such a fault. It notices at its next try, after the first wait that follows a
# failed recovery.
TRY_SECONDS = 30 + recovery.SCAN_SECONDS

# The number of the reset that ends the fault: that of the action "adapter down and up".
RESETS = {"exclusive": 3, "shared": 2}
HEALING = list(recovery.ACTIONS[1:3])


class Refusal:
    """An agent whose controller refuses commands until all recovery actions have failed."""

    def __init__(self, lab, access, index, name, values):
        self.name = name
        self.controller = lab.controller(address=f"00:E0:4C:00:02:{index:02X}")
        self.controller.fault("refusing", status="0x0c", **values)
        self.agent = lab.agent(radio=self.controller.name_of_adapter, access=access, board="lab")
        self.start = time.monotonic()
        self.over = self.cured = None

    def step(self):
        """Notes the progress, and returns whether the agent scans again."""
        now = time.monotonic() - self.start
        # As if the recovery unit had carried out its step without success.
        if self.agent.recovery_request.exists():
            self.agent.recovery_request.unlink()
        if self.over is None and self.agent.metrics()["radio_recoveries_failed_total"] >= 1:
            self.over = now
            self.sentence = self.agent.radio()["detail"]
            self.controller.clear_fault()
        elif self.over and not self.cured:
            if self.controller.count()["scanning"] and self.agent.radio()["state"] == "on":
                self.cured = now
        return self.cured is not None

    def check(self, lab):
        tried = recovery.used(self.agent)
        lab.check(self.over is not None, f"{self.name}: the recovery does not end: {self.agent.radio()}, tried {tried}")
        lab.check(self.over <= recovery.RECOVERY_SECONDS, f"{self.name}: the recovery took {self.over:.1f} s")
        is_named = "0x0c" in self.sentence or "Set Powered" in self.sentence
        lab.check(is_named, f"the sentence names the error: {self.sentence}")
        lab.equal(without_restart(tried), list(recovery.ACTIONS[1:]), f"{self.name}: tried")
        lab.check(self.cured is not None, f"{self.name}: it does not scan again: {self.agent.radio()}")
        again = self.cured - self.over
        lab.check(again <= TRY_SECONDS, f"{self.name}: it scanned again {again:.1f} s after the end of the fault")


def without_restart(tried):
    """The actions without restarting the scan, which is only tried when the agent was scanning."""
    return [action for action in tried if action != "restartScan"]


def refuse(lab, access):
    cases = [Refusal(lab, access, index, *case) for index, case in enumerate(CASES.items())
             if access == "shared" or case[0] not in EXTENDED_CASES]
    end = time.monotonic() + recovery.PATIENCE
    while not all([case.step() for case in cases]) and time.monotonic() < end:
        time.sleep(0.1)
    for case in cases:
        again = case.cured and case.over and case.cured - case.over
        lab.figure(f"\n         {access} {case.name}", f"recovery failed after {recovery.seconds(case.over)}, scans at "
                   f"the next try, {recovery.seconds(again)} later; tried {' '.join(recovery.used(case.agent))}")
    for case in cases:
        case.check(lab)
    for case in cases:
        case.agent.end()
        case.controller.end()


def heal(lab, access, resets):
    """Checks a controller that refuses every command until a reset, which a recovery action sends."""
    controller = lab.controller(address="00:E0:4C:00:02:F0")
    controller.fault("refusing", status="0x0c", resets=resets)
    agent = lab.agent(radio=controller.name_of_adapter, access=access, board="lab")
    start = time.monotonic()
    lab.until(lambda: not controller.count()["faulty"], "a recovery action ends the fault", recovery.RECOVERY_SECONDS)
    agent.await_state("on", recovery.SCAN_SECONDS)
    controller.await_scan(seconds=recovery.SCAN_SECONDS)
    tried = recovery.used(agent)
    took = recovery.seconds(time.monotonic() - start)
    lab.figure(f"\n         {access} cured", f"scans {took}; tried {' '.join(tried)}")
    lab.equal(without_restart(tried), HEALING, "tried")
    lab.equal(agent.metrics()["radio_recoveries_failed_total"], 0, "failed recoveries")
    agent.end()
    controller.end()


def go_around(lab, name, address):
    """Checks a controller that offers extended scanning and refuses it until it is reset without the fault."""
    controller = lab.controller(address=address)
    controller.fault("refusing", status="0x0c", **CASES[name])
    agent = lab.agent(radio=controller.name_of_adapter, access="exclusive", board="lab")
    radio = agent.await_state("on", recovery.SCAN_SECONDS)
    controller.await_scan(seconds=recovery.SCAN_SECONDS)
    lab.check("legacy" in radio["detail"], f"{name}: it scans with legacy commands: {radio['detail']}")
    problem, = agent.status()["problems"]
    lab.equal(problem["kind"], "extendedScanRefused", f"{name}: the problem")
    lab.check(CASES[name]["opcode"] in problem["sentence"] and "known-limits" in problem["sentence"], problem["sentence"])
    lab.equal(recovery.used(agent), [], f"{name}: tried")
    controller.clear_fault()
    controller.hardware_error()
    # The words that refuse extended scanning name it too.
    lab.until(lambda: "legacy" not in (radio := agent.radio())["detail"] and radio["state"] == "on",
              "extended scanning is tried again after a reset", recovery.RECOVERY_SECONDS)
    lab.equal(agent.status()["problems"], [], f"{name}: problems after the reset")
    agent.end()
    controller.end()


def scenario(lab):
    for index, name in enumerate(EXTENDED_CASES):
        go_around(lab, name, f"00:E0:4C:00:02:E{index}")
    for access, resets in RESETS.items():
        heal(lab, access, resets)
        refuse(lab, access)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller answers with errors: a rung cures, or the ladder ends in a minute and the next try scans."""

import time

import ladder

PATIENCE = 400
# What it refuses from before the agent comes: Command Disallowed.
CASES = {"scan enable": {"opcode": "0x2042"}, "scan parameters": {"opcode": "0x2041"}, "every command": {}}
# Nothing tells of the end of such a cause: the next try does, the first wait behind the ladder later.
TRY_SECONDS = 30 + ladder.AGAIN_SECONDS

# The reset of that number cures: that of the rung "adapter down and up".
RESETS = {"exclusive": 3, "shared": 2}
HEALING = list(ladder.RUNGS[1:3])


class Refusal:
    """An agent whose controller refuses until no rung has helped."""

    def __init__(self, lab, access, place, name, values):
        self.name = name
        self.controller = lab.controller(address=f"00:E0:4C:00:02:{place:02X}")
        self.controller.fault("refusing", status="0x0c", **values)
        self.agent = lab.agent(radio=self.controller.name_of_adapter, access=access, board="lab")
        self.begin = time.monotonic()
        self.over = self.cured = None

    def step(self):
        """Notes what has come about; whether it is over."""
        now = time.monotonic() - self.begin
        # The recovery unit has been there, and has not helped.
        if self.agent.recovery_request.exists():
            self.agent.recovery_request.unlink()
        if self.over is None and self.agent.metrics()["radio_ladders_lost_total"] >= 1:
            self.over = now
            self.sentence = self.agent.radio()["detail"]
            self.controller.mend()
        elif self.over and not self.cured:
            if self.controller.count()["scanning"] and self.agent.radio()["state"] == "on":
                self.cured = now
        return self.cured is not None

    def hold(self, lab):
        tried = ladder.used(self.agent)
        lab.check(self.over is not None, f"{self.name}: the ladder does not end: {self.agent.radio()}, tried {tried}")
        lab.check(self.over <= ladder.LADDER_SECONDS, f"{self.name}: the ladder took {self.over:.1f} s")
        lab.check("0x0c" in self.sentence or "Set Powered" in self.sentence, f"it says what is wrong: {self.sentence}")
        lab.equal(behind_restart(tried), list(ladder.RUNGS[1:]), f"{self.name}: tried")
        lab.check(self.cured is not None, f"{self.name}: it does not scan again: {self.agent.radio()}")
        again = self.cured - self.over
        lab.check(again <= TRY_SECONDS, f"{self.name}: it scanned again {again:.1f} s after the end of the fault")


def behind_restart(tried):
    """Where there was no scan there is none to be begun anew."""
    return [rung for rung in tried if rung != "restartScan"]


def refuse(lab, access):
    cases = [Refusal(lab, access, place, *case) for place, case in enumerate(CASES.items())]
    end = time.monotonic() + ladder.PATIENCE
    while not all([case.step() for case in cases]) and time.monotonic() < end:
        time.sleep(0.1)
    for case in cases:
        again = case.cured and case.over and case.cured - case.over
        lab.figure(f"\n         {access} {case.name}", f"ladder {ladder.seconds(case.over)}, scans at the next try, "
                   f"{ladder.seconds(again)} behind it; tried {' '.join(ladder.used(case.agent))}")
    for case in cases:
        case.hold(lab)
    for case in cases:
        case.agent.end()
        case.controller.end()


def heal(lab, access, resets):
    """Every command is refused until a reset, which a rung brings about."""
    controller = lab.controller(address="00:E0:4C:00:02:F0")
    controller.fault("refusing", status="0x0c", resets=resets)
    agent = lab.agent(radio=controller.name_of_adapter, access=access, board="lab")
    start = time.monotonic()
    lab.until(lambda: not controller.count()["faulty"], "a rung cures it", ladder.LADDER_SECONDS)
    agent.await_state("on", ladder.AGAIN_SECONDS)
    controller.await_scan(seconds=ladder.AGAIN_SECONDS)
    tried = ladder.used(agent)
    lab.figure(f"\n         {access} cured", f"scans {ladder.seconds(time.monotonic() - start)}; tried {' '.join(tried)}")
    lab.equal(behind_restart(tried), HEALING, "tried")
    lab.equal(agent.metrics()["radio_ladders_lost_total"], 0, "ladders lost")
    agent.end()
    controller.end()


def scenario(lab):
    for access, resets in RESETS.items():
        heal(lab, access, resets)
        refuse(lab, access)

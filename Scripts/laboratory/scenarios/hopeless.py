# SPDX-License-Identifier: GPL-3.0-or-later
"""A controller that nothing cures: ladder after ladder is lost, then a person is asked for, whose replugging helps."""

import time

import feats
from ladder import AGAIN_SECONDS

# By the guest's clock; nearly all of it is waiting, which the machine skips.
PATIENCE = 3600
LADDERS = 6


def problems(agent):
    return {problem["kind"]: problem["sentence"] for problem in agent.status().get("problems", [])}


def scenario(lab):
    controller = lab.controller()
    agent = feats.scanning(lab, controller, "shared", board="lab")
    controller.fault("silent")
    start = time.monotonic()

    def is_asked():
        # The recovery unit has been there, and has not helped.
        agent.recovery_request.unlink(missing_ok=True)
        return problems(agent).get("radioNeedsAPerson")

    sentence = lab.until(is_asked, "a person is asked for", PATIENCE - 600, 5)
    lab.figure("a person is asked for after s", round(time.monotonic() - start))
    lost = agent.metrics()["radio_ladders_lost_total"]
    lab.figure("ladders lost", int(lost))
    lab.check(lost == LADDERS and "unplug it" in sentence, f"after {lost:.0f} ladders: {sentence}")
    controller.unplug()
    agent.await_state("absent")
    controller.mend()
    controller.plug()
    start = time.monotonic()
    agent.await_state("on")
    controller.await_scan()
    took = time.monotonic() - start
    lab.figure("replugged, scans after s", took)
    lab.check(took <= AGAIN_SECONDS, f"it took {took:.1f} s to scan again")
    count, read, dropped = feats.carry_load(lab, controller, agent, 200, 2)
    feats.hold_exact(lab, count, read, dropped)
    feats.forget(lab, "", keep=("after", "lost"))
    lab.check("radioNeedsAPerson" not in problems(agent), "nobody is asked for any more")

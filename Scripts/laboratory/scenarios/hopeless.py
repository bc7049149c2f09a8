# SPDX-License-Identifier: GPL-3.0-or-later
"""A controller that no action recovers: after six failed recoveries the agent asks for a person, who replugs it."""

import time

import steps
from recovery import SCAN_SECONDS

# In the guest's time; nearly all of it is waiting, which the machine skips.
PATIENCE = 3600
FAILED_RECOVERIES = 6


def problems(agent):
    return {problem["kind"]: problem["sentence"] for problem in agent.status().get("problems", [])}


def scenario(lab):
    controller = lab.controller()
    agent = steps.start_scanning(lab, controller, "shared", board="lab")
    controller.fault("silent")
    start = time.monotonic()

    def is_asked():
        # As if the recovery unit had carried out its step without success.
        agent.recovery_request.unlink(missing_ok=True)
        return problems(agent).get("radioNeedsAPerson")

    sentence = lab.until(is_asked, "the agent asks for a person", PATIENCE - 600, 5)
    lab.figure("asked for a person after s", round(time.monotonic() - start))
    lost = agent.metrics()["radio_recoveries_failed_total"]
    lab.figure("failed recoveries", int(lost))
    lab.check(lost == FAILED_RECOVERIES and "unplug it" in sentence, f"after {lost:.0f} failed recoveries: {sentence}")
    controller.unplug()
    agent.await_state("absent")
    controller.clear_fault()
    controller.plug()
    start = time.monotonic()
    agent.await_state("on")
    controller.await_scan()
    took = time.monotonic() - start
    lab.figure("replugged, scans after s", took)
    lab.check(took <= SCAN_SECONDS, f"it took {took:.1f} s to scan again")
    count, read, dropped = steps.send_load(lab, controller, agent, 200, 2)
    steps.check_counts(lab, count, read, dropped)
    steps.drop_figures(lab, "", keep=("after", "failed"))
    lab.check("radioNeedsAPerson" not in problems(agent), "the agent still asks for a person")

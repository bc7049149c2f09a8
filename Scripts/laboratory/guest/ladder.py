# SPDX-License-Identifier: GPL-3.0-or-later
"""A fault, and the remedy that ends it."""

import time

RUNGS = ("restartScan", "reset", "takeDownAndUp", "powerCycle", "boardStep")


def tries(agent):
    """How often each rung was tried."""
    metrics = agent.metrics()
    return {rung: int(metrics.get(f'radio_recoveries_total{{rung="{rung}"}}', 0)) for rung in RUNGS}


def cured(lab, agent, controller, rung, begin, seconds=90):
    """Begins a fault; waits until it is over, and the agent scans; the rung was reached."""
    before = tries(agent)
    begin()
    start = time.monotonic()
    lab.until(lambda: tries(agent) != before, "a remedy is tried", 45, 0.1)
    noticed = time.monotonic() - start
    lab.until(lambda: not controller.count()["faulty"], f"the fault is over: {controller.count()}", seconds)
    over = time.monotonic()
    agent.await_state("on", 30)
    controller.await_scan()
    after = tries(agent)
    lab.figure(f"{rung} noticed s", round(noticed, 1))
    lab.figure(f"{rung} scans after s", round(time.monotonic() - over, 1))
    used = "+".join(name for name in RUNGS if after[name] > before[name])
    lab.figure(f"{rung} used", used)
    lab.check(after[rung] > before[rung], f"{rung} was reached: {used}")
    lab.check(time.monotonic() - over <= 3 + 0.5, "it scans within 3 s of the end of the cause")

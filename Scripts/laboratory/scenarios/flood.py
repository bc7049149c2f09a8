# SPDX-License-Identifier: GPL-3.0-or-later
"""Events as fast as possible, in both access modes, also while the agent is stopped: read + dropped = written."""

import signal
import time

import steps

PATIENCE = 240
# Several times as many as a receive buffer for one second at 5,000 events a second holds.
EVENTS = 60_000


def scenario(lab):
    for access in ("exclusive", "shared"):
        controller = lab.controller()
        agent = steps.start_scanning(lab, controller, access)
        flood(lab, controller, agent, f"{access}, running")
        # On one processor the writer waits for a reader that runs: nothing is dropped.
        dropped = flood(lab, controller, agent, f"{access}, stopped", is_stopped=True)
        lab.check(dropped > 0, "the kernel dropped nothing")
        lab.equal(agent.radio()["state"], "on", "the radio after the flood")
        lab.figure(f"{access} RSS kB", agent.usage().resident)
        agent.end()
        controller.end()


def flood(lab, controller, agent, label, is_stopped=False):
    """Sends a flood, and returns how many events were dropped, as the agent counts them."""
    before, metrics = controller.count(), agent.metrics()
    if is_stopped:
        agent.process.send_signal(signal.SIGSTOP)
    start = time.monotonic()
    controller.flood(EVENTS)
    count = steps.difference(controller.await_load(120), before, "events")
    took = time.monotonic() - start
    agent.process.send_signal(signal.SIGCONT)
    read = steps.count_read(lab, agent, metrics)
    dropped = int(agent.metrics()["receive_drops_total"] - metrics["receive_drops_total"])
    lab.figure(f"\n         {label}",
               f"events/s {count / took:,.0f}, written {count:,}, read {read:,}, dropped {dropped:,}")
    steps.check_counts(lab, count, read, dropped, most=count)
    return dropped

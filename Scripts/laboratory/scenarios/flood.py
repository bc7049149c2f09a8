# SPDX-License-Identifier: GPL-3.0-or-later
"""As fast as it goes, in both manners, also while the agent is stopped: read + dropped = written, exactly."""

import signal
import time

import feats

PATIENCE = 240
# Several times what the scene of a second at 5,000 a second holds.
EVENTS = 60_000


def scenario(lab):
    for access in ("exclusive", "shared"):
        controller = lab.controller()
        agent = feats.scanning(lab, controller, access)
        flood(lab, controller, agent, f"{access}, running")
        # On one processor the writer waits for a reader that runs: nothing is dropped.
        dropped = flood(lab, controller, agent, f"{access}, stopped", is_stopped=True)
        lab.check(dropped > 0, "the kernel dropped nothing")
        lab.equal(agent.radio()["state"], "on", "the radio behind it")
        lab.figure(f"{access} RSS kB", agent.usage().resident)
        agent.end()
        controller.end()


def flood(lab, controller, agent, label, is_stopped=False):
    """How many of it were dropped, as the agent says."""
    before, metrics = controller.count(), agent.metrics()
    if is_stopped:
        agent.process.send_signal(signal.SIGSTOP)
    start = time.monotonic()
    controller.flood(EVENTS)
    count = feats.difference(controller.await_load(120), before, "events")
    took = time.monotonic() - start
    agent.process.send_signal(signal.SIGCONT)
    read = feats.settled(lab, agent, metrics)
    dropped = int(agent.metrics()["receive_drops_total"] - metrics["receive_drops_total"])
    lab.figure(f"\n         {label}",
               f"events/s {count / took:,.0f}, written {count:,}, read {read:,}, dropped {dropped:,}")
    feats.hold_exact(lab, count, read, dropped, most=count)
    return dropped

# SPDX-License-Identifier: GPL-3.0-or-later
"""As fast as it goes, in both manners: what was read and what the kernel dropped is what was written, exactly."""

import time

import feats

PATIENCE = 240
EVENTS = 100_000


def scenario(lab):
    for access in ("exclusive", "shared"):
        controller = lab.controller()
        agent = feats.scanning(lab, controller, access)
        before, metrics = controller.count(), agent.metrics()
        start = time.monotonic()
        controller.flood(EVENTS)
        written = controller.await_load(120)
        took = time.monotonic() - start
        read = feats.settled(lab, agent, metrics)
        dropped = int(agent.metrics()["receive_drops_total"] - metrics["receive_drops_total"])
        count = feats.difference(written, before, "events")
        lab.figure(f"{access} events/s", round(count / took))
        lab.figure(f"{access} read", read)
        lab.figure(f"{access} dropped", dropped)
        lab.figure(f"{access} RSS kB", agent.usage().resident)
        feats.hold_exact(lab, count, read, dropped, most=count)
        agent.end()
        controller.end()

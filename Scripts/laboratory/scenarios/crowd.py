# SPDX-License-Identifier: GPL-3.0-or-later
"""Three hundred devices for a minute: all are seen, those that are looked for are found, none is lost."""

import time

import feats
import rooms

PATIENCE = 240
DEVICES, TARGETS, SECONDS = 300, 20, 60


def scenario(lab):
    controller = lab.controller(rooms.crowd(DEVICES, TARGETS))
    agent = feats.scanning(lab, controller, "exclusive")
    before, metrics, usage = controller.count(), agent.metrics(), agent.usage()
    time.sleep(SECONDS)
    after, now, written = agent.usage(), agent.metrics(), controller.count()
    events = feats.difference(written, before, "events")
    lab.figure("events", events)
    lab.figure("reports", feats.difference(written, before, "reports"))
    lab.figure("CPU %", round((after.seconds - usage.seconds) * 100 / SECONDS, 2))
    lab.figure("waits/s", round((after.switches - usage.switches) / SECONDS, 1))
    lab.figure("RSS kB", after.resident)
    lab.equal(now["devices"], DEVICES, "devices")
    lab.equal(now['events_total{event="found"}'], TARGETS, "found")
    lab.equal(now['events_total{event="lost"}'], 0, "lost")
    lab.equal(now["receive_drops_total"], metrics["receive_drops_total"], "dropped")

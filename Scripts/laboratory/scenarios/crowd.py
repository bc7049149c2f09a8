# SPDX-License-Identifier: GPL-3.0-or-later
"""Three hundred devices for a minute: all are seen, those that match an item are found, every report is read."""

import time

import steps
import scenes

PATIENCE = 240
DEVICES, TARGETS = 300, 20
SECONDS = {"exclusive": 60, "shared": 15}


def scenario(lab):
    for access, seconds in SECONDS.items():
        controller = lab.controller(scenes.crowd(DEVICES, TARGETS))
        agent = steps.start_scanning(lab, controller, access)
        usage = agent.usage()
        time.sleep(seconds)
        after = agent.usage()
        # From now on no event is written, so that the agent can read the remaining ones.
        controller.fault("deaf")
        read, written = steps.count_read(lab, agent), controller.count()
        now = agent.metrics()
        label = f"\n         {access}:"
        lab.figure(f"{label} events", written["events"])
        lab.figure(f"{access} reports", written["reports"])
        lab.figure(f"{access} CPU %", round((after.seconds - usage.seconds) * 100 / seconds, 2))
        lab.figure(f"{access} waits/s", round((after.switches - usage.switches) / seconds, 1))
        lab.figure(f"{access} RSS kB", after.resident)
        lab.equal(now["devices"], DEVICES, "devices")
        lab.equal(now['events_total{event="found"}'], TARGETS, "found")
        lab.equal(now['events_total{event="lost"}'], 0, "lost")
        steps.check_counts(lab, written["reports"], read, int(now["receive_drops_total"]))
        agent.end()
        controller.end()

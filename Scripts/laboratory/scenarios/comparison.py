# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent, and bluetoothd with a client, under the same load: 500 reports a second for 30 s from 300 devices."""

import time

import steps
import rivals

PATIENCE = 400
RATE, SECONDS, PARTS = 500, 30, 3
# The first events cost more, for rows of devices and the emulator's translation of the code; they do not count.
WARM_SECONDS = 5
# Time for the last events to arrive.
SETTLE_SECONDS = 3
# In exclusive mode the agent uses at most a twentieth of the processor time of bluetoothd and a client.
LEAST_RATIO = 20


def carry(controller, usages):
    """Sends the load in parts, and returns how many events were written, and the least seconds per event in any part.

    With the processor's own virtualisation, other work of the host counts as the guest's time, so that the part with
    the least time is the most exact.
    """
    total, least = 0, None
    for _ in range(PARTS):
        before, start = controller.count(), sum(usage.seconds for usage in usages())
        controller.load(RATE, SECONDS // PARTS)
        written = controller.await_load(120)
        time.sleep(SETTLE_SECONDS)
        events = steps.difference(written, before, "events")
        cost = (sum(usage.seconds for usage in usages()) - start) / events
        total, least = total + events, cost if least is None else min(least, cost)
    return total, least


def warm(controller):
    controller.load(RATE, WARM_SECONDS)
    controller.await_load(60)
    time.sleep(SETTLE_SECONDS)


def agent(lab, access):
    controller = lab.controller()
    program = steps.start_scanning(lab, controller, access)
    warm(controller)
    metrics = program.metrics()
    written, cost = carry(controller, lambda: [program.usage()])
    note(lab, access, written, steps.count_read(lab, program, metrics), cost, [program.usage()])
    program.end()
    controller.end()


def rival(lab, kind):
    controller = lab.controller()
    others = rivals.Rival(lab, controller, kind)
    warm(controller)
    early = others.heard()
    written, cost = carry(controller, others.usages)
    usages = others.usages()
    note(lab, kind, written, others.reports() - early, cost, usages)
    others.end()
    controller.end()


def note(lab, kind, written, read, cost, usages):
    lab.figure(f"\n         {kind}: s per million", round(cost * 1e6, 1))
    lab.figure(f"{kind}: arrived %", round(100 * read / written, 1))
    lab.figure(f"{kind}: RSS MB", " + ".join(f"{usage.resident / 1024:.1f}" for usage in usages))
    lab.costs = getattr(lab, "costs", {}) | {kind: cost}


def scenario(lab):
    for access in ("exclusive", "shared"):
        agent(lab, access)
    for kind in rivals.CLIENTS:
        rival(lab, kind)
    for access in ("exclusive", "shared"):
        for kind in rivals.CLIENTS:
            ratio = round(lab.costs[kind] / lab.costs[access])
            lab.figure(f"\n         {access} takes 1 / … of bluetoothd with {kind}", ratio)
    ratio = lab.costs["C client"] / lab.costs["exclusive"]
    lab.check(ratio >= LEAST_RATIO, f"exclusive costs a {ratio:.0f}th of bluetoothd with a C client")

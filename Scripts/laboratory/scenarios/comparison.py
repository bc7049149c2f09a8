# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent, and bluetoothd with a client, under the same load: 500 reports a second for 30 s from 300 devices."""

import time

import feats
import rivals

PATIENCE = 400
RATE, SECONDS = 500, 30
# In exclusive mode the agent takes at most a twentieth of what bluetoothd and a client take.
LEAST_RATIO = 20


def agent(lab, access):
    controller = lab.controller()
    program = feats.scanning(lab, controller, access)
    before, metrics, usage = controller.count(), program.metrics(), program.usage()
    controller.load(RATE, SECONDS)
    written = controller.await_load(120)
    read, after = feats.settled(lab, program, metrics), program.usage()
    note(lab, access, feats.difference(written, before, "events"), read, after.seconds - usage.seconds, [after])
    program.end()
    controller.end()


def rival(lab, kind):
    controller = lab.controller()
    others = rivals.Rival(lab, controller, kind)
    before, usages = controller.count(), others.usages()
    controller.load(RATE, SECONDS)
    written = controller.await_load(120)
    # Time to tell what is still under way.
    time.sleep(3)
    afters = others.usages()
    seconds = sum(after.seconds - usage.seconds for after, usage in zip(afters, usages))
    note(lab, kind, feats.difference(written, before, "events"), others.reports(), seconds, afters)
    others.end()
    controller.end()


def note(lab, kind, written, read, seconds, usages):
    lab.figure(f"\n         {kind}: s per million", round(seconds * 1e6 / written, 1))
    lab.figure(f"{kind}: arrived %", round(100 * read / written, 1))
    lab.figure(f"{kind}: RSS MB", " + ".join(f"{usage.resident / 1024:.1f}" for usage in usages))
    lab.costs = getattr(lab, "costs", {}) | {kind: seconds / written}


def scenario(lab):
    for access in ("exclusive", "shared"):
        agent(lab, access)
    for kind in rivals.CLIENTS:
        rival(lab, kind)
    for access in ("exclusive", "shared"):
        for kind in rivals.CLIENTS:
            lab.figure(f"\n         {access} takes 1 / … of bluetoothd with {kind}", round(lab.costs[kind] / lab.costs[access]))
    ratio = lab.costs["C client"] / lab.costs["exclusive"]
    lab.check(ratio >= LEAST_RATIO, f"exclusive costs a {ratio:.0f}th of bluetoothd with a C client")

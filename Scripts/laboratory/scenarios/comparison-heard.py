# SPDX-License-Identifier: GPL-3.0-or-later
"""How much of what is on the air the agent, for ten minutes, and bluetoothd with a client, for a minute, receive."""

import time

import costs
import steps

WHEN = "release"
PATIENCE = 1900
# 20 devices that send once a second.
RATE, ADDRESSES, SECONDS = 20, 20, 600
# The others cost the processor much more, and nothing is promised of them.
RIVAL_SECONDS = 60
# The least that the agent receives, in percent. In shared mode the kernel may change its scan.
LEAST = {"exclusive": 100, "shared": 99}


def scenario(lab):
    for kind in ("exclusive", "shared", "C client", "bleak"):
        controller = lab.controller()
        program = costs.start(lab, controller, kind)
        early, before = program.heard(), controller.count()
        seconds = SECONDS if kind in LEAST else RIVAL_SECONDS
        controller.load(RATE, seconds, addresses=ADDRESSES)
        time.sleep(seconds)
        controller.await_load(60)
        time.sleep(costs.SETTLE_SECONDS)
        after = controller.count()
        delivered, withheld = (steps.difference(after, before, name) for name in ("events", "withheld"))
        # The controller withholds what falls due while no program has it scan: it was on the air, too.
        lab.equal(delivered + withheld, RATE * seconds, "events delivered and withheld")
        share = 100 * (program.heard() - early) / (delivered + withheld)
        lab.figure(f"\n         {kind}: on the air", delivered + withheld)
        lab.figure(f"{kind}: while no program scanned", withheld)
        lab.figure(f"{kind}: heard %", f"{share:.2f}")
        lab.check(share >= LEAST.get(kind, 0), f"{kind} heard {share:.2f} %")
        program.end()
        controller.end()

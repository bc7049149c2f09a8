# SPDX-License-Identifier: GPL-3.0-or-later
"""The adapter is pulled out and put back twenty times: it scans again in 3 s each time, and nothing leaks."""

import time

import steps

PATIENCE = 400
ROUNDS = 20


def scenario(lab):
    for access in ("exclusive", "shared"):
        controller = lab.controller()
        # The adapter's index may be in use when it comes back, so that the agent uses any adapter.
        agent = lab.agent(radio="any", access=access)
        agent.await_state("on", 30)
        longest, first = 0, None
        for turn in range(ROUNDS):
            controller.unplug()
            agent.await_state("absent")
            controller.plug()
            start = time.monotonic()
            agent.await_state("on")
            controller.await_scan()
            longest = max(longest, time.monotonic() - start)
            # After the first rounds, everything that is allocated once has been allocated.
            if turn == 4:
                first = agent.usage()
        last = agent.usage()
        lab.figure(f"{access} longest s", longest)
        lab.figure(f"{access} descriptors", last.descriptors)
        lab.figure(f"{access} growth kB", last.anonymous - first.anonymous)
        lab.equal(last.descriptors, first.descriptors, "descriptors")
        lab.equal(last.threads, first.threads, "threads")
        lab.check(last.anonymous - first.anonymous <= 128, f"memory grew by {last.anonymous - first.anonymous} kB")
        lab.check(longest <= 3, f"it took {longest:.1f} s to scan again")
        agent.end()
        controller.end()

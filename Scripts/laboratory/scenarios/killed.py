# SPDX-License-Identifier: GPL-3.0-or-later
"""SIGKILL while it scans: started again, it scans, in both access modes, and no monitor of the old run is left.

An adapter that was up before the first run is up again after the last one."""

import time

import steps
import hci

KILLS = 3


def scenario(lab):
    for access in ("exclusive", "shared"):
        controller = lab.controller()
        index = controller.index
        lab.equal(hci.Mgmt().power(index), 0, "the status of powering the adapter")
        flags = hci.flags(index)
        agent = steps.start_scanning(lab, controller, access)
        longest = 0
        others = add_monitor(lab, controller) if access == "shared" else []
        for _ in range(KILLS):
            agent.kill()
            start = time.monotonic()
            agent.start_again()
            agent.await_state("on", 30)
            controller.await_scan()
            longest = max(longest, time.monotonic() - start)
        lab.figure(f"{access} scans after s", longest)
        count, read, dropped = steps.send_load(lab, controller, agent, 200, 2, label=f"{access} ")
        steps.check_counts(lab, count, read, dropped)
        steps.drop_figures(lab, access, keep="after")
        if access == "shared":
            left = hci.Mgmt().monitors(controller.index)
            lab.figure("monitors", len(left))
            lab.check(len(left) == 2 and set(others) < set(left), f"one monitor of the agent and {others}, not {left}")
        lab.equal(agent.end(), 0, "the agent's exit status")
        lab.until(lambda: hci.flags(index) == flags, f"the flags are as before: {flags:#x}", 5)
        if access == "shared":
            lab.equal(hci.Mgmt().monitors(controller.index), others, "the monitors afterwards")
        controller.end()


def add_monitor(lab, controller):
    """Adds a monitor that is not the agent's: one pattern without bytes. Returns the new handles."""
    mgmt = hci.Mgmt()
    before = mgmt.monitors(controller.index)
    status, _ = mgmt.call(hci.Mgmt.ADD_MONITOR, controller.index, bytes([1, 0x01, 0, 0]) + bytes(31))
    lab.equal(status, 0, "the status of adding a monitor")
    return [handle for handle in mgmt.monitors(controller.index) if handle not in before]

# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared: bluetoothd switches the adapter off as it ends; the agent switches it on, but not with power = "keep"."""

import time

import steps
import hci

# Longer than the agent waits for another bluetoothd.
OFF_SECONDS = 10


def scenario(lab):
    for power in ("on", "keep"):
        controller = lab.controller()
        index = controller.index
        daemon = lab.bluetoothd()
        lab.until(lambda: hci.is_up(index), "bluetoothd powers the adapter", 10)
        agent = steps.start_scanning(lab, controller, "shared", more=f'power = "{power}"')
        daemon.end()
        start = time.monotonic()
        if power == "on":
            lab.until(lambda: "bluetoothd switched the adapter off" in agent.log_text(), "the agent says so", 5)
            steps.scan_again(lab, controller, agent, start, 5)
            steps.drop_figures(lab, "", keep=("after",))
        else:
            lab.until(lambda: not hci.is_up(index), "bluetoothd switches the adapter off", 5)
            time.sleep(OFF_SECONDS)
            lab.equal((agent.radio()["state"], hci.is_up(index)), ("absent", False), "it stays off")
        lab.equal(agent.end(), 0, "the agent's exit status")
        controller.end()

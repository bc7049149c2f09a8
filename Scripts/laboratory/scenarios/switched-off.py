# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared: who switches the adapter off by bluetoothctl is obeyed, and it scans within 3 s of being switched on again."""

import subprocess
import time

import feats
import hci
from errors import Failure

# Longer than the agent waits between tries.
OFF_SECONDS = 60


def scenario(lab):
    controller = lab.controller()
    index = controller.index
    lab.bluetoothd()
    agent = feats.scanning(lab, controller, "shared")
    power("off")
    lab.until(lambda: "bluetoothctl power on" in agent.radio()["detail"], "the agent says who can end it", 5)
    lab.check(not hci.is_up(index), "it is off")
    commands = controller.count()["commands"]
    time.sleep(OFF_SECONDS)
    radio = agent.radio()
    lab.equal((radio["state"], hci.is_up(index)), ("absent", False), "it stays off")
    lab.equal(controller.count()["commands"], commands, "commands meanwhile")
    lab.figure("stays off s", OFF_SECONDS)
    start = time.monotonic()
    power("on")
    agent.await_state("on")
    controller.await_scan()
    took = time.monotonic() - start
    lab.figure("on again, scans after s", took)
    lab.check(took <= 3, f"it took {took:.1f} s to scan again")
    count, read, dropped = feats.carry_load(lab, controller, agent, 200, 2)
    feats.hold_exact(lab, count, read, dropped)
    feats.forget(lab, "", keep=("off", "after"))
    lab.equal(controller.count()["unknownCommands"], 0, "commands of the kernel that the controller does not know")


def power(word):
    done = subprocess.run(["bluetoothctl", "power", word], capture_output=True, text=True, timeout=20)
    if "succeeded" not in done.stdout:
        raise Failure(f"bluetoothctl power {word}: {done.stdout}{done.stderr}")

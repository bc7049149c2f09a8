# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared: an adapter that bluetoothctl powers off stays off; powered on again, the agent scans within 3 s."""

import subprocess
import time

import steps
import hci
from errors import ScenarioError

# Longer than the agent waits between tries.
OFF_SECONDS = 60


def scenario(lab):
    controller = lab.controller()
    index = controller.index
    lab.bluetoothd()
    agent = steps.start_scanning(lab, controller, "shared")
    power("off")
    lab.until(
        lambda: "bluetoothctl power on" in agent.radio()["detail"], "the agent names the command that powers it on", 5)
    lab.check(not hci.is_up(index), "it is off")
    commands = controller.count()["commands"]
    time.sleep(OFF_SECONDS)
    radio = agent.radio()
    lab.equal((radio["state"], hci.is_up(index)), ("absent", False), "it stays off")
    lab.equal(controller.count()["commands"], commands, "commands meanwhile")
    lab.figure("stays off s", OFF_SECONDS)
    start = time.monotonic()
    power("on")
    steps.scan_again(lab, controller, agent, start, 3)
    steps.drop_figures(lab, "", keep=("off", "after"))
    lab.equal(controller.count()["unknownCommands"], 0, "commands of the kernel that the controller does not know")


def power(word):
    done = subprocess.run(["bluetoothctl", "power", word], capture_output=True, text=True, timeout=20)
    if "succeeded" not in done.stdout:
        raise ScenarioError(f"bluetoothctl power {word}: {done.stdout}{done.stderr}")

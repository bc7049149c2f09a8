# SPDX-License-Identifier: GPL-3.0-or-later
"""The first hour of Board/README.md: the package is installed, and the dialogue of setup leads to an accessory in the list."""

import os
import pathlib
import pty
import select
import shutil
import time

from errors import ScenarioError
import networks
from system import UnitAgent

PATIENCE = 400
# A gateway's owner has ten minutes.
SECONDS_MAX = 600
BULB = "C4:A1:00:00:2F:14"
# What the dialogue asks, and the answers.
DIALOGUE = [
    ("Which Bluetooth adapter does the agent use?", ""),
    ("Which board or adapter is it?", ""),
    ("beside root?", "climate"),
    ("Which app gets the accessory?", "bulbs"),
    ("Which account does the app run as?", ""),
    ("Do you use Home Assistant?", ""),
    ("Which interface looks for accessories that are networks?", "wlan7"),
    (f"the wireless ones are: {networks.INTERFACE}", networks.INTERFACE),
    ("Go on? [y/N]", "y"),
    ("Which device or network is the first accessory?", BULB),
    ("Go on? [y/N]", "y"),
]


def talk(lab, system, command):
    """Runs a command of the gateway on a terminal, answers its questions, and returns what it printed."""
    process, terminal = pty.fork()
    if process == 0:
        words = system.inside("env", "TERM=linux", *command)
        os.execvp(words[0], words)
    said, answered, questions = "", 0, list(DIALOGUE)
    # Before the scenario's own time is over, to say where setup waits.
    end = time.monotonic() + PATIENCE * 3 / 4
    while True:
        if not select.select([terminal], [], [], max(0, end - time.monotonic()))[0]:
            raise ScenarioError(f"setup does not end; it said {said[-800:]!r}")
        try:
            received = os.read(terminal, 4096)
        except OSError:
            received = b""
        if not received:
            break
        said += received.decode(errors="replace")
        # The cursor waits after "> " or the question itself.
        if questions and questions[0][0] in said[answered:] and said.rstrip(" ").endswith((">", "[y/N]")):
            os.write(terminal, questions.pop(0)[1].encode() + b"\n")
            answered = len(said)
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    lab.equal((status, questions), (0, []), f"setup's status, and the questions that it did not ask, after {said[-1500:]!r}")
    return said


def install(lab, system):
    """Installs the package with the command of Board/README.md."""
    package = next(pathlib.Path("/lab").glob("accessory-gateway_*.deb"))
    shutil.copy(package, system.root / "root")
    lab.check(not (system.root / "usr/bin/accessoryd").exists(), "no agent is installed before")
    # There is no terminal to ask on.
    system.run("sh", "-c", "cd /root && apt install --yes ./accessory-gateway_*.deb")
    lab.equal(system.run("dpkg-query", "-W", "-f=${Status}", "accessory-gateway"), "install ok installed", "the package")
    lab.equal(system.property("ActiveState"), "active", "the service, which the package has started")
    lab.check("[app." not in (system.root / "etc/accessoryd/accessoryd.toml").read_text(), "the manifest has no app")


def scenario(lab):
    controller = lab.controller("/lab/Config/story-scene.toml")
    networks.Radios(lab)
    system = lab.system(installed=False)
    start = time.monotonic()
    install(lab, system)
    lab.figure("installed after s", time.monotonic() - start)
    said = talk(lab, system, ["accessoryctl", "setup"])
    lab.figure("accessory after s", time.monotonic() - start)
    lab.check(time.monotonic() - start < SECONDS_MAX, "ten minutes are enough")
    lab.check(controller.name_of_adapter in said, "the dialogue names the adapter")
    lab.check("climate" in system.run("getent", "group", "accessory"), "the operator is a member of the group")
    lab.check(system.run("id", "-u", "bulbs").isdigit(), "the app has an account")
    lab.equal(system.property("ActiveState"), "active", "the service")
    lab.equal(system.systemctl("is-enabled", "accessoryd.service"), "enabled", "the service at the next start")
    lab.check(BULB in system.run("accessoryctl", "list", "--app", "bulbs"), "the accessory is in the list")
    status = UnitAgent(system).status()
    lab.check(status["problems"] == [], "status has no problem")
    lab.equal(status["wifi"]["interface"], networks.INTERFACE, "the interface that the dialogue asked for")
    again = system.run("accessoryctl", "setup", "--yes", "--app", "bulbs", "--device", BULB)
    lab.check("bulbs" in again, "setup can be repeated")

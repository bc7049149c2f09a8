# SPDX-License-Identifier: GPL-3.0-or-later
"""The units under systemd: the service confined, reloaded, killed, and helped by the one-shot, in both manners."""

import pathlib
import time

import confinement
import feats
from agent import MANIFEST
from system import UnitAgent

PATIENCE = 500
RECOVERY = "accessoryd-recovery.service"
PROFILE = """schema = 1
name = "unit"
[[recovery]]
step = "rfkill"
"""


def start(lab, system, access):
    """The controller, and the agent as it comes up."""
    controller = lab.controller()
    settings = {"radio": controller.name_of_adapter, "access": access, "board": "unit", "more": ""}
    system.write("etc/accessoryd/accessoryd.toml", MANIFEST.format(**settings))
    drop_in = system.root / "etc/systemd/system/accessoryd.service.d"
    if access == "exclusive":
        drop_in.mkdir()
        system.write(drop_in / "exclusive.conf", (system.root / "usr/share/accessoryd/exclusive.conf").read_text())
        system.systemctl("daemon-reload")
    system.systemctl("start", "accessoryd.service")
    lab.equal((system.property("Type"), system.property("ActiveState")), ("notify", "active"), "the service")
    agent = UnitAgent(system)
    agent.await_state("on", 30)
    controller.await_scan()
    return controller, agent


def reload(lab, system, agent):
    path = "etc/accessoryd/accessoryd.toml"
    system.write(path, (system.root / path).read_text().replace("Lumo bulb", "Lumo lamp"))
    system.systemctl("reload", "accessoryd.service")
    lab.equal(agent.metrics()["reloads_total"], 1, "reloads")


def kill(lab, system, controller, agent, label):
    system.systemctl("kill", "--signal=KILL", "--kill-who=main", "accessoryd.service")
    begin = time.monotonic()
    lab.until(lambda: system.property("NRestarts") == "1" and system.property("ActiveState") == "active",
              "systemd starts it again")
    agent.await_state("on", 30)
    controller.await_scan()
    lab.figure(f"{label}killed, scans after s", time.monotonic() - begin)


def is_blocked(index):
    places = pathlib.Path("/sys/class/rfkill").glob("*")
    return any((place / "name").read_text().strip() == f"hci{index}" and (place / "soft").read_text().strip() == "1"
               for place in places)


def recover(lab, system, controller, agent, label):
    """A silent controller that only the one-shot's step cures: while it is blocked it has no power."""
    # Asked before: the step lasts a second.
    capabilities, index = system.property("CapabilityBoundingSet", RECOVERY), controller.index
    controller.fault("silent")
    begin = time.monotonic()
    lab.until(lambda: is_blocked(index), "the one-shot's step begins", 150)
    lab.check(agent.recovery_request.exists(), "the agent has asked for it")
    controller.mend()
    running = system.processes(RECOVERY)
    lab.check(running, "the one-shot runs")
    for process in running:
        confinement.hold(lab, process, 0, capabilities)
    lab.until(lambda: not agent.recovery_request.exists(), "the request is taken away")
    agent.await_state("on", 30)
    controller.await_scan()
    lab.figure(f"{label}silent, scans after s", time.monotonic() - begin)
    lab.equal(system.property("Result", RECOVERY), "success", "the one-shot")
    lab.equal(agent.metrics()['radio_recoveries_total{rung="boardStep"}'], 1, "steps of the board")
    lab.equal(system.property("NRestarts"), "1", "restarts of the agent, which was killed once")


def serve(lab, system, access):
    label = f"\n         {access}: "
    controller, agent = start(lab, system, access)
    lab.figure(f"{label}has", confinement.hold_service(lab, system, agent.pid))
    count, read, dropped = feats.carry_load(lab, controller, agent, 1000, 3, label=label)
    feats.hold_exact(lab, count, read, dropped)
    lab.check(count > 2800, f"the load was written: {count}")
    reload(lab, system, agent)
    kill(lab, system, controller, agent, label)
    recover(lab, system, controller, agent, label)
    confinement.hold_service(lab, system, agent.pid)
    system.systemctl("stop", "accessoryd.service")
    controller.end()


def scenario(lab):
    system = lab.system()
    version = system.run("systemctl", "--version").split()[1]
    lab.figure("by systemd", version)
    system.write("etc/accessoryd/board/unit.toml", PROFILE)
    (system.root / "etc/accessoryd/recovery.toml").symlink_to("board/unit.toml")
    lab.figure("refused", confinement.probe(lab, system))
    for access in ("shared", "exclusive"):
        serve(lab, system, access)

# SPDX-License-Identifier: GPL-3.0-or-later
"""The units under systemd: the service is confined, reloaded, killed and recovered, in both access modes, and pairs."""

import pathlib
import time

import bonds
import confinement
import recovery
import steps
from agent import MANIFEST
from sessions import AppSession, Operator
from system import UnitAgent

PATIENCE = 600
RECOVERY = "accessoryd-recovery.service"
PROFILE = """schema = 1
name = "unit"
[[recovery]]
step = "rfkill"
"""


def start(lab, system, access):
    """Starts the controller and the agent."""
    controller = lab.controller()
    settings = {"radio": controller.name_of_adapter, "access": access, "board": "unit", "filter": "off", "more": ""}
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
    switches = pathlib.Path("/sys/class/rfkill").glob("*")
    return any((switch / "name").read_text().strip() == f"hci{index}" and (switch / "soft").read_text().strip() == "1"
               for switch in switches)


def recover(lab, system, controller, agent, label):
    """Checks a silent controller that only the recovery unit's step cures: while it is blocked, it has no power."""
    # Read before, because the step lasts only a second.
    capabilities, index = system.property("CapabilityBoundingSet", RECOVERY), controller.index
    controller.fault("silent")
    begin = time.monotonic()
    lab.until(lambda: is_blocked(index), "the recovery unit's step begins", 150)
    lab.check(agent.recovery_request.exists(), "the agent has requested it")
    controller.clear_fault()
    running = system.processes(RECOVERY)
    lab.check(running, "the recovery unit runs")
    checked = 0
    for process in running:
        try:
            confinement.check(lab, process, 0, capabilities)
            checked += 1
        except FileNotFoundError:
            pass  # A command of the step has ended meanwhile.
    lab.check(checked, "the recovery unit's processes are confined")
    lab.until(lambda: not agent.recovery_request.exists(), "the request is removed")
    agent.await_state("on", 30)
    controller.await_scan()
    lab.figure(f"{label}silent, scans after s", time.monotonic() - begin)
    lab.equal(system.property("Result", RECOVERY), "success", "the recovery unit")
    lab.equal(recovery.count(agent, "boardStep"), 1, "steps of the board")
    lab.equal(system.property("NRestarts"), "1", "restarts of the agent, which was killed once")


def serve(lab, system, access):
    label = f"\n         {access}: "
    controller, agent = start(lab, system, access)
    lab.figure(f"{label}capabilities", confinement.check_service(lab, system, agent.pid))
    count, read, dropped = steps.send_load(lab, controller, agent, 1000, 3, label=label)
    steps.check_counts(lab, count, read, dropped)
    lab.check(count > 2800, f"the load was written: {count}")
    reload(lab, system, agent)
    kill(lab, system, controller, agent, label)
    recover(lab, system, controller, agent, label)
    confinement.check_service(lab, system, agent.pid)
    system.systemctl("stop", "accessoryd.service")
    controller.end()


def pair(lab, system, peer):
    """The confined service pairs through the kernel, and keeps the bond when it is killed; the removal leaves nothing."""
    peer.await_adapter()
    manifest = bonds.manifest(peer).replace('board = "virtual"', 'board = "unit"')
    system.write("etc/accessoryd/accessoryd.toml", manifest)
    system.systemctl("start", "accessoryd.service")
    agent = UnitAgent(system)
    agent.await_state("on", 30)
    app, operator = AppSession(agent), Operator(agent)
    begin = time.monotonic()
    lab.equal(bonds.pair(lab, peer, agent, app, operator)["pairing"], "justWorks", "how it was paired")
    lab.figure("paired after s", time.monotonic() - begin)
    agent.await_state("on", 30)
    system.systemctl("kill", "--signal=KILL", "--kill-who=main", "accessoryd.service")
    lab.until(lambda: system.property("NRestarts") == "1" and system.property("ActiveState") == "active",
              "systemd starts it again")
    agent.await_state("on", 30)
    app = AppSession(agent)
    lab.equal(app.accessories[app.identifier]["bond"], "bonded", "the bond after SIGKILL")
    lab.figure("secret s", bonds.check_secret(lab, app))
    bonds.await_end(lab, peer, agent)
    app.call("RemoveAccessory", accessory=app.identifier)
    app.expect("accessoryRemoved")
    bonds.check_no_keys(lab, peer.index)
    for order in ("forget", "rotate"):
        peer.order(order)
    system.systemctl("stop", "accessoryd.service")


def scenario(lab):
    system = lab.system()
    peer = lab.peer("--others", "0")
    version = system.run("systemctl", "--version").split()[1]
    lab.figure("by systemd", version)
    system.write("etc/accessoryd/board/unit.toml", PROFILE)
    (system.root / "etc/accessoryd/recovery.toml").symlink_to("board/unit.toml")
    lab.figure("refused", confinement.probe(lab, system))
    serve(lab, system, "shared")
    pair(lab, system, peer)
    serve(lab, system, "exclusive")

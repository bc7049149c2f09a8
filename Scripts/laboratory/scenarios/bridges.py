# SPDX-License-Identifier: GPL-3.0-or-later
"""The bridges and the page as services: under their units and AppArmor profiles they reach the agent and their servers, serve
who may connect, read their files again, and nothing is denied to them; and what they keep in memory then."""

import pathlib
import socket
import time

from program import Program
from tab import Tab

MANIFEST = """schema = 1
[gateway]
radio = "btsnoop:/etc/accessoryd/room.btsnoop"
[app.lights]
user = "root"
supports = ["Bluetooth"]
[bridge.homeassistant]
user = "accessory-esphome"
[bridge.mqtt]
user = "accessory-mqtt"
[bridge.nats]
user = "accessory-nats"
"""
HOME_ASSISTANT = ("127.0.0.1", 6053)
# What a bridge says once the agent has let it in and its server, too, and when it has read its files again.
BRIDGES = {
    "esphome": ("the agent is there", "the agent is there", "the key was read again"),
    "mqtt": ("the agent is there", "connected to the broker", "the configuration was read again"),
    "nats": ("the agent is there", "connected to the server", "the configuration was read again"),
    "web": ("the agent replies", "the agent replies", "the token of metrics was read again"),
}
MEGABYTES_MAX = {"esphome": 8, "mqtt": 8, "nats": 14, "web": 9}


def looks_at_the_page(lab, system):
    """A link lets in; the page then has the agent's state."""
    tab = Tab(system.run("accessoryctl", "web"))
    with tab.get("/") as page:
        lab.check(b"<html" in page.read(), "the page is served")
    status = next(row for name, row in tab.events() if name == "status")
    lab.check(status["version"], "the page has the agent's status")


def is_encrypted():
    """Whether Home Assistant's port asks for a key."""
    with socket.create_connection(HOME_ASSISTANT, 30) as client:
        client.sendall(b"\0\0\1")
        return client.recv(1) == b"\1"


def scenario(lab):
    system = lab.system()
    (system.root / "etc/accessoryd/room.btsnoop").write_bytes(pathlib.Path("/lab/Config/demo-scene.btsnoop").read_bytes())
    (system.root / "etc/accessoryd/room.btsnoop").chmod(0o644)
    system.write("etc/accessoryd/accessoryd.toml", MANIFEST)
    system.systemctl("start", "accessoryd.service")
    servers = [Program(lab, "mosquitto", ["/usr/sbin/mosquitto", "-p", "1883"]),
               Program(lab, "nats-server", ["/usr/sbin/nats-server", "-a", "127.0.0.1", "-js", "-sd", lab.folder / "jetstream"])]
    # The machine knows no names, not even localhost.
    for name in ("mqtt", "nats"):
        text = pathlib.Path(f"/lab/Config/{name}.toml").read_text().replace("localhost", "127.0.0.1")
        (system.root / f"etc/accessoryd/{name}.toml").write_text(text.replace("create = false", "create = true"))
    for name, (*words, again) in BRIDGES.items():
        unit = f"accessory-{name}.service"
        system.systemctl("start", unit)
        for word in words:
            lab.until(lambda: word in system.journal(unit), f"{unit} says {word}", 60)
        process = system.processes(unit)[0]
        lab.equal(pathlib.Path(f"/proc/{process}/attr/current").read_text().strip(), f"accessory-{name} (enforce)",
                  f"the profile of {unit}")
    looks_at_the_page(lab, system)
    lab.check(is_encrypted(), "Home Assistant's port asks for a key")
    key = system.run("accessory-esphome", "key")
    lab.equal(len(key), 44, "the length of the key")
    lab.check("ten minutes" in system.run("accessory-esphome", "enrol"), "root opens an enrolment")
    for name in ("mqtt", "nats"):
        lab.check("no errors" in system.run(f"accessory-{name}", "check"), f"root checks the configuration of {name}")
    time.sleep(12)
    for name, (*_, again) in BRIDGES.items():
        unit = f"accessory-{name}.service"
        system.systemctl("reload", unit)
        lab.until(lambda: again in system.journal(unit), f"{unit} reads its files again", 30)
        resident = int(pathlib.Path(f"/proc/{system.processes(unit)[0]}/status").read_text().split("VmRSS:")[1].split()[0])
        lab.figure(f"{name} MB", f"{resident / 1024:.1f}")
        lab.check(resident <= MEGABYTES_MAX[name] * 1024, f"{name} has {resident} kB in memory")
        lab.equal(system.property("NRestarts", unit), "0", f"restarts of {unit}")
    for server in servers:
        server.end()
    lab.equal(lab.denials.take(), [], "denials")

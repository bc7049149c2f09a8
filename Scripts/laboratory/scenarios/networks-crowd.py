# SPDX-License-Identifier: GPL-3.0-or-later
"""400 networks: wireless extensions cannot list them, and nl80211 takes over, once setup --wifi has let it."""

import networks
from agent import MANIFEST
from system import UnitAgent

PATIENCE = 300
COUNT = 400
BULB = "C4:A1:00:00:2F:14"
WIFI = f'wifi = "{networks.INTERFACE}"'


def set_up(lab, system, text, process):
    """With a manifest that names no interface, and without the drop-in, setup puts both in place."""
    system.write("etc/accessoryd/accessoryd.toml", text.replace(WIFI, ""))
    said = system.run("accessoryctl", "setup", "--yes", "--app", "lights", "--device", BULB, "--wifi", networks.INTERFACE)
    lab.check(BULB in said, f"setup ends with the accessory in the list: {said}")
    manifest = (system.root / "etc/accessoryd/accessoryd.toml").read_text()
    lab.check(WIFI in manifest, "the manifest names the interface")
    lab.check("AF_NETLINK" in system.property("RestrictAddressFamilies"), "the unit permits sockets of AF_NETLINK")
    started = system.processes()
    lab.check(started != [process], "the agent was started again")
    system.run("accessoryctl", "setup", "--yes", "--app", "lights", "--device", BULB, "--wifi", networks.INTERFACE)
    lab.equal(system.processes(), started, "the agent after a second setup")


def scenario(lab):
    radios = networks.Radios(lab)
    radios.send([f"Camera-with-a-long-name-{number:08}".encode() for number in range(COUNT)], padding=100)
    system = lab.system()
    controller = lab.controller("/lab/Config/story-scene.toml")
    settings = {"radio": controller.name_of_adapter, "access": "shared", "board": "virtual", "filter": "off"}
    text = MANIFEST.format(more=WIFI, **settings) + networks.ITEM
    system.write("etc/accessoryd/accessoryd.toml", text)
    lab.until(lambda: radios.scan() or len(radios.lists()[0].get("nl80211", [])) == COUNT, "nl80211 lists all of them", 60)
    lab.equal(radios.lists()[1], {"extensions": "room"}, "errors of the sources")
    system.systemctl("start", "accessoryd.service")
    agent = UnitAgent(system)
    agent.await_state("on", 30)
    lab.until(lambda: radios.scan() or "nl80211 cannot take over" in (networks.wifi(agent).get("problem") or ""),
              "without the drop-in nl80211 cannot take over", 60)
    lab.check("wifi.conf" in networks.wifi(agent)["problem"], "the problem names its cure")
    lab.check("AF_NETLINK" not in system.property("RestrictAddressFamilies"), "the unit does not permit such sockets")
    set_up(lab, system, text, agent.pid)
    agent = UnitAgent(system)
    agent.await_state("on", 30)
    lab.until(lambda: radios.scan() or networks.wifi(agent)["networks"] == COUNT, "the agent has all of them", 90)
    # Where the kernel forgets enough of them meanwhile, wireless extensions list the rest.
    lab.check(agent.metrics()['network_readings_total{source="nl80211"}'] >= 1, "nl80211 took over")
    lab.equal(networks.wifi(agent).get("problem"), None, "the problem")
    lab.figure("networks", COUNT)
    system.systemctl("stop", "accessoryd.service")
    radios.end()
    controller.end()

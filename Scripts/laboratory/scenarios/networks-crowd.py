# SPDX-License-Identifier: GPL-3.0-or-later
"""400 networks: wireless extensions cannot list them, and nl80211 takes over, with the drop-in and not without."""

import networks
from agent import MANIFEST
from system import UnitAgent

PATIENCE = 300
COUNT = 400


def scenario(lab):
    radios = networks.Radios(lab)
    radios.send([f"Camera-with-a-long-name-{number:08}".encode() for number in range(COUNT)], padding=100)
    system = lab.system()
    controller = lab.controller()
    settings = {"radio": controller.name_of_adapter, "access": "shared", "board": "virtual"}
    text = MANIFEST.format(more=f'wifi = "{networks.INTERFACE}"', **settings) + networks.ITEM
    system.write("etc/accessoryd/accessoryd.toml", text)
    lab.until(lambda: radios.scan() or len(radios.lists()[0].get("nl80211", [])) == COUNT, "nl80211 lists all of them", 60)
    lab.equal(radios.lists()[1], {"extensions": "room"}, "errors of the sources")
    system.systemctl("start", "accessoryd.service")
    agent = UnitAgent(system)
    agent.await_state("on", 30)
    lab.until(lambda: radios.scan() or "nl80211 cannot take over" in (networks.wifi(agent).get("problem") or ""),
              "without the drop-in nl80211 cannot take over", 60)
    lab.check("wifi.conf" in networks.wifi(agent)["problem"], "the problem names its cure")
    drop_in = system.root / "etc/systemd/system/accessoryd.service.d"
    drop_in.mkdir()
    system.write(drop_in / "wifi.conf", (system.root / "usr/share/accessoryd/wifi.conf").read_text())
    system.systemctl("daemon-reload")
    system.systemctl("restart", "accessoryd.service")
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

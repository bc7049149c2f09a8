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
    radios.scan()
    lists, errors, _ = radios.lists()
    lab.equal(errors, {"extensions": "room"}, "errors of the sources")
    lab.check(len(lists["nl80211"]) >= COUNT * 0.95, f"nl80211 lists them: {len(lists['nl80211'])}")
    lab.figure("listed", len(lists["nl80211"]))
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
    lab.until(lambda: radios.scan() or networks.wifi(agent)["networks"] >= COUNT * 0.95, "the agent lists them", 90)
    lab.equal(networks.wifi(agent)["source"], "nl80211", "the source")
    lab.figure("in the agent", networks.wifi(agent)["networks"])
    system.systemctl("stop", "accessoryd.service")
    radios.end()
    controller.end()

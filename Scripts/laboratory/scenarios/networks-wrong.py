# SPDX-License-Identifier: GPL-3.0-or-later
"""An interface that is down, missing, not wireless or without extensions, and an agent without rights: status says so."""

import pathlib

import networks

PATIENCE = 300
READINGS = 'network_readings_total{source="nl80211"}'
WITHOUT_RIGHTS = ["setpriv", "--reuid=accessoryd", "--regid=accessoryd", "--clear-groups", "--no-new-privs",
                  "--inh-caps=-all", "--ambient-caps=-all", "--bounding-set=-all"]


def problem(lab, agent, words, seconds=40):
    lab.until(lambda: words in (networks.wifi(agent).get("problem") or ""), f"the agent says: {words}", seconds)


def start(lab, interface=networks.INTERFACE, **settings):
    return lab.agent(more=f'wifi = "{interface}"', item=networks.ITEM, **settings)


def scenario(lab):
    controller = lab.controller()
    agent = start(lab, "lo")
    problem(lab, agent, "lo is not wireless")
    agent.end()

    radios = networks.Radios(lab)
    radios.send([b"Cam-1"])
    agent = start(lab)
    lab.until(lambda: networks.wifi(agent)["networks"] == 1, "the agent reads the network", 100)
    networks.run("ip", "link", "set", networks.INTERFACE, "down")
    problem(lab, agent, "wlan0 is down: ip link set wlan0 up")
    networks.run("ip", "link", "set", networks.INTERFACE, "up")
    lab.until(lambda: networks.wifi(agent).get("problem") is None, "the interface is used again", 40)
    radios.end()
    problem(lab, agent, "there is no interface wlan0")

    # A radio for Wi-Fi 7 has no wireless extensions.
    radios = networks.Radios(lab, mlo=1)
    radios.send([b"Cam-1", b"Cam-2"])
    lab.until(lambda: networks.wifi(agent)["networks"] >= 2 and networks.wifi(agent).get("problem") is None,
              "nl80211 reads the networks", 100)
    lab.equal(networks.wifi(agent)["source"], "nl80211", "the source without extensions")
    # When cfg80211 is loaded again, nl80211 has another number.
    radios.end()
    problem(lab, agent, "there is no interface wlan0")
    for module in ("mac80211", "cfg80211"):
        networks.run("modprobe", "-r", module, check=False)
    lab.check("cfg80211" not in pathlib.Path("/proc/modules").read_text(), "cfg80211 is unloaded")
    radios = networks.Radios(lab, mlo=1)
    before = agent.metrics()[READINGS]
    lab.until(lambda: agent.metrics()[READINGS] > before and networks.wifi(agent).get("problem") is None,
              "nl80211 reads networks again", 40)
    agent.end()
    radios.end()

    radios = networks.Radios(lab)
    radios.send([b"Cam-1"])
    radios.scan()
    agent = start(lab, user="accessoryd", before=WITHOUT_RIGHTS)
    # The kernel has fresh news, so that the agent wants no scan for a minute.
    problem(lab, agent, "CAP_NET_ADMIN", 90)
    radios.scan()
    lab.until(lambda: networks.wifi(agent)["networks"] == 1, "another program's scan is read without rights", 40)
    agent.end()
    radios.end()
    controller.end()
    lab.figure("cases", 7)

# SPDX-License-Identifier: GPL-3.0-or-later
"""Scans while the interface is connected to a network, and while another program scans: rare, and never an error. One that is
cut short counts as aborted."""

import time

import networks
from program import Program

PATIENCE = 300
ACCESS_POINT = """interface=wlan2
ssid=Home
hw_mode=g
channel=1
"""
STATION = """network={
 ssid="Home"
 key_mgmt=NONE
}
"""


def started(agent):
    return agent.metrics()['network_scans_started_total{source="extensions"}']


def ended(agent, end):
    return agent.metrics()[f'network_scans_ended_total{{end="{end}"}}']


def completed(agent):
    return ended(agent, "completed")


def scenario(lab):
    controller = lab.controller()
    radios = networks.Radios(lab, count=3)
    radios.send([b"Cam-1", b"Cam-2"])
    (lab.folder / "hostapd.conf").write_text(ACCESS_POINT)
    (lab.folder / "station.conf").write_text(STATION)
    hostapd = Program(lab, "hostapd", ["/usr/sbin/hostapd", lab.folder / "hostapd.conf"])
    station = Program(lab, "wpa_supplicant",
                      ["/usr/sbin/wpa_supplicant", "-i", networks.INTERFACE, "-c", lab.folder / "station.conf"])
    lab.until(lambda: "Connected to" in networks.run("iw", "dev", networks.INTERFACE, "link"), "it is connected", 60)
    agent = lab.agent(more=f'wifi = "{networks.INTERFACE}"', item=networks.ITEM)
    lab.until(lambda: completed(agent) >= 1, "a scan completes", 60)
    lab.until(lambda: networks.wifi(agent)["networks"] == 3, "the agent has the networks around", 100)
    lab.check(started(agent) >= 1, f"the agent started it: {started(agent)}")
    # Another program's scan counts, and postpones the next one.
    begin, before, scans = time.monotonic(), started(agent), completed(agent)
    radios.scan(channels=())
    lab.until(lambda: completed(agent) > scans, "another program's scan counts", 30)
    lab.until(lambda: started(agent) > before, "the agent scans again", 100, 1)
    lab.figure("from another program's scan to the next one s", time.monotonic() - begin)
    lab.check(time.monotonic() - begin >= 60, f"it scans again after {time.monotonic() - begin:.1f} s")
    # That scan takes 10 s. Another program cuts it short: it counts as aborted, though libiw lists the networks.
    scans = completed(agent)
    networks.run("iw", "dev", networks.INTERFACE, "scan", "abort")
    lab.until(lambda: ended(agent, "aborted") == 1, "a scan that is cut short counts as aborted", 20)
    lab.equal(completed(agent), scans, "completed scans after one that was cut short")
    lab.equal(networks.wifi(agent)["source"], "extensions", "the source of the networks")
    lab.check(networks.wifi(agent).get("problem") is None, "no error")
    lab.check("Connected to" in networks.run("iw", "dev", networks.INTERFACE, "link"), "it stays connected")
    agent.end()
    station.end()
    hostapd.end()
    radios.end()
    controller.end()

# SPDX-License-Identifier: GPL-3.0-or-later
"""Another program scans without a pause: what is known is listed, and a scan that the kernel refuses as EBUSY is counted."""

import threading
import time

import networks

PATIENCE = 400
STARTED = 'network_scans_started_total{source="nl80211"}'
BUSY = 'network_scans_busy_total{source="nl80211"}'


class Scans:
    """Scans of another program, one after the other, from construction to `end`."""

    def __init__(self, lab, interface=networks.INTERFACE):
        self.ended, self.count, self.interface = threading.Event(), 0, interface
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()
        lab.until(lambda: "scanning" in networks.run("/lab/bin/network-list", networks.INTERFACE)
                  or self.count, "another program scans")

    def _run(self):
        while not self.ended.is_set():
            if networks.start_scan(interface=self.interface):
                self.count += 1
            else:
                self.ended.wait(0.2)

    def end(self):
        self.ended.set()
        self.thread.join()


def listed(lab, agent, what):
    begin = time.monotonic()
    lab.until(lambda: networks.wifi(agent)["networks"] == 2, f"{what}: the networks are known", 12)
    lab.figure(f"{what}: networks known after s", time.monotonic() - begin)


def stay(lab, agent, scans, what):
    """For longer than one scan may take, the networks stay and there is no problem."""
    begin, before = time.monotonic(), scans.count
    lab.until(lambda: time.monotonic() - begin > 35, "35 s pass", 60, 1)
    lab.figure(f"{what}: scans of the other program in 35 s", scans.count - before)
    lab.check(scans.count - before >= 2, f"{what}: scans of the other program in 35 s: {scans.count - before}")
    lab.equal(networks.wifi(agent).get("problem"), None, f"{what}: the problem")
    lab.equal(networks.wifi(agent)["networks"], 2, f"{what}: the networks")


def other_interface(lab):
    """Another interface of the same radio scans until the kernel has refused a scan of the agent. No news tell the agent when
    that scan ends, and it scans a minute later."""
    networks.run("iw", "dev", networks.INTERFACE, "interface", "add", "second0", "type", "managed")
    networks.run("ip", "link", "set", "second0", "address", "02:00:00:00:77:01")
    networks.run("ip", "link", "set", "second0", "up")
    scans = Scans(lab, "second0")
    agent = lab.agent(more=f'wifi = "{networks.INTERFACE}"', item=networks.ITEM)
    lab.until(lambda: agent.metrics()[BUSY] >= 1, "a scan is refused because of the other interface", 150, 1)
    scans.end()
    begin, before = time.monotonic(), agent.metrics()[STARTED]
    lab.until(lambda: agent.metrics()[STARTED] > before, "the agent scans after the other interface", 90, 1)
    lab.figure("from the scans of another interface to the agent's s", time.monotonic() - begin)
    lab.equal(networks.wifi(agent).get("problem"), None, "after the other interface: the problem")
    agent.end()


def scenario(lab):
    controller = lab.controller()
    radios = networks.Radios(lab)
    radios.send([b"Cam-1", b"Home"])
    radios.scan(channels=())
    scans = Scans(lab)
    agent = lab.agent(more=f'wifi = "{networks.INTERFACE}"', item=networks.ITEM)
    listed(lab, agent, "libiw")
    stay(lab, agent, scans, "libiw")
    scans.end()
    agent.end()
    radios.end()

    radios = networks.Radios(lab, mlo=1)
    scans = Scans(lab)
    # The agent has no news of the scan that is under way, and no network shows it: the kernel refuses the agent's own.
    agent = lab.agent(more=f'wifi = "{networks.INTERFACE}"', item=networks.ITEM)
    lab.until(lambda: agent.metrics()[BUSY] >= 1, "the refused scan is counted", 30, 1)
    lab.figure("scans refused as EBUSY", agent.metrics()[BUSY])
    radios.send([b"Cam-1", b"Home"])
    listed(lab, agent, "nl80211")
    stay(lab, agent, scans, "nl80211")
    scans.end()
    agent.end()
    other_interface(lab)
    radios.end()
    controller.end()

# SPDX-License-Identifier: GPL-3.0-or-later
"""For an item with a name the agent scans passively, with short active windows, on both PHYs, as btmon shows."""

import struct
import time

import steps
from agent import MANIFEST
from monitor import COMMAND

PARAMETERS, ENABLE = 0x2041, 0x2042
PATIENCE = 300
SECONDS = 45
# Two seconds of every twenty.
WINDOWS = range(2, 4)
LE_1M, LE_CODED = 1, 4
NAMED = """descriptor.bluetooth-name-substring = "Lumo"
"""


class Scan:
    """LE Set Extended Scan Parameters (Core Specification 5.4, Volume 4, Part E, 7.8.64), and when the scan ran."""

    def __init__(self, bytes):
        self.phys = bytes[2]
        self.is_active = bool(bytes[3])
        # Interval and window of each PHY.
        self.timings = [struct.unpack_from("<HH", bytes, offset + 1) for offset in range(3, len(bytes), 5)]
        self.begin = self.end = None

    @property
    def seconds(self):
        return (self.end - self.begin) / 1e6

    @property
    def duty(self):
        """Percent of the time that the controller scans, on all PHYs; the kernel gives each PHY its own interval."""
        shares = [window / interval for interval, window in self.timings]
        return round(100 * (sum(shares) if len({timing[0] for timing in self.timings}) == 1 else max(shares)))


def scans(monitor):
    """The scans that began and ended, in order."""
    parameters, running = None, None
    for record in monitor.records():
        if record.opcode != COMMAND:
            continue
        opcode, bytes = struct.unpack_from("<H", record.data)[0], record.data[3:]
        if opcode == PARAMETERS:
            parameters = Scan(bytes)
        elif opcode == ENABLE and bytes[0] and parameters and not running:
            running = parameters
            running.begin = record.microseconds
        elif opcode == ENABLE and not bytes[0] and running:
            running.end = record.microseconds
            yield running
            running = None


def scenario(lab):
    for access in ("exclusive", "shared"):
        # Scanning all the time, and 30 ms of 300 ms.
        for board, duty in (("usb-dongle", 100), ("generic", 10)):
            watch(lab, access, board, duty)


def watch(lab, access, board, duty):
    monitor = lab.monitor()
    controller = lab.controller()
    settings = {
        "radio": controller.name_of_adapter, "access": access, "board": board, "filter": "off", "more": ""}
    supports = 'supports = ["Bluetooth"]\n'
    text = MANIFEST.format(**settings).replace(supports, supports + 'bluetooth-names = ["Lumo"]\n') + NAMED
    agent = lab.agent(manifest=text)
    agent.await_state("on", 30)
    controller.await_scan()
    time.sleep(SECONDS)
    agent.end()
    # btmon writes with a delay.
    time.sleep(1)
    active, passive = ([scan for scan in scans(monitor) if scan.is_active == kind] for kind in (True, False))
    lab.check(len(active) in WINDOWS and passive, f"{len(active)} windows in {SECONDS} s")
    lab.figure(f"\n         {access} {board}", f"active windows {len(active)}, the longest of {longest(active):.2f} s, "
               f"PHYs {active[0].phys:#x}, duty % active {active[0].duty}, passive {passive[0].duty}")
    for scan in active:
        lab.check(1.5 <= scan.seconds <= 2.6, f"a window of {scan.seconds:.1f} s")
    lab.equal({scan.duty for scan in active + passive}, {duty}, "duty")
    if board == "usb-dongle":
        # Only a board that scans all the time has time for both PHYs.
        lab.equal({scan.phys for scan in active + passive}, {LE_1M | LE_CODED}, "PHYs")
    monitor.end()
    controller.end()


def longest(scans):
    return max(scan.seconds for scan in scans)

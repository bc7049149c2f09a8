# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernel initializes the adapter, and a reader of its raw channel receives the scene's reports."""

import struct
import time

import hci


def scenario(lab):
    controller = lab.controller("/lab/Config/demo-scene.toml")
    index = controller.index
    mgmt = hci.Mgmt()
    start = time.monotonic()
    lab.equal(mgmt.power(index), 0, "the status of powering it")
    lab.check(hci.is_up(index), "the adapter is up")
    lab.figure("power-up ms", round((time.monotonic() - start) * 1000))
    lab.equal(controller.count()["unknownCommands"], 0, "commands of the kernel that the controller does not know")
    lab.figure("commands", controller.count()["commands"])

    reader = hci.RawReader(index)
    # LE Set Extended Scan Parameters: passive, 1M, 60 ms of 60 ms; LE Set Extended Scan Enable.
    reader.command(0x2041, struct.pack("<BBBBHH", 0, 0, 1, 0, 0x60, 0x60))
    reader.command(0x2042, struct.pack("<BBHH", 1, 0, 0, 0))
    controller.await_scan()
    reader.read_for(5)
    reader.command(0x2042, struct.pack("<BBHH", 0, 0, 0, 0))
    controller.await_scan(False)
    read, written = reader.read_for(0.2), controller.count()["events"]
    lab.figure("events", read)
    lab.check(read > 100, f"the scene is received: {read} events")
    lab.equal(read, written, "read and written")
    lab.equal(hci.drops(reader.socket), 0, "dropped")

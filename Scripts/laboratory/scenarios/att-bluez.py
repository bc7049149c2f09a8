# SPDX-License-Identifier: GPL-3.0-or-later
"""The library's ATT client with BlueZ's GATT server (bluetoothctl) on a second adapter: the same cases."""

import struct

import apps
import hci
from bluetoothd import GATTServer
from relay import HOSTED

PATIENCE = 600
NOTIFICATIONS = 1000


def check_notifications(lab, probe, server):
    """bluetoothd sends the latest value only, so that each waits for the one before."""
    probe.say(f"notify {apps.ROLL}")
    probe.expect(f"subscribed to {apps.ROLL}: done")
    for number in range(1, NOTIFICATIONS + 1):
        value = struct.pack("<I", number)
        server.set_value(apps.ROLL.lower(), value)
        lab.until(lambda: apps.values(probe, apps.ROLL)[-1:] == [value.hex()], f"notification {number}", step=0.01)
    lab.equal(len(apps.values(probe, apps.ROLL)), NOTIFICATIONS, "notifications")


def scenario(lab):
    dice = lab.hosted_dice()
    lab.bluetoothd()
    for adapter in (dice.adapter, dice.hosted):
        lab.until(lambda: hci.is_up(adapter.index), "bluetoothd powers the adapters")
    server = GATTServer(lab, HOSTED, apps.SERVICE.lower(), [
        (apps.ROLL.lower(), "read,notify", bytes(4)), (apps.TEXT.lower(), "read,write", bytes(512))])
    agent = lab.agent(manifest=apps.MANIFEST.format(index=dice.adapter.index))
    agent.await_state("on", 30)
    probe = apps.probe(lab, agent, HOSTED)
    # BlueZ has services of its own, too: Generic Access, Generic Attribute, Device Information.
    found = f"service {apps.SERVICE}: {apps.ROLL} {apps.TEXT}"
    probe.expect(found, "explored: 514 bytes fit")
    for byte_count in (1, 512):
        apps.check_long_value(probe, apps.TEXT, byte_count)
    check_notifications(lab, probe, server)
    # The link ends in the middle of a request, from the accessory's side.
    probe.say(f"read {apps.TEXT}")
    dice.hosted.drop()
    probe.expect("connected", found)
    apps.check_long_value(probe, apps.TEXT, 512)
    lab.equal(agent.end(), 0, "the agent's exit status")

# SPDX-License-Identifier: GPL-3.0-or-later
"""The library's ATT client with BlueZ's GATT server (bluetoothctl) on a second adapter: the same cases."""

import apps
import hci
from bluetoothd import GATTServer
from relay import HOSTED

PATIENCE = 600
NOTIFICATIONS = 1000
# Lengths of the notifications: 1 to this many bytes.
LENGTHS = 64
# A longer value is refused: bluetoothctl 5.66 keeps so much of the first one, however long that is.
VALUE_BYTES_MAX = 510


def check_notifications(lab, probe):
    """bluetoothctl notifies whatever a client writes. It has no command that changes a value of its own."""
    probe.say(f"notify {apps.ROLL}")
    probe.expect(f"subscribed to {apps.ROLL}: done")
    counts = [1 + number % LENGTHS for number in range(NOTIFICATIONS)]
    for count in counts:
        probe.say(f"write {apps.ROLL} {count}")
    lab.until(lambda: len(apps.values(probe, apps.ROLL)) >= NOTIFICATIONS, "the notifications arrive", 120, step=1)
    lab.equal(apps.values(probe, apps.ROLL), [bytes(range(count)).hex() for count in counts], "the notifications")


def scenario(lab):
    dice = lab.hosted_dice()
    lab.bluetoothd()
    for adapter in (dice.adapter, dice.hosted):
        lab.until(lambda: hci.is_up(adapter.index), "bluetoothd powers the adapters")
    GATTServer(lab, HOSTED, apps.SERVICE.lower(), [
        (apps.ROLL.lower(), "read,write,notify", bytes(LENGTHS)), (apps.TEXT.lower(), "read,write", bytes(VALUE_BYTES_MAX))])
    agent = lab.agent(manifest=apps.MANIFEST.format(index=dice.adapter.index))
    agent.await_state("on", 30)
    probe = apps.probe(lab, agent, HOSTED)
    # BlueZ has services of its own, too: Generic Access, Generic Attribute, Device Information.
    found = f"service {apps.SERVICE}: {apps.ROLL} {apps.TEXT}"
    probe.expect(found, "explored: 512 bytes fit")
    for byte_count in (1, VALUE_BYTES_MAX):
        apps.check_long_value(probe, apps.TEXT, byte_count)
    check_notifications(lab, probe)
    # The link ends in the middle of a request, from the accessory's side.
    probe.say(f"read {apps.TEXT}")
    dice.hosted.drop()
    probe.expect("connected", found)
    apps.check_long_value(probe, apps.TEXT, VALUE_BYTES_MAX)
    lab.equal(agent.end(), 0, "the agent's exit status")

# SPDX-License-Identifier: GPL-3.0-or-later
"""bumble-peer.py [--classic] [--hid] [--dice] [--public] [--others N]: an adapter of the kernel, and near it an accessory
that can be paired; controllers, Security Manager and GATT server are bumble's (PyPI). Prints lines that begin with the
kernel's clock. It reads orders, and prints "done ORDER" after each:

io none|display|keyboard|yesno|both   what the accessory has for digits; none at first
answer yes|no|nothing|wrong           its part in a pairing: it agrees; refuses the request; is silent; says that numbers
                                      differ, when its person types, and takes other digits than it is given
legacy on|off                         without Secure Connections
digits NUMBER                         what its person types
rotate                                advertises with a new private address
settle                                advertises with its identity address
claim                                 gives the other accessory's identity with its keys from now on
off, on                               advertises no more, advertises again
drop                                  ends its connections
forget                                loses its bonds
security                              requests security
notify HEX                            notifies the open value
replug                                the adapter is unplugged and plugged in again
count                                 prints how many reports the kernel got
hush on|off                           the adapter hears nothing, hears again
others NUMBER                         this many other devices advertise
neighbour ORDER                       an order to the other accessory, which advertises after "neighbour on"
"""

import argparse
import asyncio
import itertools
import sys

from bumble import controller, device, gatt, hci, host, keys, pairing
from bumble.core import UUID
from bumble.transport.common import AsyncPipeSink

from peer import IDENTITY, IDENTITY_KEY, PUBLIC
from vhci_adapter import EXTENDED, Adapter, Air, say

NEIGHBOUR, NEIGHBOUR_KEY = "C4:A1:00:00:1E:28", bytes.fromhex("0123456789abcdeffedcba9876543210")
SERVICE, OPEN, SECRET = "FF01", "FF11", "FF12"
DICE, ROLL = "12345678-1234-1234-1234-123456789ABC", "12345679-1234-1234-1234-123456789ABC"
MANUFACTURER_DATA = bytes.fromhex("07ffee0ea55a0312")
# Milliseconds of an advertising interval; bumble's controller takes units of 0.625 ms for milliseconds.
INTERVAL = 62.5
# USB HID 1.11, 6.2.2: a keyboard with one byte of keys.
REPORT_MAP = bytes.fromhex("05010906a101850105071901297f1500257f750895018100c0")

CAPABILITIES = {
    "none": pairing.PairingDelegate.NO_OUTPUT_NO_INPUT, "display": pairing.PairingDelegate.DISPLAY_OUTPUT_ONLY,
    "keyboard": pairing.PairingDelegate.KEYBOARD_INPUT_ONLY,
    "yesno": pairing.PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT,
    "both": pairing.PairingDelegate.DISPLAY_OUTPUT_AND_KEYBOARD_INPUT,
}


class Person(pairing.PairingDelegate):
    """The person at the accessory, during one pairing."""

    def __init__(self, accessory):
        keys_ = self.DEFAULT_KEY_DISTRIBUTION
        if accessory.settings.classic:
            keys_ |= self.KeyDistribution.DISTRIBUTE_LINK_KEY
        super().__init__(CAPABILITIES[accessory.io], keys_, keys_)
        self.accessory = accessory

    async def accept(self):
        self.accessory.say("asked to pair")
        if self.accessory.answer == "nothing":
            await asyncio.Future()
        return self.accessory.answer != "no"

    async def compare_numbers(self, number, digits):
        self.accessory.say("compares", f"{number:06d}")
        if self.accessory.answer == "wrong":
            await self.accessory.digits.get()
        return self.accessory.answer != "wrong"

    async def get_number(self):
        self.accessory.say("awaits digits")
        number = await self.accessory.digits.get()
        return (number + 1) % 1_000_000 if self.accessory.answer == "wrong" else number

    async def display_number(self, number, digits):
        self.accessory.say("shows", f"{number:06d}")


class Accessory:
    """`prefix` begins all that it prints."""

    def __init__(self, air, settings, prefix="", identity=IDENTITY, identity_key=IDENTITY_KEY):
        self.settings, self.prefix, self.identity = settings, prefix, hci.Address(identity)
        self.io, self.answer, self.is_legacy = "none", "yes", False
        self.digits = asyncio.Queue()
        self.controller = controller.Controller(f"{prefix}accessory", link=air, public_address=PUBLIC)
        self.controller.le_features &= ~EXTENDED
        self.device = self._make_device(identity_key)
        self.open = self._add_services()

    def say(self, *words):
        say(*self.prefix.split(), *words)

    def _make_device(self, identity_key):
        configuration = device.DeviceConfiguration(
            name="Lumo lock", address=self.identity, irk=identity_key, le_rpa_timeout=0, keystore=None,
            classic_enabled=False)
        configuration.advertising_interval_min = configuration.advertising_interval_max = INTERVAL
        made = device.Device(config=configuration, host=host.Host(self.controller, AsyncPipeSink(self.controller)))
        made.keystore = keys.MemoryKeyStore()
        made.gatt_server.max_mtu = 517
        kind = pairing.PairingConfig.AddressType
        made.pairing_config_factory = lambda connection: pairing.PairingConfig(
            sc=not self.is_legacy, mitm=self.io != "none", bonding=True, delegate=Person(self),
            identity_address_type=kind.PUBLIC if self.settings.public else kind.RANDOM)
        made.on("connection", self._connected)
        return made

    def _add_services(self):
        properties, permissions = gatt.Characteristic.Properties, gatt.Characteristic.Permissions
        readable, encrypted = permissions.READABLE, permissions.READABLE | permissions.READ_REQUIRES_ENCRYPTION
        read_notify = properties.READ | properties.NOTIFY
        made = gatt.Characteristic(OPEN, read_notify, readable, b"open")
        self.device.add_service(gatt.Service(
            SERVICE, [made, gatt.Characteristic(SECRET, properties.READ, encrypted, b"sesame")]))
        if self.settings.dice:
            made = gatt.Characteristic(ROLL, read_notify, encrypted, bytes([1]))
            sides = gatt.Characteristic(
                SERVICE, properties.READ | properties.WRITE,
                encrypted | permissions.WRITEABLE | permissions.WRITE_REQUIRES_ENCRYPTION, bytes([6]))
            self.device.add_service(gatt.Service(
                "180F", [gatt.Characteristic("2A19", properties.READ, readable, bytes([97]))]))
            self.device.add_service(gatt.Service(DICE, [made, sides]))
        if self.settings.hid:
            self._add_keyboard(properties, readable, encrypted)
        return made

    def _add_keyboard(self, properties, readable, encrypted):
        """HID over GATT (HOGP 1.0), and Device Information with the PnP ID that it wants."""
        self.device.add_service(gatt.Service(
            "180A", [gatt.Characteristic("2A50", properties.READ, readable, bytes.fromhex("02ee0e01000100"))]))
        report = gatt.Characteristic(
            "2A4D", properties.READ | properties.NOTIFY, encrypted, bytes(1),
            [gatt.Descriptor("2908", readable, bytes([1, 1]))])
        self.device.add_service(gatt.Service("1812", [
            gatt.Characteristic("2A4A", properties.READ, encrypted, bytes.fromhex("11010003")),
            gatt.Characteristic("2A4B", properties.READ, encrypted, REPORT_MAP),
            gatt.Characteristic(
                "2A4C", properties.WRITE_WITHOUT_RESPONSE, gatt.Characteristic.Permissions.WRITEABLE, bytes(1)),
            report]))

    def _connected(self, connection):
        self.say("connected")
        connection.on(connection.EVENT_DISCONNECTION, lambda reason: self.say("disconnected, reason", int(reason)))
        connection.on(connection.EVENT_PAIRING, lambda found: self._paired(connection, found))
        connection.on(connection.EVENT_PAIRING_FAILURE, lambda reason: self.say("pairing failed, reason", int(reason)))
        connection.on(
            connection.EVENT_CONNECTION_ENCRYPTION_CHANGE, lambda: self.say("encrypted", int(connection.encryption)))

    def _paired(self, connection, found):
        key = found.ltk or found.ltk_central
        # Asked for a key after legacy pairing, bumble takes the one that the other side gave, for the other role.
        found.ltk_peripheral = found.ltk_central
        self.say(
            "paired", "secure connections" if connection.sc else "legacy",
            "authenticated" if key and key.authenticated else "unauthenticated",
            "with a link key" if found.link_key else "without a link key")

    def _data(self):
        """What it advertises."""
        data = b"\x02\x01\x06" + (b"" if self.settings.dice else MANUFACTURER_DATA)
        if self.settings.dice:
            data += b"\x11\x07" + bytes(UUID(DICE))
        if self.settings.hid:
            data += b"\x03\x03\x12\x18\x03\x19\xc1\x03"
        return data

    async def advertise(self):
        kind = hci.OwnAddressType.PUBLIC if self.settings.public else hci.OwnAddressType.RANDOM
        await self.device.start_advertising(auto_restart=True, own_address_type=kind, advertising_data=self._data())
        self.say("advertises", str(PUBLIC if self.settings.public else self.device.random_address).removesuffix("/P"))

    async def obey(self, order, argument):
        if order == "io":
            self.io = argument
        elif order == "answer":
            self.answer = argument
        elif order == "legacy":
            self.is_legacy = argument == "on"
        elif order == "digits":
            self.digits.put_nowait(int(argument))
        elif order in ("rotate", "settle"):
            await self.device.stop_advertising()
            self.device.random_address = (
                self.identity if order == "settle" else hci.Address.generate_private_address(self.device.irk))
            await self.device.send_sync_command(
                hci.HCI_LE_Set_Random_Address_Command(random_address=self.device.random_address))
            await self.advertise()
        elif order == "claim":
            self.device.static_address = hci.Address(IDENTITY)
        elif order == "off":
            await self.device.stop_advertising()
        elif order == "on":
            await self.advertise()
        elif order == "drop":
            for connection in list(self.device.connections.values()):
                await connection.disconnect()
        elif order == "forget":
            await self.device.keystore.delete_all()
        elif order == "security":
            for connection in self.device.connections.values():
                connection.request_pairing()
        elif order == "notify":
            await self.device.notify_subscribers(self.open, bytes.fromhex(argument))
        else:
            self.say("unknown order", order)


class World:
    """The air, the adapter, and two accessories."""

    def __init__(self, settings):
        self.settings = settings
        self.air = Air()
        self.adapter = Adapter(self.air, settings.classic)
        self.accessory = Accessory(self.air, settings)
        self.neighbour = Accessory(self.air, settings, "neighbour ", NEIGHBOUR, NEIGHBOUR_KEY)

    async def others(self):
        """Other devices advertise, each ten times a second, so that hardly any time passes without a report."""
        for turn in itertools.count():
            if count := self.settings.others:
                self.adapter.hear(bytes([turn % count, 1, 2, 3, 4, 0xC5]), 1, b"\x02\x01\x06")
            await asyncio.sleep(0.1 / max(count, 1))

    async def obey(self, order, argument):
        if order == "replug":
            self.adapter.unplug()
            await asyncio.sleep(0.2)
            self.adapter = Adapter(self.air, self.settings.classic)
        elif order == "count":
            say("reports", self.adapter.reports)
        elif order == "hush":
            self.adapter.is_hushed = argument == "on"
        elif order == "others":
            self.settings.others = int(argument)
        elif order == "neighbour":
            order, _, argument = argument.partition(" ")
            await self.neighbour.obey(order, argument)
        else:
            await self.accessory.obey(order, argument)

    async def run(self):
        await self.accessory.device.power_on()
        await self.neighbour.device.power_on()
        await self.accessory.advertise()
        say("ready")
        others = asyncio.create_task(self.others())
        reader = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        while line := (await reader.readline()).decode():
            order, _, argument = line.strip().partition(" ")
            await self.obey(order, argument)
            say("done", line.strip())
        others.cancel()


async def main():
    parser = argparse.ArgumentParser()
    for name in ("classic", "hid", "dice", "public"):
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--others", type=int, default=20)
    await World(parser.parse_args()).run()


asyncio.run(main())

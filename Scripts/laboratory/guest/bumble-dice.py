# SPDX-License-Identifier: GPL-3.0-or-later
"""bumble-dice.py DESCRIPTOR ADDRESS: dice as an accessory, with the host, the controller and the GATT server of bumble
(PyPI). The other side of DESCRIPTOR is an adapter of the kernel; guest/relay.py has the messages. Orders of a scenario:

roll N     notifies a roll
burst N    notifies N values of four bytes, numbered from 0
mtu N      takes packets of the Attribute Protocol of at most N bytes, from the next connection on; 517 at first
drop       ends the connection
"""

import asyncio
import socket
import struct
import sys

from bumble import controller, device, gatt, hci, host, link, ll
from bumble.transport.common import AsyncPipeSink

SERVICE = "12345678-1234-1234-1234-123456789ABC"
ROLL = "12345679-1234-1234-1234-123456789ABC"
CENTRAL = hci.Address("00:E0:4C:00:00:07", hci.Address.PUBLIC_DEVICE_ADDRESS)
# Flags, and the service's UUID, last byte first.
ADVERTISEMENT = bytes.fromhex("0201061107") + bytes.fromhex(SERVICE.replace("-", ""))[::-1]


class Air(link.LocalLink):
    """What the controller of the dice sends goes to the socket, and what the socket receives to the controller."""

    def __init__(self, descriptor):
        super().__init__()
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET, fileno=descriptor)
        self.dice = None
        self.orders = asyncio.Queue()

    def send_advertising_pdu(self, sender_controller, packet):
        self.socket.send(b"A" + bytes(packet.advertiser_address) + packet.data)

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        self.socket.send(b"D" + data)

    def send_ll_control_pdu(self, sender_address, receiver_address, packet):
        if isinstance(packet, ll.TerminateInd):
            self.socket.send(bytes([ord("X"), packet.error_code]))
        elif isinstance(packet, (ll.FeatureReq, ll.PeripheralFeatureReq)):
            reply = ll.FeatureRsp(feature_set=bytes(8))
            asyncio.get_running_loop().call_soon(self.dice.on_ll_control_pdu, CENTRAL, reply)

    def receive(self):
        message = self.socket.recv(2048)
        kind, body = message[:1], message[1:]
        if kind == b"C":
            self.dice.on_le_connect_ind(ll.ConnectInd(
                initiator_address=CENTRAL, advertiser_address=self.dice.random_address, interval=24, latency=0,
                timeout=200))
        elif kind == b"D":
            self.dice.on_link_acl_data(CENTRAL, device.PhysicalTransport.LE, body)
        elif kind == b"X":
            self.dice.on_ll_control_pdu(CENTRAL, ll.TerminateInd(body[0]))
        elif kind == b"O":
            self.orders.put_nowait(body.decode())
        else:
            # The scenario is over.
            asyncio.get_running_loop().remove_reader(self.socket)
            self.orders.put_nowait("end")


async def drop(dice):
    for connection in list(dice.connections.values()):
        await connection.disconnect()


def make_services(dice):
    properties, permissions = gatt.Characteristic.Properties, gatt.Characteristic.Permissions
    readable, writable = permissions.READABLE, permissions.WRITEABLE

    async def end_connection(connection):
        """Never replies: the connection ends in the middle of the request."""
        await drop(dice)
        return b""

    roll = gatt.Characteristic(ROLL, properties.READ | properties.NOTIFY, readable, bytes([1]))
    return roll, [
        gatt.Service("180F", [gatt.Characteristic("2A19", properties.READ, readable, bytes([97]))]),
        gatt.Service(SERVICE, [
            roll,
            gatt.Characteristic("FF01", properties.READ | properties.WRITE, readable | writable, bytes([6])),
            gatt.Characteristic("FF02", properties.READ | properties.WRITE, readable | writable, b"short"),
            gatt.Characteristic(
                "FF06", properties.READ, readable, gatt.CharacteristicValue(read=end_connection)),
        ]),
    ]


async def main():
    air = Air(int(sys.argv[1]))
    air.dice = controller.Controller("dice", link=air)
    dice = device.Device(
        name="Dice", address=hci.Address(sys.argv[2]), host=host.Host(air.dice, AsyncPipeSink(air.dice)))
    dice.gatt_server.max_mtu = 517
    roll, services = make_services(dice)
    dice.add_services(services)
    asyncio.get_running_loop().add_reader(air.socket, air.receive)
    await dice.power_on()
    await dice.start_advertising(
        auto_restart=True, advertising_data=ADVERTISEMENT, advertising_interval_min=100, advertising_interval_max=100)
    print("advertising", flush=True)
    while (order := await air.orders.get()) != "end":
        order, *number = order.split()
        if order == "roll":
            await dice.notify_subscribers(roll, bytes([int(number[0])]))
        elif order == "burst":
            for count in range(int(number[0])):
                await dice.notify_subscribers(roll, struct.pack("<I", count))
                # The event loop also reads and sends meanwhile.
                await asyncio.sleep(0)
        elif order == "mtu":
            dice.gatt_server.max_mtu = int(number[0])
        elif order == "drop":
            await drop(dice)


asyncio.run(main())

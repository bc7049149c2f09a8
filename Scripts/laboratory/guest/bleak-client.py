# SPDX-License-Identifier: GPL-3.0-or-later
"""bleak-client.py: counts what the library bleak tells of advertisements until SIGTERM, and prints
the number then and at SIGUSR1."""

import asyncio
import signal

from bleak import BleakScanner

reports = 0


def heard(device, advertisement):
    global reports
    reports += 1


def tell():
    print(reports, flush=True)


async def main():
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, tell)
    async with BleakScanner(heard, bluez={"filters": {"DuplicateData": True}}):
        print("discovers", flush=True)
        await ended.wait()
    tell()


asyncio.run(main())

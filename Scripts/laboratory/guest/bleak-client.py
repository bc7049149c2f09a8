# SPDX-License-Identifier: GPL-3.0-or-later
"""bleak-client.py: counts the advertisements that the library bleak reports, and prints their number at SIGUSR1, and at
SIGTERM, which ends it."""

import asyncio
import signal

from bleak import BleakScanner

reports = 0


def count(device, advertisement):
    global reports
    reports += 1


def print_count():
    print(reports, flush=True)


async def main():
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, print_count)
    async with BleakScanner(count, bluez={"filters": {"DuplicateData": True}}):
        print("discovers", flush=True)
        await ended.wait()
    print_count()


asyncio.run(main())

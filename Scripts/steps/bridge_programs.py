# SPDX-License-Identifier: GPL-3.0-or-later
"""What the steps of bridges share: programs that are killed and started again, and checks."""
import pathlib
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def use_wheels(name):
    """Makes the packages importable that Scripts/steps/NAME-wheels lists."""
    done = subprocess.run([ROOT / "Scripts/steps/wheels", name], check=True, text=True, stdout=subprocess.PIPE)
    sys.path.insert(0, done.stdout.strip())


def check(holds, what):
    if not holds:
        raise AssertionError(what)
    print(f"good: {what}", flush=True)


class Program:
    """A program that runs until it is killed, and can be started again."""

    def __init__(self, command, log, ready, **options):
        self.command, self.log, self.ready, self.options, self.process = command, log, ready, options, None

    def start(self, seconds=30):
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, **self.options)
        end = time.monotonic() + seconds
        while not self.ready():
            if self.process.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"this does not start: {' '.join(map(str, self.command))}")
            time.sleep(0.02)

    def kill(self, number=signal.SIGKILL):
        self.process.send_signal(number)
        self.process.wait()

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

    def resident_kilobytes(self):
        """VmRSS: see proc(5)."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(text.split("VmRSS:")[1].split()[0])

    def keeps_below(self, megabytes, name):
        """Its memory, after what the last connection alone needed was given back: within ten seconds."""
        end = time.monotonic() + 20
        while (kilobytes := self.resident_kilobytes()) > megabytes * 1024 and time.monotonic() < end:
            time.sleep(0.2)
        check(kilobytes <= megabytes * 1024, f"{name} has {kilobytes / 1024:.1f} MB of {megabytes} in memory")

    def kill(self, number=signal.SIGKILL):
        self.process.send_signal(number)
        self.process.wait()

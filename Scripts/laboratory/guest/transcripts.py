# SPDX-License-Identifier: GPL-3.0-or-later
"""What an app or an operator receives, line by line, without what differs each time; and how two such transcripts of the
same steps may differ."""

import difflib
import json

# Identifiers, numbers, times, levels and digits.
VARYING = {"accessory", "address", "addedAt", "bluetoothIdentifier", "candidate", "closed", "digits", "end", "epoch",
           "gone", "identifier", "of", "passed", "picker", "request", "rssi", "sequence", "session", "silence", "since",
           "time"}
# Left out: whether these are known depends on how many reports had arrived, and on how long the pairing took.
OMITTED = {"filteredRSSI", "intervalMilliseconds", "rhythmMilliseconds"}
# A state that one transcript may have and the other not. Operators see states: one that lasts less than a turn of the agent
# is passed over, as the time that the disk takes may be, and that between an answer and the end.
PASSED_OVER = '"phase": "settingUp"'


def comparable(value, key=None):
    """The value with "…" for what differs each time."""
    if isinstance(value, dict):
        return {name: comparable(member, name) for name, member in sorted(value.items()) if name not in OMITTED}
    if isinstance(value, list):
        return [comparable(member) for member in value]
    return "…" if key in VARYING and value is not None else value


class Transcript:
    """The lines of one connection. Left out is a line that repeats the last one about the same request or candidate, but
    for what differs each time: how often a level is reported is a matter of time."""

    def __init__(self):
        self._rows, self._last = [], {}

    def add(self, reply):
        row = json.dumps(comparable(reply), ensure_ascii=False)
        subject = self._subject(reply)
        if subject is None or self._last.get(subject) != row:
            self._rows.append((subject, row))
        self._last[subject] = row

    @staticmethod
    def _subject(reply):
        """The request, or the candidate's request and number."""
        if request := reply.get("request"):
            return request["request"]
        if candidate := reply.get("candidate"):
            return reply["of"], candidate["candidate"]
        return (reply["of"], reply["gone"]) if "gone" in reply else None

    def take(self, chosen=()):
        """The lines since the last call, of candidates those about the chosen ones: the addresses that an accessory had
        before are candidates too, until they count as lost."""
        rows, self._rows = self._rows, []
        return [row for subject, row in rows if not isinstance(subject, tuple) or subject in chosen]


def check_same(lab, kernel, daemon, differences=None):
    """Compares what was seen of pairings through the kernel and through bluetoothd, by the name of the step: lines in their
    order. `differences` has, for a step, rows of words of the kernel's way, the words through bluetoothd, and the reason;
    lines with words that have no counterpart are not compared."""
    lab.equal(list(kernel), list(daemon), "the steps")
    count = 0
    for step, rows in kernel.items():
        known = (differences or {}).get(step, ())
        left, right = settled(rows, known, 0), settled(daemon[step], known, 1)
        count += len(left)
        lines = "\n".join(difflib.unified_diff(left, right, "kernel", "bluetoothd", lineterm="", n=1))
        lab.check(not lines, f"{step}: the transcripts differ:\n{lines}")
    lab.figure("\n         lines that are the same through the kernel and bluetoothd", count)


def settled(rows, differences, side):
    """The lines without states of requests that may be passed over, and with the words that differ replaced by the reason."""
    kept = []
    for row in rows:
        is_state = row.startswith('operator: {"request"')
        # Once a question is closed, the request is as it was before.
        if not is_state or PASSED_OVER not in row and row not in kept:
            kept.append(row)
    for difference in differences:
        if difference[1] is None:
            kept = [row for row in kept if difference[0] not in row]
        else:
            kept = [row.replace(difference[side], difference[2]) for row in kept]
    return kept

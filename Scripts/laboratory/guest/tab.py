# SPDX-License-Identifier: GPL-3.0-or-later
"""A browser's tab in the page of accessory-web, without a browser."""

import json
import urllib.request

ADDRESS = "http://127.0.0.1:8484"
# Longer than an operator's choice may take.
PATIENCE = 170


class Tab:
    """Logged in by the link that `accessoryctl web` has printed."""

    def __init__(self, link):
        self.cookie = None
        with self.post("/login", code=link.split("#")[1].split()[0]) as reply:
            self.cookie = reply.headers["Set-Cookie"].split(";")[0]

    def _open(self, path, body=None, **head):
        if self.cookie:
            head["Cookie"] = self.cookie
        return urllib.request.urlopen(urllib.request.Request(ADDRESS + path, body, head), timeout=PATIENCE)

    def get(self, path):
        return self._open(path)

    def post(self, path, **body):
        return self._open(path, json.dumps(body).encode(), **{"Origin": ADDRESS, "Content-Type": "application/json"})

    def events(self):
        """The stream, as pairs of a name and an object, without an end."""
        name = None
        for line in self.get("/events"):
            word, _, rest = line.decode().rstrip("\n").partition(": ")
            if word == "event":
                name = rest
            elif word == "data":
                yield name, json.loads(rest)

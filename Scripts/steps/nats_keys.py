# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys and JSON Web Tokens of NATS (documentation of NATS, "NKeys", "JWT"), made with OpenSSL, for the steps."""
import base64
import hashlib
import json
import pathlib
import subprocess
import tempfile
import time

OPERATOR, ACCOUNT, USER = 14 << 3, 0, 20 << 3
# PKCS #8 (RFC 8410) in front of the 32 bytes of a private key.
PRIVATE_HEAD = bytes.fromhex("302e020100300506032b657004220420")


def checksum(data):
    """CRC-16/XMODEM."""
    value = 0
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = value << 1 ^ (0x1021 if value & 0x8000 else 0)
    return (value & 0xFFFF).to_bytes(2, "little")


def text(data):
    return base64.b32encode(data + checksum(data)).decode().rstrip("=")


def without_padding(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class Key:
    """A key of an operator, an account or a user."""

    def __init__(self, kind):
        self.kind = kind
        private = subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-outform", "DER"], check=True,
                                 stdout=subprocess.PIPE).stdout
        self.secret = private[len(PRIVATE_HEAD):]
        assert private.startswith(PRIVATE_HEAD) and len(self.secret) == 32
        public = subprocess.run(["openssl", "pkey", "-inform", "DER", "-pubout", "-outform", "DER"], check=True, input=private,
                                stdout=subprocess.PIPE).stdout[-32:]
        self.public = text(bytes([kind]) + public)
        self.seed = text(bytes([18 << 3 | kind >> 5, (kind & 31) << 3]) + self.secret)

    def sign(self, data):
        with tempfile.TemporaryDirectory() as name:
            key, message = pathlib.Path(name, "key"), pathlib.Path(name, "message")
            key.write_bytes(PRIVATE_HEAD + self.secret)
            message.write_bytes(data)
            return subprocess.run(
                ["openssl", "pkeyutl", "-sign", "-keyform", "DER", "-inkey", key, "-rawin", "-in", message], check=True,
                stdout=subprocess.PIPE).stdout

    def token(self, subject, name, nats):
        """A token about the key `subject`, signed by this one."""
        claims = {"iat": int(time.time()), "iss": self.public, "name": name, "sub": subject.public, "nats": {"version": 2, **nats}}
        claims["jti"] = base64.b32encode(hashlib.sha256(json.dumps(claims).encode()).digest()).decode().rstrip("=")
        head = {"typ": "JWT", "alg": "ed25519-nkey"}
        signed = ".".join(without_padding(json.dumps(part).encode()) for part in (head, claims))
        return f"{signed}.{without_padding(self.sign(signed.encode()))}"


def operator_mode():
    """The lines of a server's configuration in operator mode, and a user's credentials for it."""
    operator, account, user, system = Key(OPERATOR), Key(ACCOUNT), Key(USER), Key(ACCOUNT)
    limits = dict.fromkeys(
        ["subs", "data", "payload", "imports", "exports", "conn", "leaf", "mem_storage", "disk_storage", "streams", "consumer"], -1)
    account_token = operator.token(account, "gateways", {"type": "account", "limits": {**limits, "wildcards": True}})
    system_token = operator.token(system, "system", {"type": "account", "limits": {"subs": -1, "data": -1, "payload": -1, "conn": -1, "leaf": -1,
                                                          "imports": -1, "exports": -1, "wildcards": True}})
    user_token = account.token(user, "gateway", {"type": "user", "subs": -1, "data": -1, "payload": -1})
    configuration = (f"operator: {operator.token(operator, 'operator', {'type': 'operator'})}\nresolver: MEMORY\n"
                     f"system_account: {system.public}\n"
                     f"resolver_preload: {{ {account.public}: {account_token}, {system.public}: {system_token} }}\n")
    credentials = (f"-----BEGIN NATS USER JWT-----\n{user_token}\n------END NATS USER JWT------\n\n"
                   f"-----BEGIN USER NKEY SEED-----\n{user.seed}\n------END USER NKEY SEED------\n")
    return configuration, credentials

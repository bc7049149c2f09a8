# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes as text (Config/demo-scene.toml explains the format)."""

HEAD = """schema = 1
seed = 11
[controller]
address = "00:E0:4C:00:00:01"
version = "5.2"
extended-advertising = true
coded-phy = true
[signal]
sigma = "2dB"
"""

DEVICE = """[[device]]
name = "device {index}"
address = "{address}"
address-type = "static"
interval = "{interval}ms"
payload = [{{ flags = 0x6 }}, {{ company = "{company}", data = "{data}" }}]
dbm = {level}
"""

ROTATING = """[[device]]
name = "rotating {index}"
address-type = "resolvable"
identity-key = "{key}"
rotation = "{rotation}s"
interval = "200ms"
payload = [{{ flags = 0x6 }}, {{ company = "0x0EEE", data = "a55a0010" }}]
dbm = -60
"""


# The keys of rotating devices; the agent may have the first one.
KEYS = ["00000000000000110000000000002233", "00000000000000440000000000005566"]
IDENTITIES = f"""schema = 1
[[identity]]
address = "C0:11:22:33:44:55"
address-type = "random"
irk = "{KEYS[0]}"
"""


def identity_keys(lab):
    """Writes the file of identity keys."""
    path = lab.folder / "keys.toml"
    path.write_text(IDENTITIES)
    path.chmod(0o600)
    return path


def crowd(count, targets, interval=1000):
    """A scene of `count` devices, of which the first `targets` match the manifest."""
    rows = []
    for index in range(count):
        is_target = index < targets
        rows.append(DEVICE.format(
            index=index, address=f"C4:A1:00:00:{index >> 8:02X}:{index & 0xFF:02X}", interval=interval,
            company="0x0EEE" if is_target else "0x004C", data="a55a0010" if is_target else f"12{index & 0xFF:02x}",
            level=-45 - index % 40))
    return HEAD + "".join(rows)


def rotating(keys, rotation):
    """A scene of devices that change their private address every `rotation` seconds."""
    return HEAD + "".join(
        ROTATING.format(index=index, key=key, rotation=rotation) for index, key in enumerate(keys))

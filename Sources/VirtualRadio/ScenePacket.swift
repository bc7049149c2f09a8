// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// What the host receives from the controller: an H4 packet and when it came.
public struct ScenePacket: Equatable, Sendable {
  public let time: Instant
  public let bytes: [UInt8]
}

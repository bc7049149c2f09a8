// SPDX-License-Identifier: GPL-3.0-or-later

public import DeviceLines
import Discovery
import HCI
public import Manifest

extension ManifestDataPath {
  /// Every device in the table, the strongest first.
  public var devices: [DeviceView] {
    liveRows.compactMap { device(atRow: $0) }.sorted { $0.order < $1.order }
  }

  /// The devices of an address, by whichever type they have it; by their private or their identity address.
  public func devices(at bits: UInt64) -> [DeviceView] {
    devices.filter { $0.address.bits == bits || $0.device.address.bits == bits }
  }
}

extension DeviceView {
  /// Strongest first by the exact level, without a reading last, then by address.
  fileprivate var order: (Int, UInt64, UInt8) {
    let level = device.signal.readingCount == 0 ? .max : -Int(device.signal.level)
    return (level, address.bits, address.type.rawValue)
  }
}

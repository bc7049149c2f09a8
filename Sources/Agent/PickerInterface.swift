// SPDX-License-Identifier: GPL-3.0-or-later

import CInterfaces

/// `io.accessoryd.Picker`: what operators decide about accessories.
public enum PickerInterface: ServedInterface {
  public static let name = "io.accessoryd.Picker"

  public static var text: [UInt8] { (0..<cinterfaces_picker_count).map { cinterfaces_picker_octet($0) } }
}

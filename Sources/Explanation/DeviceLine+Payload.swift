// SPDX-License-Identifier: GPL-3.0-or-later

public import Interfaces

extension DeviceLine {
  /// The two parts of ``data``.
  public var payload: (data: [UInt8], response: [UInt8]) {
    let response = responseBytes ?? 0
    return (Array(data.dropLast(response)), Array(data.suffix(response)))
  }
}

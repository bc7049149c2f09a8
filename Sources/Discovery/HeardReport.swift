// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// The parts of a report's header that the pipeline decides on, small enough to travel in registers.
struct HeardReport: BitwiseCopyable {
  let address: DeviceAddress
  let properties: ReportHeader.Properties
  let dataStatus: DataStatus
  let advertisingSID: UInt8
  let txPower: Int8
  let rssi: Int8

  @inline(__always)
  init(_ header: ReportHeader) {
    address = header.address
    properties = header.properties
    dataStatus = header.dataStatus
    advertisingSID = header.advertisingSID
    txPower = header.txPower
    rssi = header.rssi
  }

  /// A legacy report, whose data is always complete and which states neither an Advertising SID nor a transmit power.
  @inline(__always)
  init(legacy address: DeviceAddress, _ properties: ReportHeader.Properties, rssi: Int8) {
    self.address = address
    self.properties = properties
    self.rssi = rssi
    dataStatus = .complete
    advertisingSID = ReportHeader.noAdvertisingSID
    txPower = ReportHeader.noTxPower
  }

  @inline(__always)
  var hasReading: Bool { rssi >= -127 && rssi <= 20 }

  @inline(__always)
  var isConnectable: Bool { properties.contains(.connectable) }

  @inline(__always)
  var isResponse: Bool { properties.contains(.scanResponse) }
}

/// What the header of an extended report says that the pipeline does not decide on.
struct LastExtendedReport: BitwiseCopyable {
  var primaryPHY: UInt8 = 1
  /// 0 for none.
  var secondaryPHY: UInt8 = 0

  init() {}

  init(_ header: ReportHeader) {
    primaryPHY = header.primaryPHY.rawValue
    secondaryPHY = header.secondaryPHY?.rawValue ?? 0
  }
}

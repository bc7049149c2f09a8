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

  /// The last report of a device, as far as its row and set know it; `extended` is what its header said, if it was an
  /// extended one.
  init(
    last device: Device, _ part: PayloadPart, of set: AdvertisingSet, isScannable: Bool,
    _ extended: LastExtendedReport
  ) {
    address = device.address
    rssi = device.rssi
    advertisingSID = set.advertisingSID
    let isExtended = advertisingSID != ReportHeader.noAdvertisingSID
    dataStatus = isExtended ? extended.dataStatus : .complete
    txPower = isExtended ? extended.txPower : ReportHeader.noTxPower
    var properties = ReportHeader.Properties(rawValue: 0)
    if isExtended { properties.insert(.extendedEvent) }
    if part == .response { properties.insert(.scanResponse) }
    if set.isConnectable { properties.insert(.connectable) }
    if isScannable { properties.insert(.scannable) }
    self.properties = properties
  }

  @inline(__always)
  var hasReading: Bool { rssi >= -127 && rssi <= 20 }

  @inline(__always)
  var isConnectable: Bool { properties.contains(.connectable) }

  @inline(__always)
  var isResponse: Bool { properties.contains(.scanResponse) }
}

/// What the header of an extended report says that a row does not keep.
struct LastExtendedReport: BitwiseCopyable {
  var primaryPHY: UInt8 = 1
  /// 0 for none.
  var secondaryPHY: UInt8 = 0
  var dataStatus = DataStatus.complete
  var txPower = ReportHeader.noTxPower

  init() {}

  init(_ header: ReportHeader) {
    primaryPHY = header.primaryPHY.rawValue
    secondaryPHY = header.secondaryPHY?.rawValue ?? 0
    dataStatus = header.dataStatus
    txPower = header.txPower
  }
}

// SPDX-License-Identifier: Apache-2.0

public import AccessorySetupKit
public import Foundation
import GATT

/// What services, characteristics and descriptors have in common.
open class CBAttribute: NSObject, @unchecked Sendable {
  private let identifier: CBUUID

  init(_ uuid: CBUUID) { identifier = uuid }

  /// What it is.
  open var uuid: CBUUID { identifier }
}

/// A service of a peripheral, as it was discovered. It is valid until the connection ends, or the service changes.
open class CBService: CBAttribute, @unchecked Sendable {
  private struct Contents {
    var includedServices: [CBService]?
    var characteristics: [CBCharacteristic]?
    var isValid = true
  }

  let service: GATTService
  private let contents = Locked(Contents())
  private weak var owner: CBPeripheral?

  init(_ service: GATTService, of peripheral: CBPeripheral) {
    self.service = service
    owner = peripheral
    super.init(CBUUID(service.uuid))
  }

  /// A service that no peripheral has.
  override init(_ uuid: CBUUID) {
    service = GATTService(range: .all, uuid: AttributeUUID(uuid) ?? .unassigned)
    super.init(uuid)
  }

  /// The peripheral that it is part of; nil when that is gone.
  open var peripheral: CBPeripheral? { owner }

  /// Always true: only primary services are discovered, and those that they include.
  open var isPrimary: Bool { true }

  /// nil until they were discovered.
  open var includedServices: [CBService]? { contents.withLock { $0.includedServices } }

  /// nil until they were discovered.
  open var characteristics: [CBCharacteristic]? { contents.withLock { $0.characteristics } }

  func setIncludedServices(_ services: [CBService]) { contents.withLock { $0.includedServices = services } }

  func setCharacteristics(_ characteristics: [CBCharacteristic]) {
    contents.withLock { $0.characteristics = characteristics }
  }

  /// Whether its handles are those of the peripheral now.
  var isValid: Bool { contents.withLock { $0.isValid } }

  func invalidate() { contents.withLock { $0.isValid = false } }

  open override var description: String { "CBService(\(uuid))" }
}

extension CBUUID {
  convenience init(_ uuid: AttributeUUID) {
    self.init(data: Data(uuid.short.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } ?? uuid.bigEndianBytes))
  }
}

extension AttributeUUID {
  static let unassigned = AttributeUUID(0)

  /// nil for a UUID that was made of another number of bytes than a UUID has.
  init?(_ uuid: CBUUID) { self.init(bigEndian: uuid.data) }
}

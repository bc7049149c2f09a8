// SPDX-License-Identifier: GPL-3.0-or-later

import GATT

/// Finds what a device offers, one service after the other.
struct ServiceListing {
  struct Characteristic {
    let declaration: GATTCharacteristic
    var descriptors: [AttributeType] = []
  }

  struct Service {
    let declaration: GATTService
    var characteristics: [Characteristic] = []
  }

  /// More attributes than a device has, and fewer than a client could be sent at once.
  static let attributesMax = 512

  private var services: ArraySlice<GATTService> = []
  /// The one whose characteristics are being found.
  private var service: Service?
  /// Those whose descriptors are to be found.
  private var declarations: ArraySlice<GATTCharacteristic> = []
  private var count = 0

  /// Adds what the device has answered. Returns false when it is too much.
  mutating func add(_ found: GATTResult) -> Bool {
    switch found {
    case .services(let found):
      services = found[...]
      count += found.count
    case .characteristics(let found):
      declarations = found[...]
      count += found.count
    case .descriptors(let found):
      if let declaration = declarations.popFirst() {
        service?.characteristics.append(Characteristic(declaration: declaration, descriptors: found))
      }
      count += found.count
    case .value, .done: break
    }
    return count <= Self.attributesMax
  }

  /// The service that is complete now.
  mutating func completeService() -> Service? {
    guard declarations.isEmpty else { return nil }
    defer { service = nil }
    return service
  }

  /// What to ask the device next; nil when nothing is left.
  mutating func next() -> GATTOperation? {
    if let declaration = declarations.first { return .discoverDescriptors(declaration) }
    guard let declaration = services.popFirst() else { return nil }
    service = Service(declaration: declaration)
    return .discoverCharacteristics(declaration.range)
  }
}

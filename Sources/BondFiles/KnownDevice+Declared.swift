// SPDX-License-Identifier: GPL-3.0-or-later

public import BlueZ
public import Manifest

extension KnownDevice {
  /// A property of a device that an app declares in the manifest.
  public enum Declared: String, CaseIterable, Sendable {
    case service, company, name
  }

  /// Returns the properties that BlueZ knows of the device and the app declares. With one of them, an item that comes
  /// with the app's calls can find the device.
  public func declared(by app: App) -> [Declared] {
    guard app.supports.contains(.bluetooth) else { return [] }
    return Declared.allCases.filter { declared in
      switch declared {
      case .service: app.services.contains { matches($0, at: \.serviceUUID) }
      case .company: app.companyIdentifiers.contains { matches($0, at: \.companyIdentifier) }
      case .name: app.names.contains { matches($0, at: \.nameSubstring) }
      }
    }
  }

  private func matches<Value>(
    _ value: Value, at clause: WritableKeyPath<DiscoveryDescriptor, Value?>
  ) -> Bool {
    var descriptor = DiscoveryDescriptor()
    descriptor[keyPath: clause] = value
    return match(descriptor) == .holds
  }
}

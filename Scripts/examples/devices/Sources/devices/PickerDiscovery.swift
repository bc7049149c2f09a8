// SPDX-License-Identifier: Apache-2.0

import AccessorySetupKit

/// Lets the user choose in the picker of AccessorySetupKit.
final class PickerDiscovery: DeviceDiscovery {
  var onEvent: (DiscoveryEvent) -> Void = { _ in }

  private let session = ASAccessorySession()
  private var accessories: [UUID: ASAccessory] = [:]

  func activate() {
    session.activate(on: .main, eventHandler: handleEvent(_:))
  }

  func start() {
    session.showPicker(for: DeviceModel.allCases.map(\.displayItem)) { [weak self] error in
      self?.onEvent(.ended(error))
    }
  }

  /// The user closes the picker; an app cannot.
  func stop() {}

  func rename(_ device: Device) {
    guard let accessory = accessories[device.id] else { return }
    session.renameAccessory(accessory) { [weak self] error in
      if let error = error { self?.onEvent(.ended(error)) }
    }
  }

  func remove(_ device: Device) {
    guard let accessory = accessories[device.id] else { return }
    session.removeAccessory(accessory) { [weak self] error in
      if let error = error { self?.onEvent(.ended(error)) }
    }
  }

  // MARK: - Events

  private func handleEvent(_ event: ASAccessoryEvent) {
    switch event.eventType {
    case .activated:
      for accessory in session.accessories { report(accessory) { .found($0) } }
      onEvent(.ready)
    case .accessoryAdded: report(event.accessory) { .found($0) }
    case .accessoryChanged: report(event.accessory) { .changed($0) }
    case .accessoryRemoved: report(event.accessory) { .lost($0) }
    case .invalidated: onEvent(.ended(event.error))
    default: break
    }
  }

  private func report(_ accessory: ASAccessory?, _ event: (Device) -> DiscoveryEvent) {
    guard let accessory = accessory, let identifier = accessory.bluetoothIdentifier,
      let model = DeviceModel(accessory.descriptor)
    else { return }
    accessories[identifier] = accessory
    onEvent(event(Device(id: identifier, model: model, name: accessory.displayName)))
  }
}

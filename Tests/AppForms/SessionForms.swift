// SPDX-License-Identifier: GPL-3.0-or-later
// swift-format-ignore-file: NeverForceUnwrap

// The forms in which iOS apps use a session. Each compiles on iOS as it stands, in both language modes. Only
// `@retroactive` is missing, which Swift refuses within one package.

import AccessorySetupKit

/// A queue and a method reference.
final class MethodReferenceForm {
  let session = ASAccessorySession()
  var eventTypes: [ASAccessoryEventType] = []

  func start() {
    session.activate(on: DispatchQueue.main, eventHandler: handleSessionEvent(event:))
  }

  func handleSessionEvent(event: ASAccessoryEvent) {
    eventTypes.append(event.eventType)
    switch event.eventType {
    case .activated: print(session.accessories)
    case .accessoryAdded, .accessoryChanged: print(event.accessory?.displayName ?? "")
    case .accessoryRemoved: break
    default: print("Received event type \(event.eventType)")
    }
  }

  func remove(_ accessory: ASAccessory) {
    session.removeAccessory(accessory) { error in
      if let error { print(error.localizedDescription) }
    }
  }
}

/// A main actor class, with weak references to itself.
@MainActor @Observable
final class MainActorForm {
  private(set) var accessories: [ASAccessory] = []
  private(set) var message: String?
  private var picked: ASAccessory?
  @ObservationIgnored private let session = ASAccessorySession()

  func start() {
    session.activate(on: .main) { [weak self] event in
      guard let self else { return }
      self.handle(event)
    }
  }

  private func handle(_ event: ASAccessoryEvent) {
    switch event.eventType {
    case .activated: accessories = session.accessories
    case .accessoryAdded: picked = event.accessory
    case .pickerDidDismiss:
      guard let accessory = picked else { return }
      picked = nil
      accessories.append(accessory)
    case .pickerSetupFailed: message = event.error?.localizedDescription
    default: break
    }
  }

  func show(_ items: [ASPickerDisplayItem]) {
    session.showPicker(for: items) { error in
      guard let error else { return }
      Task { @MainActor in self.message = error.localizedDescription }
    }
  }

  func showAndWait() async {
    do {
      try await session.showPicker(for: [.dice])
    } catch ASError.userCancelled {
      message = nil
    } catch let error as ASError where error.code == .pickerAlreadyActive {
      message = error.localizedDescription
    } catch {
      message = "\((error as NSError).code)"
    }
  }

  func stop() { session.invalidate() }
}

extension ASPickerDisplayItem {
  static var dice: ASPickerDisplayItem {
    let descriptor = ASDiscoveryDescriptor()
    descriptor.bluetoothServiceUUID = CBUUID(string: "E56A082E-C49B-47CA-A2AB-389127B8ABE7")
    descriptor.supportedOptions.insert(.bluetoothPairingLE)
    let item = ASPickerDisplayItem(
      name: "Dice", productImage: UIImage(named: "dice")!, descriptor: descriptor)
    item.setupOptions = [.rename, .confirmAuthorization]
    item.renameOptions = .ssid
    return item
  }
}

/// Every call as a function that suspends, outside of any actor.
func callEverything(
  _ session: ASAccessorySession, _ accessory: ASAccessory, _ discovered: ASDiscoveredAccessory
) async throws {
  try await session.showPicker()
  try await session.showPicker(for: [.dice])
  let item = ASDiscoveredDisplayItem(name: "Die", productImage: UIImage(), accessory: discovered)
  try await session.updatePicker(showing: [item])
  try await session.finishPickerDiscovery()
  try await session.renameAccessory(accessory)
  try await session.renameAccessory(accessory, options: .ssid)
  try await session.finishAuthorization(for: accessory, settings: .default)
  try await session.failAuthorization(for: accessory)
  try await session.updateAuthorization(for: accessory, descriptor: ASDiscoveryDescriptor())
  try await session.removeAccessory(accessory)
}

/// Every call with a completion handler.
func completeEverything(
  _ session: ASAccessorySession, _ accessory: ASAccessory, _ items: [ASDiscoveredDisplayItem]
) {
  session.showPicker { _ in }
  session.showPicker(for: [.dice], completionHandler: { _ in })
  session.updatePicker(showing: items) { _ in }
  session.finishPickerDiscovery { error in print(error ?? "done") }
  session.renameAccessory(accessory) { _ in }
  session.renameAccessory(accessory, options: [.ssid]) { _ in }
  session.finishAuthorization(for: accessory, settings: ASAccessorySettings()) { _ in }
  session.failAuthorization(for: accessory) { _ in }
  session.updateAuthorization(for: accessory, descriptor: .init()) { _ in }
  session.removeAccessory(accessory) { _ in }
}

/// Filtering what the picker found.
func filter(_ session: ASAccessorySession) {
  let settings = ASPickerDisplaySettings.default
  settings.discoveryTimeout = .unbounded
  settings.options.insert(.filterDiscoveryResults)
  session.pickerDisplaySettings = settings
  session.activate(on: .main) { [weak session] event in
    guard event.eventType == .accessoryDiscovered, let accessory = event.accessory as? ASDiscoveredAccessory
    else { return }
    let advertised = accessory.bluetoothAdvertisementData
    let name = advertised?[CBAdvertisementDataLocalNameKey] as? String
    let data = advertised?[CBAdvertisementDataManufacturerDataKey] as? Data
    let services = advertised?[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data]
    let isConnectable = advertised?[CBAdvertisementDataIsConnectable] as? Bool ?? true
    guard name != nil || data != nil || services != nil, isConnectable, accessory.bluetoothRSSI ?? -100 > -60
    else { return session?.finishPickerDiscovery { _ in } ?? () }
    let item = ASDiscoveredDisplayItem(
      name: "Die", productImage: UIImage(systemName: "dice")!.withTintColor(.systemBlue), accessory: accessory
    )
    session?.updatePicker(showing: [item]) { error in print(error as Any) }
  }
}

/// All cases, and what is to come.
func describe(_ type: ASAccessoryEventType) -> String {
  switch type {
  case .unknown: "unknown"
  case .activated: "activated"
  case .invalidated: "invalidated"
  case .migrationComplete: "migrationComplete"
  case .accessoryAdded: "accessoryAdded"
  case .accessoryRemoved: "accessoryRemoved"
  case .accessoryChanged: "accessoryChanged"
  case .accessoryDiscovered: "accessoryDiscovered"
  case .pickerDidPresent: "pickerDidPresent"
  case .pickerDidDismiss: "pickerDidDismiss"
  case .pickerSetupBridging: "pickerSetupBridging"
  case .pickerSetupFailed: "pickerSetupFailed"
  case .pickerSetupPairing: "pickerSetupPairing"
  case .pickerSetupRename: "pickerSetupRename"
  @unknown default: "new"
  }
}

extension ASAccessoryEventType: CustomStringConvertible {
  public var description: String { describe(self) }
}

extension ASAccessory.AccessoryState: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unauthorized: "unauthorized"
    case .awaitingAuthorization: "awaiting"
    case .authorized: "authorized"
    @unknown default: "new"
    }
  }
}

extension ASAccessory: Identifiable {
  public var id: UUID { bluetoothIdentifier ?? UUID() }
}

/// Accessories as keys, and properties of an app's own.
struct AccessoryBook {
  var notes: [AnyHashable: String] = [:]
  var seen: Set<ASAccessory> = []

  mutating func note(_ accessory: ASAccessory, _ text: String) {
    notes[AnyHashable(accessory)] = text
    seen.insert(accessory)
  }
}

/// An item of an app before AccessorySetupKit.
func migrationItems(_ identifier: UUID) -> [ASPickerDisplayItem] {
  let item = ASMigrationDisplayItem(
    name: "Old", productImage: UIImage(named: "old") ?? UIImage(), descriptor: ASDiscoveryDescriptor())
  item.peripheralIdentifier = identifier
  item.hotspotSSID = "Net"
  return [item, .dice]
}

/// What an error says.
func explain(_ error: any Error) -> String {
  if ASError.Code.invalidRequest ~= error { return "invalid" }
  guard let error = error as? ASError else { return error.localizedDescription }
  switch error.code {
  case .success, .unknown, .activationFailed, .connectionFailed, .discoveryTimeout, .extensionNotFound,
    .invalidated, .invalidRequest, .pickerAlreadyActive, .pickerRestricted, .userCancelled, .userRestricted:
    return "\(ASErrorDomain) \(error.errorCode) \(error.userInfo.count)"
  @unknown default: return "new"
  }
}

/// An actor, and a session that a subclass extends.
actor AccessoryActor {
  private let session = ASAccessorySession()

  func remove(_ accessory: ASAccessory) async throws { try await session.removeAccessory(accessory) }
}

final class CountingSession: ASAccessorySession, @unchecked Sendable {
  private(set) var count = 0

  override func invalidate() {
    count += 1
    super.invalidate()
  }
}

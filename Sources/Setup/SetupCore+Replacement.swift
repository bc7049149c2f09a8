// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import Manifest
import Pairing
public import Registry

// An accessory gets another device: identifiers, name and grants stay, for all apps.

extension SetupCore {
  /// An accessory that gets another device, with the device that it has.
  struct Replaced {
    let accessory: RandomIdentifier
    let device: RegistryDevice
  }

  /// Opens a request whose chosen candidate becomes the device of an accessory; with `device`, an address in the low 48
  /// bits, that one is chosen as soon as it is found.
  public mutating func replace(
    _ text: String, with device: UInt64?, settings: PickerSettings
  ) throws(OperatorError) -> (RandomIdentifier, [SetupEffect]) {
    let accessory = try accessory(text)
    guard var item = itemToReplace(accessory) else {
      throw .invalid(field: "accessory", reason: SetupError.isNotReplaceable.reason)
    }
    if item.isAppSupplied { item.item.id = AppSuppliedItem.id(inCall: reserveItemNumbers(1)) }
    if let open = flows.picker(ofApp: accessory.app) { throw .busy(open.id) }
    if let device { try requireNoAccessory(ofApp: accessory.app, at: device) }
    var picker = PickerRequest(
      [item], settings: settings, choice: device.map(PickerRequest.Choice.device) ?? .person,
      limits: configuration.limits, at: now)
    picker.replaced = accessory.identifier
    let id = random.draw()
    counters.requestsOpened += 1
    var flow = SetupFlow(id, app: accessory.app, .operator, picker, at: now)
    flow.displayName = registry.device(of: accessory).displayName
    flows.append(flow)
    change(id) { $0.present() }
    announce(id)
    return (id, takeEffects())
  }

  /// Whether an accessory gets another device now. What is learned about its old one meanwhile is not written.
  var isReplacing: Bool { flows.flows.contains(where: \.isReplacing) }

  /// Returns what devices an accessory may get; nil while its app cannot use it.
  private func itemToReplace(_ accessory: RegistryAccessory) -> PickerItem? {
    guard status(of: accessory) == .active, accessory.state == .authorized else { return nil }
    if let id = accessory.item {
      return configuration.item(id, ofApp: accessory.app).map { PickerItem($0) }
    }
    let name = registry.device(of: accessory).displayName
    var item = DisplayItem(id: "", name: name)
    item.descriptor = accessory.descriptor
    item.gate.isImmediate = accessory.descriptor.range == .immediate
    return PickerItem(item, isAppSupplied: true)
  }

  /// Returns the accessory that gets an operator's candidate, because the operator or the request says so; nil for a
  /// setup of a new one.
  func replacement(
    for flow: SetupFlow, _ candidate: PickerCandidate, named text: String?, _ name: String?
  ) throws(OperatorError) -> Replaced? {
    guard
      let identifier = try text.map({ (text) throws(OperatorError) in try accessory(text).identifier })
        ?? flow.picker?.replaced
    else { return nil }
    guard name == nil else {
      throw .invalid(field: "name", reason: "the accessory keeps its name; rename it afterwards")
    }
    do throws(SetupError) { return try replaced(identifier, by: candidate, in: flow) } catch {
      throw .invalid(field: "replaces", reason: "\(error.reason); \(error.cure)")
    }
  }

  /// Returns an accessory that a candidate may replace.
  func replaced(
    _ identifier: RandomIdentifier, by candidate: PickerCandidate, in flow: SetupFlow
  ) throws(SetupError) -> Replaced {
    guard let accessory = registry.accessory(identifier), let item = itemToReplace(accessory) else {
      throw .isNotReplaceable
    }
    let found = flow.picker?.items[candidate.item]
    let isSameItem = accessory.item == nil ? item.finds(like: found) : found?.item.id == accessory.item
    guard accessory.app == flow.app, isSameItem, flow.picker?.replaced ?? identifier == identifier else {
      throw .isOfAnotherItem
    }
    guard registry.device(candidate.device.settled) == nil else { throw .candidateIsAccessory }
    let device = registry.device(of: accessory)
    let sharing = registry.accessories(on: device)
    let isAsked = flows.flows.contains { flow in
      sharing.contains { flow.question?.accessory == $0.identifier || flow.awaitsApp(with: $0.identifier) }
    }
    guard !isAsked, (device.identity.address == nil) == (candidate.device.address == nil) else {
      throw .isNotReplaceable
    }
    return Replaced(accessory: identifier, device: device)
  }

  /// What the items of all apps that have a device demand of it.
  func options(of device: RegistryDevice) -> SupportOptions {
    registry.accessories(on: device).reduce(into: []) { $0.formUnion($1.descriptor.supportedOptions) }
  }

  /// Writes the chosen device in the place of an accessory's.
  mutating func replaceDevice(of accessory: RandomIdentifier, _ flow: SetupFlow) {
    guard let choice = flow.choice, let known = registry.accessory(accessory), status(of: known) == .active
    else { return change(flow.id) { $0.finish(.isNotReplaceable) } }
    var replacement = RegistryReplacement(of: accessory, by: choice.candidate.device.settled)
    replacement.isIdentityDurable = choice.candidate.device.isDurable
    replacement.ssid = choice.network
    if let device = flow.pairing?.device {
      replacement.bond = .bonded(device.record)
      replacement.identity = .bluetooth(device.identity)
    }
    enqueue(.apply(.replaceDevice(replacement)), .setup(flow: flow.id))
  }
}

extension SetupFlow {
  /// Lets the chosen candidate replace the device of an accessory with this name.
  mutating func replace(_ accessory: RandomIdentifier, named name: String) {
    choice?.replaced = accessory
    displayName = name
  }

  /// Whether a candidate was chosen that replaces a device.
  var isReplacing: Bool { state.has(.hasChosen) && choice?.replaced != nil }
}

extension PickerItem {
  /// Whether it finds what an item finds that an app supplied.
  fileprivate func finds(like other: PickerItem?) -> Bool {
    other?.isAppSupplied == true && other?.item.descriptor.visibleToApps == item.descriptor
  }
}

extension SetupError {
  fileprivate static let isNotReplaceable = Self(
    .invalidRequest, "its app cannot use the accessory now, or it is being set up or asked about",
    cure: "see accessoryctl list")
  fileprivate static let isOfAnotherItem = Self(
    .invalidRequest, "the accessory is another app's or another item's than the candidate",
    cure: "choose a device that its item matches")
  fileprivate static let candidateIsAccessory = Self(
    .invalidRequest, "the device is an accessory already", cure: "remove that accessory first")
}

// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import Registry

// What is in sight: candidates of pickers, devices held at the gateway, and those that are set up by themselves.

extension SetupCore {
  /// What the radio finds in so short a time after it came back was there before.
  static let settleMilliseconds: Int64 = 3000

  /// Everything that items of open requests, and automatic ones, have found; the rest is of no interest.
  public mutating func look(at sighted: [MatchedDevice]) {
    for request in requests where request.setup != nil { offer(sighted, to: request.id) }
    lookForTouches(sighted)
    chooseBeforehand()
    if configuration.hasAutomaticItems { setUpAutomatically(sighted) }
  }

  /// The radio scans, or does not.
  public mutating func radioIs(down: Bool) {
    guard down != isRadioDown else { return }
    isRadioDown = down
    radioSettled = down ? nil : now.advanced(milliseconds: Self.settleMilliseconds)
  }

  /// Whether what is found and lost is found and lost because of people, not of the radio.
  private var isSettled: Bool { !isRadioDown && radioSettled.map { $0 <= now } ?? true }

  // MARK: - Candidates

  private mutating func offer(_ sighted: [MatchedDevice], to id: RandomIdentifier) {
    guard let index = index(of: id), let setup = requests[index].setup else { return }
    let app = requests[index].app
    var found: [DeviceAddress: (item: Int, sighted: MatchedDevice)] = [:]
    for device in sighted where device.app == app {
      guard let item = setup.items.firstIndex(where: { $0.item.id == device.item }),
        found[device.address].map({ item < $0.item }) ?? true,
        !grants.grants(at: device.address).contains(where: { $0.app == app })
      else { continue }
      found[device.address] = (item, device)
    }
    for candidate in setup.picker.candidates where found[candidate.device] == nil {
      withSetupQuietly(index) { $0.picker.lose(candidate.device) }
    }
    for device in setup.picker.hidden where found[device] == nil {
      withSetupQuietly(index) { $0.picker.lose(device) }
    }
    for (item, device) in found.values.sorted(by: { $0.sighted.order < $1.sighted.order }) {
      hear(device, item: item, id)
    }
  }

  private mutating func hear(_ device: MatchedDevice, item: Int, _ id: RandomIdentifier) {
    guard let index = index(of: id) else { return }
    let now = now
    let report = CandidateReport(
      device.address, item: item, level: device.level, isInside: true, hasResponded: device.hasResponded)
    let events = withSetupQuietly(index) { setup in
      if setup.picker.isFiltered { setup.note(device) }
      let events = setup.picker.hear(report, at: now)
      if setup.picker.isFiltered { setup.note(device) }
      return events
    }
    tell(events, of: id)
  }

  // MARK: - Touch

  private mutating func lookForTouches(_ sighted: [MatchedDevice]) {
    var held: [RandomIdentifier: [DeviceAddress: String]] = [:]
    for request in requests {
      guard let setup = request.setup, setup.isTouchable else { continue }
      held[request.id] = self.held(sighted, app: request.app, setup.touchableItems)
    }
    for id in requests.map(\.id) {
      guard let items = held[id], let index = index(of: id) else { continue }
      let others = held.filter { $0.key != id }.values
      follow(items, index, contested: others.reduce(into: []) { $0.formUnion($1.keys) })
    }
    decideTouches()
  }

  /// The devices that are held at the gateway for an app, each with the first of the items that lets it in.
  private func held(_ sighted: [MatchedDevice], app: String, _ items: [String]) -> [DeviceAddress: String] {
    var places: [DeviceAddress: Int] = [:]
    for device in sighted where device.app == app {
      guard let place = items.firstIndex(of: device.item),
        !grants.grants(at: device.address).contains(where: { $0.app == app })
      else { continue }
      places[device.address] = min(place, places[device.address] ?? place)
    }
    return places.mapValues { items[$0] }
  }

  private mutating func follow(
    _ held: [DeviceAddress: String], _ index: Int, contested: Set<DeviceAddress>
  ) {
    let now = now
    let isSettled = isSettled
    let inside = Set(held.keys)
    let contests: [DeviceAddress] = withSetupQuietly(index) { setup in
      guard var touch = setup.touch else {
        setup.touch = TouchChoice(inside: inside)
        setup.touching = held
        return []
      }
      var contests: [DeviceAddress] = []
      for device in inside.subtracting(setup.touching.keys) {
        guard isSettled else {
          touch.disregard(device)
          continue
        }
        touch.enter(device, at: now)
        if contested.contains(device) {
          touch.contest(device)
          contests.append(device)
        }
      }
      if isSettled { for device in Set(setup.touching.keys).subtracting(inside) { touch.leave(device) } }
      setup.touching = isSettled ? held : setup.touching.merging(held) { _, new in new }
      setup.touch = touch
      return contests
    }
    if !contests.isEmpty {
      refuseTouch(index, contests, .contested)
    }
  }

  /// What a second of waiting has brought.
  mutating func decideTouches() {
    for id in requests.map(\.id) {
      guard let index = index(of: id), requests[index].setup?.step == SetupRequest.Step.none else { continue }
      let now = now
      switch withSetupQuietly(index, { $0.touch?.decide(at: now) }) {
      case nil: break
      case .several(let devices): refuseTouch(index, devices, .several)
      case .chosen(let device): touched(device, index)
      }
    }
  }

  private mutating func touched(_ device: DeviceAddress, _ index: Int) {
    let request = requests[index]
    guard let setup = request.setup,
      let candidate = setup.picker.candidates.first(where: { $0.device == device }),
      candidate.isShown
    else { return refuseTouch(index, [device], .lost) }
    let isContested = requests.contains { other in
      other.id != request.id && other.setup?.touching[device] != nil
    }
    guard !isContested else { return refuseTouch(index, [device], .contested) }
    if let refusal = reasonUnattendedSetupIsRefused(
      for: device, app: request.app, item: setup.items[candidate.item])
    {
      return refuseTouch(index, [device], refusal)
    }
    choose(index, candidate.number, .touch)
  }

  /// The signal names the item of the devices that were held; of several, the one that stands first in the request.
  private mutating func refuseTouch(_ index: Int, _ devices: [DeviceAddress], _ refusal: TouchRefusal) {
    tally.touchesRefused += 1
    let item = withSetup(index) { setup in
      setup.detail = refusal.sentence
      setup.picker.touchRefusal = refusal.forApp
      let held = Set(devices.compactMap { setup.touching[$0] })
      return setup.touchableItems.first { held.contains($0) } ?? ""
    }
    act(.signal(TouchSignal(.failure, app: requests[index].app, item: item)))
  }

  /// Why a device is not set up without a person's choice from a list; nil when it may be.
  private func reasonUnattendedSetupIsRefused(for device: DeviceAddress, app: String, item: PickerItem)
    -> TouchRefusal?
  {
    guard device.isIdentityDurable else { return .changesAddress }
    let id = item.item.id
    guard !ledger.registry.isRemoved(.bluetooth(device.settled), app: app, item: id) else {
      let address = AddressText.text(of: device.bits)
      return TouchRefusal(
        "the device was removed before", cure: "accessoryctl allow \(app) \(address) lets it in")
    }
    // What is on its way to the disk has its place already.
    let taken = count(ofApp: app, item: id) + automatic.countUnderWay(app: app, item: id)
    guard item.isAppSupplied || taken < Int(item.item.maxAccessories) else {
      return TouchRefusal(
        "the item \(id) has all the accessories that it may, \(item.item.maxAccessories)",
        cure: "remove one, or raise the item's max-accessories")
    }
    return nil
  }

  private func count(ofApp app: String, item: String) -> Int {
    ledger.registry.accessories.count { $0.app == app && $0.item == item }
  }

  // MARK: - What was chosen before it was found

  private mutating func chooseBeforehand() {
    for id in requests.map(\.id) {
      guard let index = index(of: id), let setup = requests[index].setup, setup.step == .none,
        let number = setup.choiceBeforehand
      else { continue }
      choose(index, number, .opener)
    }
  }

  // MARK: - Automatic

  private mutating func setUpAutomatically(_ sighted: [MatchedDevice]) {
    guard ledger.state == .open else { return }
    for device in sighted {
      guard let item = configuration.item(device.item, ofApp: device.app), item.selection == .automatic,
        !grants.grants(at: device.address).contains(where: { $0.app == device.app }),
        reasonUnattendedSetupIsRefused(for: device.address, app: device.app, item: PickerItem(item)) == nil
      else { continue }
      let key = AutomaticKey(device: device.address.settled, app: device.app, item: item.id)
      guard automatic.begin(key, at: now) else { continue }
      var addition = addition(app: device.app, PickerItem(item), device.address, name: item.name, nil)
      addition?.isHandsFree = true
      if let addition {
        change(.apply(.add(addition)), .automatic(key, addition.identifier))
      } else {
        failAutomatic(key, .accountIsUnknown)
      }
    }
  }

  mutating func automaticWasWritten(
    _ key: AutomaticKey, _ identifier: RandomIdentifier, _ outcome: ChangeResult
  ) {
    if let failure = outcome.setupFailure { return failAutomatic(key, failure) }
    let awaitsApp = ledger.registry.accessory(identifier)?.state == .awaitingAuthorization
    automatic.succeed(key, awaitsApp: awaitsApp ? identifier : nil)
  }

  mutating func failAutomatic(_ key: AutomaticKey, _ failure: SetupFailure) {
    let (seconds, isForgotten) = automatic.fail(key, at: now)
    tally.automaticFailed += 1
    if isForgotten { tally.automaticForgotten += 1 }
    act(
      .log(
        .automaticFailed(app: key.app, item: key.item, reason: failure.reason, retrySeconds: seconds)))
  }
}

extension SetupRequest {
  /// The ids of items whose devices are chosen by holding them at the gateway.
  fileprivate var touchableItems: [String] {
    items.filter { item in
      item.item.descriptor.range == .immediate && (picker.choice == .touch || item.item.selection == .touch)
    }.map(\.item.id)
  }

  /// What the app will be told of a candidate.
  fileprivate mutating func note(_ device: MatchedDevice) {
    guard let candidate = picker.candidates.first(where: { $0.device == device.address }) else { return }
    payloads[candidate.number] = (device.payload, device.rssi)
  }

  /// The candidate that whoever opened the request wants.
  fileprivate var choiceBeforehand: UInt32? {
    let wanted = picker.candidates.first { candidate in
      guard candidate.isShown else { return false }
      return switch picker.choice {
      case .person, .touch: false
      case .firstImmediate: items[candidate.item].item.descriptor.range == .immediate
      case .device(let bits): candidate.device.bits == bits
      }
    }
    return wanted?.number
  }
}

extension MatchedDevice {
  /// Strongest first, then by address.
  fileprivate var order: (Int, UInt64) { (-Int(level ?? .min), address.word) }
}

// SPDX-License-Identifier: GPL-3.0-or-later

package import Registry

/// The registry as it is on disk, and the changes on their way there: one at a time, in order.
///
/// Pure: changes and the disk's replies go in, effects come out. Capacity: ``waitingMax`` changes that wait. Each
/// change belongs to a call, a setup flow, or a second address, of which there are fewer; a change beyond the capacity
/// fails.
package struct RegistryQueue: Sendable {
  package enum State: Equatable, Sendable {
    /// The file is being read.
    case opening
    case open
    /// The file cannot be changed; the sentence says why and what to do.
    case degraded(String)
  }

  enum Change: Equatable, Sendable {
    case apply(RegistryChange)
    /// `takesKeys` says whether it comes from a client that may handle the keys of bonds.
    case replace(AccessoryRegistry, takesKeys: Bool)
    case reset
  }

  /// What the caller does for the queue, in this order.
  enum Effect: Sendable {
    case request(RegistryRequest)
    /// ``registry`` has changed from `old`. `isFirst`: it was read for the first time.
    case adopted(from: AccessoryRegistry, isFirst: Bool)
    case settled(ChangePurpose, ChangeResult)
    /// The disk did not write a change.
    case writeFailed
    /// The file cannot be changed. `mayPass`: opening it again later may help.
    case degraded(mayPass: Bool)
    /// The file can be changed for the first time, and the registry was adopted.
    case opened
  }

  /// A change that the disk has been given, and the registry after it.
  private struct WrittenChange: Sendable {
    let change: PendingChange
    let registry: AccessoryRegistry
  }

  package static let waitingMax = 256

  package private(set) var state = State.opening
  package private(set) var registry = AccessoryRegistry()
  /// What devices are written with, when a change writes them.
  var rhythms = RhythmRecord()
  package private(set) var waiting: [PendingChange] = []
  private var written: WrittenChange?
  /// The file was read at least once.
  private(set) var wasRead = false
  /// The file could be changed at least once.
  private var wasOpened = false
  /// When the file is to be opened again; nil unless that may help.
  var retryTime: Instant?
  /// When the disk was given the request that it is busy with; nil while it is idle.
  var requested: Instant?
  /// Why the disk did not write the last change; nil when it did.
  private(set) var failure: String?

  /// Whether no change is on its way to the disk.
  package var isIdle: Bool { written == nil && waiting.isEmpty }

  /// The changes on their way to the disk.
  package var pending: [PendingChange] { (written.map { [$0.change] } ?? []) + waiting }

  /// Whether a change on its way to the disk decides about an accessory that awaits its app.
  package func isSettling(_ identifier: RandomIdentifier) -> Bool {
    pending.contains { pending in
      switch pending.change {
      case .apply(.remove(identifier, _)), .apply(.authorize(identifier, _, _)): true
      case .apply, .replace, .reset: false
      }
    }
  }

  /// Asks for the file at the start.
  mutating func open() -> [Effect] { [.request(.open)] }

  mutating func enqueue(_ change: Change, _ purpose: ChangePurpose) -> [Effect] {
    guard waiting.count < Self.waitingMax else {
      return [.settled(purpose, .failed("\(Self.waitingMax) changes wait for the disk already; try again"))]
    }
    waiting.append(PendingChange(change: change, purpose: purpose))
    return writeNext()
  }

  /// Gives the disk the next change, if the disk is free.
  mutating func writeNext() -> [Effect] {
    var effects: [Effect] = []
    while written == nil, state != .opening, !waiting.isEmpty {
      let next = waiting.removeFirst()
      if case .degraded(let sentence) = state, next.change != .reset {
        effects.append(.settled(next.purpose, .failed(sentence)))
        continue
      }
      effects.append(write(next))
    }
    return effects
  }

  private mutating func write(_ next: PendingChange) -> Effect {
    switch next.change {
    case .replace(var new, let takesKeys):
      if !takesKeys, let device = registry.keyedDevice(missingIn: new) {
        let sentence =
          "the import lacks the device \(device.identity.text), whose keys would be lost: remove its "
        return .settled(next.purpose, .failed(sentence + "accessories first, or import as root"))
      }
      new.keepBonds(of: registry, takesKeys: takesKeys)
      // What bluetoothd is to remove stays known; a device that is named cannot be refused.
      for address in registry.bondsLeftToBluetoothd(by: new) { _ = try? new.apply(.addBondRemoval(address)) }
      written = WrittenChange(change: next, registry: new)
      return .request(.replace(new))
    case .reset:
      written = WrittenChange(change: next, registry: AccessoryRegistry())
      return .request(.reset)
    case .apply(let change):
      guard next.purpose.mayCarryKeys || !change.carriesKeys else {
        return .settled(next.purpose, .failed("the client may not handle the keys of bonds"))
      }
      var registry = registry
      do throws(RegistryError) {
        let outcome = try registry.apply(change, rhythms: rhythms.heard)
        guard !outcome.writes.isEmpty else { return .settled(next.purpose, .done) }
        written = WrittenChange(change: next, registry: registry)
        return .request(.commit(outcome.writes))
      } catch {
        return .settled(next.purpose, .refused(error))
      }
    }
  }

  /// Receives a reply of the disk. The caller performs the effects before it calls ``writeNext()``.
  mutating func receive(_ reply: RegistryReply) -> [Effect] {
    switch reply {
    case .done: return complete(.done)
    case .reset(let kept):
      state = .open
      (wasRead, wasOpened) = (true, true)
      let left = registry.bondsLeftToBluetoothd(by: AccessoryRegistry())
      return complete(.reset(kept: kept))
        + left.flatMap { enqueue(.apply(.addBondRemoval($0)), .bondRemoval) }
    case .opened(let registry):
      state = .open
      defer { wasOpened = true }
      return adoptFile(registry) + (wasOpened ? [] : [.opened])
    case .readable(let registry, let failure):
      state = .degraded(failure.sentence)
      return adoptFile(registry) + [.degraded(mayPass: true)]
    case .refused(let refusal): return degrade(refusal.sentence, mayPass: refusal.mayPass)
    case .failed(let failure, let isOpen): return [.writeFailed] + fail(failure, isOpen: isOpen)
    case .closed: return []
    }
  }

  /// Opens a file again that could not be used; it may have been repaired.
  mutating func openAgain() -> [Effect] {
    retryTime = nil
    guard case .degraded = state else { return [] }
    // While the disk still has a change to write, the time for it comes later.
    guard written == nil else { return [.degraded(mayPass: true)] }
    state = .opening
    return [.request(.open)]
  }

  private mutating func complete(_ result: ChangeResult) -> [Effect] {
    guard let written = written.take() else { preconditionFailure("the disk replies to a request") }
    failure = nil
    return [adopt(written.registry), .settled(written.change.purpose, result)]
  }

  private mutating func adopt(_ new: AccessoryRegistry, isFirst: Bool = false) -> Effect {
    let old = registry
    registry = new
    return .adopted(from: old, isFirst: isFirst)
  }

  /// Adopts what the file holds. A change whose writing failed may be in it, or not.
  private mutating func adoptFile(_ registry: AccessoryRegistry) -> [Effect] {
    let isFirst = !wasRead
    wasRead = true
    let doubtful = written.take()
    var effects = [adopt(registry, isFirst: isFirst)]
    if let doubtful {
      let isDone = registry == doubtful.registry
      if isDone { failure = nil }
      effects.append(
        .settled(
          doubtful.change.purpose, isDone ? .done : .failed("the disk did not write the change; see the log"))
      )
    }
    return effects
  }

  private mutating func degrade(_ sentence: String, mayPass: Bool) -> [Effect] {
    state = .degraded(sentence)
    return [.degraded(mayPass: mayPass)] + settleWritten(.failed(sentence))
  }

  private mutating func fail(_ failure: RegistryStoreError, isOpen: Bool) -> [Effect] {
    self.failure = failure.sentence
    guard written != nil else { return degrade(failure.sentence, mayPass: true) }
    if case .degraded = state { return settleWritten(.failed(failure.sentence)) }
    guard !isOpen else { return settleWritten(.failed(failure.sentence)) }
    state = .opening
    return [.request(.open)]
  }

  private mutating func settleWritten(_ result: ChangeResult) -> [Effect] {
    written.take().map { [.settled($0.change.purpose, result)] } ?? []
  }
}

/// A change on its way to the disk.
package struct PendingChange: Sendable {
  let change: RegistryQueue.Change
  package let purpose: ChangePurpose
}

/// Why a change is made, which decides what happens when it is done or refused.
package enum ChangePurpose: Sendable {
  /// The device that was chosen for a flow becomes an accessory.
  case setup(flow: RandomIdentifier)
  /// The app confirms an accessory.
  case confirm(RandomIdentifier, CallID)
  /// The app gives the whole name of a network whose prefix was added to its accessory.
  case network(RandomIdentifier, CallID)
  /// An accessory that its app did not confirm is removed.
  case takeBack(RandomIdentifier, SetupError, CallID?)
  /// An operator's answer to a question, and the operator's call.
  case question(flow: RandomIdentifier, CallID)
  /// Devices that an app knew before become its accessories; the call is the operator's who agreed.
  case migration(flow: RandomIdentifier, CallID)
  /// The call of an app about its accessory, or of an operator.
  case call(CallID, CallKind)
  /// A second address was learned.
  case address
  /// A device that was paired again gets its new bond.
  case renewal(flow: RandomIdentifier)
  case bondLoss
  /// bluetoothd is to remove a bond, or has.
  case bondRemoval
  /// The rhythms of devices have changed.
  case rhythms

  package enum CallKind: Sendable {
    /// An app gives up its accessory.
    case app(RandomIdentifier)
    case `operator`
    /// An operator who may handle the keys of bonds.
    case keyHolder
    /// Carries the number of accessories that are confirmed.
    case account(Int)
    /// Carries the number of accessories that are imported, and of devices that come with keys.
    case importing(user: UInt32, accessories: Int, keyed: Int)
  }

  /// Whether the change may bring keys of bonds: those of a pairing, of a bond that bluetoothd has, or of a call whose
  /// client may handle keys.
  fileprivate var mayCarryKeys: Bool {
    switch self {
    case .setup, .migration, .renewal, .bondLoss, .call(_, .keyHolder): true
    case .confirm, .network, .takeBack, .question, .address, .bondRemoval, .rhythms, .call: false
    }
  }
}

/// The result of a change.
enum ChangeResult: Sendable {
  case done
  case reset(kept: String?)
  case refused(RegistryError)
  /// The disk did not write it; the sentence says what to do.
  case failed(String)

  /// The error for an app; nil on success.
  var setupFailure: SetupError? {
    switch self {
    case .done, .reset: nil
    case .refused(let error): error.setupFailure
    case .failed(let sentence):
      SetupError(.unknown, sentence, cure: SetupError.registryCure)
    }
  }
}

/// The rhythms of accessories' devices as they are heard, and which of them are worth a write of their own.
///
/// Pure: time is an input. Capacity: the devices of the registry.
struct RhythmRecord: Sendable {
  /// At most one write of its own for each device in a day, so that a device which changes its mind does not wear out the
  /// disk. What an earlier run wrote counts as written when this one began.
  static let writeMilliseconds: Int64 = 24 * 3_600_000

  /// By settled address; nil for a device that sends all the time. Devices that were not heard long enough are missing.
  private(set) var heard: [DeviceAddress: UInt32?] = [:]
  /// When a device may have a write of its own again.
  private var nextWrites: [DeviceAddress: Instant] = [:]

  /// Takes what is heard. Returns what is to be written now: what is known for the first time, or differs by more than
  /// half from what the registry has.
  mutating func note(
    _ rhythms: [DeviceAddress: UInt32?], in registry: AccessoryRegistry, at now: Instant
  ) -> [DeviceAddress: UInt32?] {
    heard = rhythms
    var due: [DeviceAddress: UInt32?] = [:]
    var waiting: [DeviceAddress: Instant] = [:]
    let nextDay = now.advanced(milliseconds: Self.writeMilliseconds)
    for device in registry.devices {
      guard let address = device.identity.address?.settled else { continue }
      let known = device.rhythmMilliseconds
      waiting[address] = nextWrites[address] ?? (known == nil ? nil : nextDay)
      guard let rhythm = device.rhythm(in: rhythms), Self.differ(rhythm, known),
        waiting[address].map({ $0 <= now }) ?? true
      else { continue }
      due[address] = .some(rhythm)
      waiting[address] = nextDay
    }
    nextWrites = waiting
    return due
  }

  private static func differ(_ heard: UInt32?, _ known: UInt32?) -> Bool {
    guard let heard, let known else { return heard != known }
    return 2 * abs(Int64(heard) - Int64(known)) > Int64(known)
  }
}

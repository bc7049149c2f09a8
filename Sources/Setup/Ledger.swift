// SPDX-License-Identifier: GPL-3.0-or-later

import Registry

/// The registry as it is on disk, and the changes on their way there: one at a time, in order.
///
/// Capacity: ``waitingMax`` changes that wait. Each is on behalf of a call, a request, or an automatic setup, of which
/// there are fewer; beyond that a change is refused.
struct Ledger: Sendable {
  enum State: Equatable, Sendable {
    /// The file is being read.
    case opening
    case open
    /// The file cannot be used; the sentence says why and what to do.
    case degraded(String)
  }

  enum Change: Equatable, Sendable {
    case apply(RegistryChange)
    case replace(AccessoryRegistry)
    case reset
  }

  struct Entry: Sendable {
    let change: Change
    let errand: ChangePurpose
  }

  /// A change that the disk has been given.
  struct Pending: Sendable {
    let entry: Entry
    /// What the registry is when it is done.
    let registry: AccessoryRegistry
  }

  static let waitingMax = 256

  var state = State.opening
  var registry = AccessoryRegistry()
  var waiting: [Entry] = []
  var pending: Pending?
  /// The file was read at least once.
  var wasOpened = false
  /// Why the last change was not written; nil when it was.
  var refusal: String?

  var isFull: Bool { waiting.count >= Self.waitingMax }

  /// What is on its way to the disk.
  var entries: [Entry] { (pending.map { [$0.entry] } ?? []) + waiting }

  /// Whether something on its way decides about an accessory that awaits its app.
  func isSettling(_ identifier: RandomIdentifier) -> Bool {
    entries.contains { entry in
      switch entry.change {
      case .apply(.remove(identifier, _)), .apply(.authorize(identifier, _, _)): true
      case .apply, .replace, .reset: false
      }
    }
  }
}

/// What a change is made for, and so what happens when it is done or refused.
enum ChangePurpose: Sendable {
  /// A request's chosen device becomes an accessory.
  case setup(RandomIdentifier)
  /// So does one that nobody chose.
  case automatic(AutomaticKey, RandomIdentifier)
  /// An app takes what awaits it.
  case confirm(RandomIdentifier, CallID)
  /// An app gives the whole name of a network whose beginning was added to its accessory.
  case network(RandomIdentifier, CallID)
  /// What awaited its app is taken back.
  case takeBack(RandomIdentifier, SetupFailure, CallID?)
  /// A request's new name, for the app that asked and the operator who typed it.
  case rename(request: RandomIdentifier, CallID)
  case authorize(request: RandomIdentifier, CallID)
  /// A call of an app about its accessory, or of an operator.
  case call(CallID, CallKind)
  /// A second address was learned.
  case address

  enum CallKind: Sendable {
    case app
    case `operator`
    /// How many accessories are confirmed.
    case account(Int)
    /// How many accessories come with it.
    case importing(Int)
  }
}

/// What became of a change.
enum ChangeResult: Sendable {
  case done
  case reset(kept: String?)
  case refused(RegistryError)
  /// The disk did not take it; the sentence says what to do.
  case failed(String)
}

// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
import Manifest
public import Registry

/// Something that waits for an operator.
public struct DeskRequest: Sendable {
  public enum Kind: Sendable {
    case setup(SetupRequest)
    case rename(RenameRequest)
    case authorize(AuthorizeRequest)
  }

  public let id: RandomIdentifier
  public let app: String
  /// Whose picker events these are; nil when an operator opened it on the app's behalf.
  public let session: RandomIdentifier?
  public let openedAt: Instant
  public var kind: Kind

  public var isOnBehalf: Bool { session == nil }

  /// When it ends by itself, as things are.
  public var end: Instant? {
    switch kind {
    case .setup(let setup): setup.end
    case .rename(let rename):
      rename.isUnderWay ? nil : openedAt.advanced(milliseconds: Self.answerMilliseconds)
    case .authorize(let authorize):
      authorize.isUnderWay ? nil : openedAt.advanced(milliseconds: Self.answerMilliseconds)
    }
  }

  /// An operator has so long to answer a rename or an authorization.
  static let answerMilliseconds: Int64 = 60_000

  public var setup: SetupRequest? {
    if case .setup(let setup) = kind { setup } else { nil }
  }
}

/// An accessory is to be chosen and set up.
public struct SetupRequest: Sendable {
  /// Between a choice and its end.
  public enum Step: Equatable, Sendable {
    case none
    /// A person types a name, or the item's is taken then.
    case naming(until: Instant)
    /// The registry is being written.
    case adding
    /// Its app has to confirm it until then.
    case confirming(until: Instant)
    /// It is being taken back, for that reason.
    case takingBack(SetupFailure)
  }

  /// Whose word the choice was.
  enum Chooser: Equatable, Sendable {
    /// A person, through a call that waits.
    case `operator`(CallID)
    /// Whoever opened the request said beforehand what to choose.
    case opener
    case touch
  }

  /// A person has so long to type a name.
  static let nameMilliseconds: Int64 = 60_000

  public internal(set) var picker: PickerRequest
  public let items: [PickerItem]
  public internal(set) var step = Step.none
  /// Of the chosen one.
  public internal(set) var accessory: RandomIdentifier?
  public internal(set) var displayName: String?
  /// What went otherwise than wished last, for people.
  public internal(set) var detail: String?
  /// Devices that the app was told of.
  public var disclosed: Int { picker.discovered }
  /// What was set up so far.
  public internal(set) var made: [CompletedSetup] = []
  /// What the app is told of each candidate.
  var payloads: [UInt32: (payload: [UInt8], rssi: Int8?)] = [:]
  var chooser = Chooser.opener
  /// Who opened it on the app's behalf has gone.
  var isAbandoned = false
  var chosen: PickerCandidate?
  var network: [UInt8]?
  /// Some item can be touched.
  var isTouchable = false
  /// From the first look on, if some item can be touched.
  var touch: TouchChoice?
  /// Devices at the gateway now, each with the item that can be touched whose gate has let it in.
  var touching: [DeviceAddress: String] = [:]

  /// Whether a device has to be held at the gateway for one of its items.
  public var isImmediate: Bool { items.contains { $0.item.descriptor.range == .immediate } }
  public var isTouch: Bool { isTouchable }
  var wasTouched: Bool { chooser == .touch }

  var end: Instant? {
    switch step {
    case .none: picker.end
    case .naming(let end), .confirming(let end): end
    case .adding, .takingBack: nil
    }
  }

  var chosenItem: PickerItem? { chosen.map { items[$0.item] } }
}

/// An app wants an accessory to have another name; a person types it.
public struct RenameRequest: Sendable {
  public let accessory: RandomIdentifier
  public let displayName: String
  /// The network's stored name follows.
  public let renamesNetwork: Bool
  let call: CallID
  public internal(set) var isUnderWay = false
}

/// An app wants an accessory to be found by more.
public struct AuthorizeRequest: Sendable {
  public let accessory: RandomIdentifier
  public let displayName: String
  public let adds: RegistryExtension
  let call: CallID
  public internal(set) var isUnderWay = false
}

/// How a request ended, for those who watch.
public struct RequestOutcome: Equatable, Sendable {
  public let request: RandomIdentifier
  /// What was set up last, or named.
  public let accessory: RandomIdentifier?
  public let displayName: String?
  public let failure: SetupFailure?
  /// Everything it set up.
  public let made: [CompletedSetup]
}

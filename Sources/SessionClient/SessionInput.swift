// SPDX-License-Identifier: Apache-2.0

public import Interfaces

/// A connection of a session, as the state machine numbers it.
public struct SessionLinkID: Hashable, Sendable {
  public let number: UInt64
}

/// A call of the app. Numbers are given by the caller and never given twice.
public struct CallID: Hashable, Sendable {
  public let number: UInt64

  public init(_ number: UInt64) { self.number = number }
}

/// What happens to a session.
public enum SessionInput: Sendable {
  /// The app activates the session; a second time is ignored.
  case activate
  case begin(CallID, SessionRequest)
  /// A call that is wrong in itself, so that the agent need not be asked.
  case refuse(CallID, SessionError)
  /// The app no longer wants the result of a call. It completes with `userCancelled`.
  case cancel(CallID)
  /// The app ends the session. Without `isReported` there is no event.
  case invalidate(isReported: Bool)
  case linkOpened(SessionLinkID)
  /// The link could not be opened, or ended. When `isPermanent`, trying again is useless.
  case linkEnded(SessionLinkID, reason: String?, cure: String? = nil, isPermanent: Bool)
  case received(SessionLinkID, [UInt8])
  /// A descriptor came with the bytes that follow.
  case receivedDescriptor(SessionLinkID, Int32)
  /// One came, and this program has no descriptor free.
  case lostDescriptor(SessionLinkID)
  /// The link could not be opened, because this program has no descriptor free.
  case linkExhausted(SessionLinkID)
  /// The time that ``SessionClient/nextDeadline`` named has come.
  case timePassed
}

/// The connections that the sessions of a process share out among themselves: an account has 16 in all.
public enum CallLane: Hashable, Sendable {
  /// Calls that are short, one after another.
  case short
  /// Calls that last: until an operator has answered, or a device.
  case long

  /// How many connections a process has at a time.
  public var linksMax: Int {
    switch self {
    case .short: 1
    case .long: 8
    }
  }
}

/// What the caller of ``SessionClient/step(_:at:)`` does, in this order.
public enum SessionAction: Equatable, Sendable {
  /// Connect to the agent; then report `linkOpened` or `linkEnded`. A link of a lane waits while the sessions of the process
  /// have as many of the lane as there may be.
  case open(SessionLinkID, CallLane?)
  case send(SessionLinkID, [UInt8])
  /// Close the connection. Nothing more is reported about the link.
  case close(SessionLinkID)
  /// No receiver wants the descriptor.
  case closeDescriptor(Int32)
  /// Hand this to the app, on its queue, in this order.
  case deliver(SessionDelivery)
}

/// What the app learns.
public enum SessionDelivery: Equatable, Sendable {
  case event(SessionEvent)
  case completion(CallID, Result<CallOutcome, SessionError>)
  /// For a call of `watchAdvertisements`.
  case advertisement(CallID, AdvertisementLine)
  /// The state of the gateway's radio, in the agent's word; nil when the agent cannot be reached.
  case radio(String?)
  /// Why the session has had no stream for 2 s, and again each minute.
  case unreachable(SessionError)
  /// An item of the call's picker was left out.
  case leftOut(CallID, SessionError)
  /// Nothing follows but completions of calls that are made from now on.
  case ended
}

/// The result of a call that succeeded.
public enum CallOutcome: Equatable, Sendable {
  case done
  case address(String, type: String)
  /// A connected socket, which the receiver owns.
  case descriptor(Int32)
  /// The strength of a connection's signal, in dBm.
  case rssi(Int)
}

/// An event for the app.
public struct SessionEvent: Equatable, Sendable {
  /// AccessorySetupKit's raw value; one that this library does not know stays as it is.
  public var type: Int
  public var accessory: AppAccessoryLine?
  public var discovered: DiscoveredDevice?
  public var error: SessionError?
  /// The app's accessories after this event.
  public var accessories: [AppAccessoryLine]
  /// The accessory awaits authorization, and this session asked for it.
  public var isAwaited = false

  init(
    _ type: Int, accessory: AppAccessoryLine? = nil, discovered: DiscoveredDevice? = nil,
    error: SessionError? = nil, accessories: [AppAccessoryLine]
  ) {
    self.type = type
    self.accessory = accessory
    self.discovered = discovered
    self.error = error
    self.accessories = accessories
  }
}

// SPDX-License-Identifier: GPL-3.0-or-later

/// A rule that the agent broke.
public struct Breach: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Rule: String, CaseIterable, Sendable {
    /// An event without a sighting that explains it.
    case unexplainedEvent
    /// A sighting without its event.
    case missingEvent
    /// A device that entered without having been at the gateway.
    case enterWithoutCrossing
    /// Delivered and missed events do not add up to those that were produced.
    case lostCount
    /// A reply that the client did not ask for, or has no right to.
    case unaskedReply
    /// A call without its reply.
    case unansweredCall
    /// A reply with wrong contents.
    case wrongReply
    /// A client was closed or admitted against the rules.
    case wrongAdmission
    /// An app received what belongs to another app, or another refusal than for what never existed.
    case isolation
    /// A picker's events are out of order, or one is missing.
    case pickerOrder
    /// The agent, an app and the file disagree about accessories.
    case registry
    /// A limit was exceeded.
    case bound
    /// The agent used the controller or the kernel against the rules.
    case wrongCommand
    /// State is left after all clients have gone.
    case leftover
  }

  public let rule: Rule
  public let sentence: String

  init(_ rule: Rule, _ sentence: String) {
    self.rule = rule
    self.sentence = sentence
  }

  public var description: String { "\(rule.rawValue): \(sentence)" }
}

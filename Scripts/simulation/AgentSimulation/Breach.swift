// SPDX-License-Identifier: GPL-3.0-or-later

/// A rule that the agent broke.
public struct Breach: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Rule: String, CaseIterable, Sendable {
    /// An event without a sighting that explains it.
    case unexplainedEvent
    /// A sighting without its event.
    case missingEvent
    /// A device let in that was not at the gateway.
    case enterWithoutCrossing
    /// Events delivered and missed are not those that were produced.
    case lostCount
    /// A reply that nobody asked for, or may have.
    case unaskedReply
    /// A call without its reply.
    case unansweredCall
    /// A reply that says what it must not.
    case wrongReply
    /// A client was closed, or let in, against the rules.
    case wrongAdmission
    /// An app was told of what is another's, or refused in other words than for what never was.
    case isolation
    /// A picker's events are out of order, or one is missing.
    case pickerOrder
    /// The agent, an app, and the file differ about accessories.
    case registry
    /// A bound was passed.
    case bound
    /// The controller was treated against the rules.
    case wrongCommand
    /// Something is left over when all is quiet.
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

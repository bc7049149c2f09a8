// SPDX-License-Identifier: Apache-2.0

public import JSON

/// Why a client cannot go on with its connection.
public enum ClientProblem: Error, Equatable, Sendable {
  /// The stream ended inside a reply, or a reply was too long.
  case frame(FrameProblem)
  /// A message was no JSON.
  case json(JSONProblem)
  /// A message was JSON, but no reply.
  case notAReply
  /// A reply came to no call.
  case unasked
  /// A reply was to be followed by another, which the call did not ask for.
  case unaskedContinuation
  /// The service closed the connection while a call was in progress.
  case ended
}

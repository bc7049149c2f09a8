// SPDX-License-Identifier: Apache-2.0

/// A sequence of requests, each of which depends on the response to the one before.
protocol GATTProcedure: Sendable {
  /// Returns the first request, or the result if none is needed.
  mutating func firstStep(mtu: Int) -> GATTStep
  /// Returns what follows the response to the last request. The response has the opcode that the request asks for.
  mutating func nextStep(after response: ATTPacket, mtu: Int) -> GATTStep
  /// Returns what follows when the server refuses the last request.
  mutating func nextStep(afterError code: ATTErrorCode, handle: UInt16) -> GATTStep
  /// Returns what follows a response that is no packet.
  mutating func nextStep(afterMalformed error: ATTPacketError) -> GATTStep
}

extension GATTProcedure {
  mutating func nextStep(afterError code: ATTErrorCode, handle: UInt16) -> GATTStep {
    .fail(.refused(code, handle: handle))
  }

  mutating func nextStep(afterMalformed error: ATTPacketError) -> GATTStep {
    .fail(.malformedResponse(error))
  }
}

/// What a procedure does next.
enum GATTStep: Equatable, Sendable {
  case request(ATTPacket)
  case finish(GATTResult)
  case fail(GATTError)
}

/// Checks the handles of discovered attributes: each must lie in the range that was asked for, after the one before.
/// A server that breaks this rule could keep its client busy forever.
struct DiscoveryProgress: Equatable, Sendable {
  /// What is still to be asked for; nil when everything was.
  private(set) var rest: HandleRange?

  init(_ range: HandleRange?) { rest = range }

  /// Notes attributes from `first` to `last`. Returns false when they are not where they have to be.
  mutating func cover(_ first: UInt16, _ last: UInt16) -> Bool {
    guard let rest, rest.contains(first), rest.contains(last), first <= last else { return false }
    self.rest = rest.after(last)
    return true
  }
}

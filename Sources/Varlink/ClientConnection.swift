// SPDX-License-Identifier: Apache-2.0

/// A client of a service: calls in, octets out; octets in, replies out. It reads no clock and touches no socket.
///
/// One call is in progress at a time (varlink.org, "Protocol"). Capacity: see ``ClientLimits``. Replies that were not
/// taken wait as octets; when their buffer is full nothing more is received, and the service waits.
public struct ClientConnection: Sendable {
  /// What became of a call until now.
  public enum Answer: Equatable, Sendable {
    /// Nothing more can be said before more octets are received.
    case wait
    /// One reply; when it does not continue, or is an error, the call is over.
    case reply(ReceivedReply)
  }

  enum State: Equatable, Sendable {
    case ready
    case waiting(wantsMore: Bool)
    /// Nothing can be read any more.
    case broken(ClientProblem)
  }

  public let limits: ClientLimits
  private var input: FrameBuffer
  private var output: OutputBuffer
  private(set) var state = State.ready
  private var hasInputEnded = false

  public init(limits: ClientLimits = ClientLimits()) {
    self.limits = limits
    input = FrameBuffer(frameBytesMax: limits.replyBytesMax)
    output = OutputBuffer(byteCountMax: limits.callBytesMax)
  }

  // MARK: Octets

  /// How many octets may be received now; 0 means not to read from the socket.
  public var receivableByteCount: Int {
    if case .broken = state { return 0 }
    return hasInputEnded ? 0 : input.freeByteCount
  }

  /// Octets from the service, at most ``receivableByteCount``.
  public mutating func receive(_ bytes: Span<UInt8>) {
    precondition(bytes.count <= receivableByteCount, "more was received than there was room for")
    input.feed(bytes)
  }

  /// The service will send nothing more.
  public mutating func endInput() { hasInputEnded = true }

  /// Octets that wait for the socket.
  public var sendableByteCount: Int { output.byteCount }

  /// Offers everything that waits to `send`, which answers how many of the first octets the socket took.
  public mutating func drain<Failure>(_ send: (Span<UInt8>) throws(Failure) -> Int) throws(Failure) {
    try output.drain(send)
  }

  // MARK: Calls

  /// Whether a call is in progress.
  public var isWaiting: Bool {
    if case .waiting = state { true } else { false }
  }

  /// Begins a call, a message of ``Message/call(_:oneway:more:_:)`` that is not `oneway`. Answers whether it is short
  /// enough; if not, nothing is begun.
  public mutating func begin(_ call: [UInt8], wantsMore: Bool) -> Bool {
    precondition(!isWaiting, "a call is in progress")
    guard output.append(call) else { return false }
    if state == .ready { state = .waiting(wantsMore: wantsMore) }
    return true
  }

  /// What the service answered. To be asked again after every reply, and after octets or their end were received.
  public mutating func next() throws(ClientProblem) -> Answer {
    if case .broken(let problem) = state { throw problem }
    do throws(ClientProblem) {
      return try take()
    } catch {
      state = .broken(error)
      throw error
    }
  }

  private mutating func take() throws(ClientProblem) -> Answer {
    guard let message = try message() else { return try waitForMore() }
    guard case .waiting(let wantsMore) = state else { throw .unasked }
    let reply = try message.get()
    if reply.continues, reply.error == nil {
      guard wantsMore else { throw .unaskedContinuation }
    } else {
      state = .ready
    }
    return .reply(reply)
  }

  /// The next whole message; nil when there is none yet.
  private mutating func message() throws(ClientProblem) -> Result<ReceivedReply, ClientProblem>? {
    do throws(FrameProblem) {
      return try input.take(at: .zero) { span in
        Result { () throws(ClientProblem) in try ReceivedReply(message: span, limits: limits.json) }
      }
    } catch {
      throw .frame(error)
    }
  }

  private func waitForMore() throws(ClientProblem) -> Answer {
    guard hasInputEnded else { return .wait }
    do throws(FrameProblem) { try input.finish() } catch { throw .frame(error) }
    if isWaiting { throw .ended }
    return .wait
  }
}

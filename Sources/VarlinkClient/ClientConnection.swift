// SPDX-License-Identifier: Apache-2.0

public import JSON
public import Varlink

/// A client's side of a connection: calls become bytes, and bytes become replies. It reads no clock and uses no socket.
///
/// One call is in progress at a time (varlink.org, "Protocol"). Capacity: see ``ClientLimits``. Replies that are not read
/// yet wait as bytes; when their buffer is full nothing more is received, and the service waits.
public struct ClientConnection: Sendable {
  /// The result of looking for a reply.
  public enum NextReply: Equatable, Sendable {
    /// No complete reply has been received.
    case wait
    /// One reply; the call is over unless the reply continues.
    case reply(ReceivedReply)
  }

  enum State: Equatable, Sendable {
    case ready
    case waiting(wantsMore: Bool)
    /// Nothing more can be read.
    case broken(ClientError)
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

  // MARK: Bytes

  /// How many bytes may be received now; 0 means not to read from the socket.
  public var receivableByteCount: Int {
    if case .broken = state { return 0 }
    return hasInputEnded ? 0 : input.freeByteCount
  }

  /// Receives bytes from the service, at most ``receivableByteCount``.
  public mutating func receive(_ bytes: Span<UInt8>) {
    precondition(bytes.count <= receivableByteCount, "more was received than there was room for")
    input.append(bytes)
  }

  /// Notes that the service will send nothing more.
  public mutating func endInput() { hasInputEnded = true }

  /// How many bytes wait for the socket.
  public var sendableByteCount: Int { output.byteCount }

  /// Offers all waiting bytes to `send`, which returns how many of the first ones the socket took.
  public mutating func drain<Failure>(_ send: (Span<UInt8>) throws(Failure) -> Int) throws(Failure) {
    try output.drain(send)
  }

  // MARK: Calls

  /// Whether a call is in progress.
  public var isWaiting: Bool {
    if case .waiting = state { true } else { false }
  }

  /// Begins a call: a message of ``Message/call(_:oneway:more:_:)`` that is not `oneway`. Returns false, and begins nothing,
  /// when the message is too long.
  public mutating func beginCall(_ call: [UInt8], wantsMore: Bool) -> Bool {
    precondition(!isWaiting, "a call is in progress")
    guard output.append(call) else { return false }
    if state == .ready { state = .waiting(wantsMore: wantsMore) }
    return true
  }

  /// Returns the next reply. Call it again after each reply, and after bytes or their end were received.
  public mutating func nextReply() throws(ClientError) -> NextReply {
    if case .broken(let error) = state { throw error }
    do throws(ClientError) {
      return try takeReply()
    } catch {
      state = .broken(error)
      throw error
    }
  }

  private mutating func takeReply() throws(ClientError) -> NextReply {
    guard let message = try nextMessage() else { return try waitForMore() }
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
  private mutating func nextMessage() throws(ClientError) -> Result<ReceivedReply, ClientError>? {
    do throws(FrameError) {
      return try input.takeMessage(at: .zero) { span in
        Result { () throws(ClientError) in try ReceivedReply(message: span, limits: limits.json) }
      }
    } catch {
      throw .frame(error)
    }
  }

  private func waitForMore() throws(ClientError) -> NextReply {
    guard hasInputEnded else { return .wait }
    do throws(FrameError) { try input.checkEnd() } catch { throw .frame(error) }
    if isWaiting { throw .ended }
    return .wait
  }
}

/// The client's limits for one connection.
public struct ClientLimits: Sendable {
  /// The size of one reply, without its NUL.
  public var replyBytesMax = 64 << 10
  /// The size of one call, with its NUL.
  public var callBytesMax = 16 << 10
  public var json = JSONLimits(depthMax: 16, valueCountMax: 16_384)

  public init() {}
}

/// Why a client cannot continue its connection.
public enum ClientError: Error, Equatable, Sendable {
  /// The stream ended inside a reply, or a reply was too long.
  case frame(FrameError)
  /// A message was not JSON.
  case json(JSONError)
  /// A message was JSON, but not a reply.
  case notAReply
  /// A reply was received without a call.
  case unasked
  /// A reply announced another one, which the call did not ask for.
  case unaskedContinuation
  /// The service closed the connection while a call was in progress.
  case ended
}

// SPDX-License-Identifier: Apache-2.0

public import JSON

/// The server's side of a connection: bytes become calls, and replies become bytes. It reads no clock and uses no
/// socket.
///
/// One call is in progress at a time; replies are sent in the order of the calls (varlink.org, "Protocol"). Capacity:
/// see ``ConnectionLimits``. Further calls, and calls of a client that does not read its replies, wait in the input
/// buffer as bytes; when it is full nothing more is received, and the client's own socket fills up.
public struct ServerConnection: Sendable {
  /// Why a connection closes.
  public enum CloseReason: Equatable, Sendable {
    /// The client closed its side and received all replies.
    case finished
    case frame(FrameError)
    case call(CallError)
    /// The client was too slow (``ServerConnection/timeOut()``).
    case overdue
    /// A reply was longer than `replyBytesMax`.
    case replyTooLong(byteCount: Int)
  }

  /// The next action for the owner.
  public enum Action: Equatable, Sendable {
    /// Wait for bytes from the client, for room in its socket, or for the call in progress.
    case wait
    /// Continue in the next turn, even if the client does nothing: more calls may be waiting.
    case yield
    /// Perform the call and reply with ``reply(_:continues:)``.
    case perform(Call)
    /// Close the socket; everything has been sent.
    case close(CloseReason)
  }

  enum State: Equatable, Sendable {
    case ready
    case performing(isOneway: Bool, wantsMore: Bool)
    case closing(CloseReason)
  }

  public let limits: ConnectionLimits
  private var input: FrameBuffer
  private var output: OutputBuffer
  private(set) var state = State.ready
  private var hasInputEnded = false
  private var callsLeft: Int
  private var closingSince: Duration?
  /// How many calls were received, the refused ones included.
  public private(set) var callCount: UInt64 = 0
  /// How many calls were refused here, before the owner saw them.
  public private(set) var refusalCount: UInt64 = 0
  /// How many turns ended with calls left for the next one.
  public private(set) var yieldCount: UInt64 = 0

  public init(limits: ConnectionLimits = ConnectionLimits()) {
    precondition(limits.replyBytesMax <= limits.outputBytesMax, "a reply must fit")
    self.limits = limits
    input = FrameBuffer(frameBytesMax: limits.frameBytesMax)
    output = OutputBuffer(byteCountMax: limits.outputBytesMax)
    callsLeft = limits.callsPerTurnMax
  }

  // MARK: Bytes

  /// How many bytes may be received now; 0 means not to read from the socket.
  public var receivableByteCount: Int {
    if case .closing = state { return 0 }
    return hasInputEnded ? 0 : input.freeByteCount
  }

  /// Receives bytes from the client, at most ``receivableByteCount``.
  public mutating func receive(_ bytes: Span<UInt8>) {
    precondition(bytes.count <= receivableByteCount, "more was received than there was room for")
    input.append(bytes)
  }

  /// Notes that the client will send nothing more; it may still read.
  public mutating func endInput() { hasInputEnded = true }

  /// How many bytes wait for the socket.
  public var sendableByteCount: Int { output.byteCount }

  /// Offers all waiting bytes to `send`, which returns how many of the first ones the socket took.
  public mutating func drain<Failure>(_ send: (Span<UInt8>) throws(Failure) -> Int) throws(Failure) {
    try output.drain(send)
  }

  /// When the client began to keep the server waiting: for the rest of a message, or to read the last bytes before
  /// closing. nil when it does not.
  public var overdueSince: Duration? { closingSince ?? input.frameUnfinishedSince }

  // MARK: Calls

  /// Whether there is more to do once the output has room: calls wait, or the connection closes.
  public var hasPendingInput: Bool {
    switch state {
    case .ready: input.byteCount > 0 || hasInputEnded
    case .performing: false
    case .closing: true
    }
  }

  /// Begins a turn of the owner's loop, which may read ``ConnectionLimits/callsPerTurnMax`` calls.
  public mutating func beginTurn() { callsLeft = limits.callsPerTurnMax }

  /// Returns what to do now. Call it again after each action except `wait`, and after each input.
  public mutating func nextAction(at time: Duration) -> Action {
    while state == .ready {
      guard output.freeByteCount >= limits.replyBytesMax else { return .wait }
      guard callsLeft > 0 else { return yieldTurn() }
      let received: ReceivedCall?
      do throws(FrameError) {
        received = try input.takeMessage(at: time) { ReceivedCall(reading: $0, limits: limits.json) }
      } catch {
        close(.frame(error))
        break
      }
      guard let received else { return waitForMore(at: time) }
      if let action = dispatch(received) { return action }
    }
    return closeIfDone(at: time)
  }

  private mutating func yieldTurn() -> Action {
    guard input.byteCount > 0 || hasInputEnded else { return .wait }
    yieldCount &+= 1
    return .yield
  }

  private mutating func waitForMore(at time: Duration) -> Action {
    guard hasInputEnded else { return .wait }
    do throws(FrameError) {
      try input.checkEnd()
      close(.finished)
    } catch {
      close(.frame(error))
    }
    return closeIfDone(at: time)
  }

  /// Closes the connection of a client that was too slow, after an error message. Returns false when the connection is
  /// already closing or the client does not read: then the owner closes the socket at once.
  public mutating func timeOut() -> Bool {
    guard output.isEmpty else { return false }
    if case .closing = state { return false }
    close(.overdue)
    return true
  }

  /// Closes the connection once the replies so far were sent. What the client has sent after its last call is not read.
  public mutating func finish() {
    if case .closing = state { return }
    state = .closing(.finished)
  }

  private mutating func close(_ reason: CloseReason) {
    state = .closing(reason)
    guard let message = limits.closingError?(reason), message.count <= output.freeByteCount else { return }
    _ = output.append(message)
  }

  /// Returns nil when the owner has nothing to do.
  private mutating func dispatch(_ received: ReceivedCall) -> Action? {
    switch received {
    case .call(let call):
      countCall()
      state = .performing(isOneway: call.isOneway, wantsMore: call.wantsMore)
      return .perform(call)
    case .refused(let error, let isOneway):
      countCall()
      refusalCount &+= 1
      if !isOneway { send(Message.error(error)) }
    case .unreadable(let problem): close(.call(problem))
    }
    return nil
  }

  private mutating func countCall() {
    callsLeft -= 1
    callCount &+= 1
  }

  private mutating func closeIfDone(at time: Duration) -> Action {
    guard case .closing(let reason) = state else { return .wait }
    if output.isEmpty { return .close(reason) }
    if closingSince == nil { closingSince = time }
    return .wait
  }

  // MARK: Replies

  /// The size that one more reply with `continues` may have now: 0 without a call in progress that accepts several
  /// replies, or while the client has not read enough of the earlier ones. Room for the last reply is always kept.
  public var continuedReplyBytesMax: Int {
    guard case .performing(_, wantsMore: true) = state else { return 0 }
    return max(0, output.freeByteCount - limits.replyBytesMax)
  }

  /// Replies to the call in progress. Without `continues` this is the last or only reply, an error included, and the
  /// reply to a `oneway` call is dropped. With `continues`, the message must fit in ``continuedReplyBytesMax``.
  public mutating func reply(_ message: [UInt8], continues: Bool = false) {
    if continues {
      precondition(message.count <= continuedReplyBytesMax, "the client cannot take one more reply")
      send(message)
      return
    }
    switch state {
    case .performing(let isOneway, _):
      state = .ready
      if !isOneway { send(message) }
    case .ready: preconditionFailure("no call is in progress")
    case .closing: break
    }
  }

  private mutating func send(_ message: [UInt8]) {
    guard message.count <= limits.replyBytesMax else {
      close(.replyTooLong(byteCount: message.count))
      return
    }
    let hasFitted = output.append(message)
    precondition(hasFitted, "room for a reply was made sure of")
  }
}

/// The server's limits for one connection.
public struct ConnectionLimits: Sendable {
  /// The size of one message from the client, without its NUL.
  public var frameBytesMax = 16 << 10
  /// How many bytes may wait to be sent.
  public var outputBytesMax = 64 << 10
  /// The size of one reply. A call is read only while this much room is free, and a stream keeps it free.
  public var replyBytesMax = 40 << 10
  /// How many calls are read in one turn of the owner's loop; the others wait for the next.
  public var callsPerTurnMax = 16
  public var json = JSONLimits()
  /// The last message to a client before the connection closes for a reason that the client did not choose; nil sends
  /// nothing.
  public var closingError: (@Sendable (ServerConnection.CloseReason) -> [UInt8]?)?

  public init() {}
}

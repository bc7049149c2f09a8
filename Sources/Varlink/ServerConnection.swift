// SPDX-License-Identifier: Apache-2.0

public import JSON

/// One client of a service: octets in, calls out; replies in, octets out. It reads no clock and touches no socket.
///
/// One call is performed at a time; replies leave in the order of the calls (varlink.org, "Protocol"). Capacity: see
/// ``ConnectionLimits``. Calls that came too early, or while the client does not read, stay in the input buffer as
/// octets; when that is full nothing more is received, and the client's own socket fills up.
public struct ServerConnection: Sendable {
  /// Why a connection ends.
  public enum CloseReason: Equatable, Sendable {
    /// The client sent all it had to say and got all replies.
    case finished
    case frame(FrameError)
    case call(CallError)
    /// The owner lost its patience (``ServerConnection/timeOut()``).
    case overdue
    /// One of our own messages was longer than `replyBytesMax`.
    case replyTooLong(byteCount: Int)
  }

  /// What the owner does next.
  public enum Action: Equatable, Sendable {
    /// Wait for octets from the client, for room in its socket, or for what the call in progress waits for.
    case wait
    /// Come back in the next turn, whatever the client does: more may be waiting here.
    case yield
    /// Perform the call, then answer with ``reply(_:continues:)``.
    case perform(Call)
    /// Close the socket; everything that could be sent was.
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
  /// Calls that were taken, the refused ones included.
  public private(set) var callCount: UInt64 = 0
  /// Calls that were refused here, before anybody performed them.
  public private(set) var refusalCount: UInt64 = 0
  /// Turns in which more calls came than one turn takes.
  public private(set) var yieldCount: UInt64 = 0

  public init(limits: ConnectionLimits = ConnectionLimits()) {
    precondition(limits.replyBytesMax <= limits.outputBytesMax, "a reply must fit")
    self.limits = limits
    input = FrameBuffer(frameBytesMax: limits.frameBytesMax)
    output = OutputBuffer(byteCountMax: limits.outputBytesMax)
    callsLeft = limits.callsPerTurnMax
  }

  // MARK: Octets

  /// How many octets may be received now; 0 means not to read from the socket.
  public var receivableByteCount: Int {
    if case .closing = state { return 0 }
    return hasInputEnded ? 0 : input.freeByteCount
  }

  /// Octets from the client, at most ``receivableByteCount``.
  public mutating func receive(_ bytes: Span<UInt8>) {
    precondition(bytes.count <= receivableByteCount, "more was received than there was room for")
    input.append(bytes)
  }

  /// The client will send nothing more; it may still read.
  public mutating func endInput() { hasInputEnded = true }

  /// Octets that wait for the socket.
  public var sendableByteCount: Int { output.byteCount }

  /// Offers everything that waits to `send`, which answers how many of the first octets the socket took.
  public mutating func drain<Failure>(_ send: (Span<UInt8>) throws(Failure) -> Int) throws(Failure) {
    try output.drain(send)
  }

  /// Since when the client owes us the rest of a message, or takes no leave; nil when it owes nothing.
  public var overdueSince: Duration? { closingSince ?? input.frameUnfinishedSince }

  // MARK: Calls

  /// Whether something may go on once the output has room: octets of calls are here, or the end is near.
  public var hasPendingInput: Bool {
    switch state {
    case .ready: input.byteCount > 0 || hasInputEnded
    case .performing: false
    case .closing: true
    }
  }

  /// A new turn of the owner's loop: ``ConnectionLimits/callsPerTurnMax`` calls may be taken again.
  public mutating func beginTurn() { callsLeft = limits.callsPerTurnMax }

  /// What is to be done now. To be asked again after every action but `wait`, and after everything that happens.
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

  /// The client was waited for long enough: it is told so, and the connection ends. Answers false when it is ending
  /// already, or does not read: then there is nothing left but to close the socket.
  public mutating func timeOut() -> Bool {
    guard output.isEmpty else { return false }
    if case .closing = state { return false }
    close(.overdue)
    return true
  }

  private mutating func close(_ reason: CloseReason) {
    state = .closing(reason)
    guard let message = limits.closingError?(reason), message.count <= output.freeByteCount else { return }
    _ = output.append(message)
  }

  /// Nil when there is nothing to do about it.
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

  /// Octets that one more reply with `continues` may have now: 0 while no call is in progress whose client takes
  /// several, or the client has not read enough of those before. Room for the last reply is always kept.
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

/// What one connection may cost.
public struct ConnectionLimits: Sendable {
  /// Octets of one message to us, without its NUL.
  public var frameBytesMax = 16 << 10
  /// Octets that wait to be sent.
  public var outputBytesMax = 64 << 10
  /// Octets of one of our own messages. A call is taken only while so many are free, and a stream leaves them free.
  public var replyBytesMax = 32 << 10
  /// Calls taken in one turn of the owner's loop; the others wait for the next.
  public var callsPerTurnMax = 16
  public var json = JSONLimits()
  /// The last message to a client before the connection closes for a reason that the client did not choose; nil sends
  /// nothing.
  public var closingError: (@Sendable (ServerConnection.CloseReason) -> [UInt8]?)?

  public init() {}
}

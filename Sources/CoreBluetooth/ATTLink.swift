// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GATT

/// A ``GATTClient`` on a socket. All of its methods are called on `queue`, where it also calls `report`.
///
/// The socket is read as soon as it has packets, at most ``packetsPerTurn`` of them before other work of the queue gets
/// its turn. It is closed when the link ended and the system no longer watches it.
final class ATTLink: @unchecked Sendable {
  private static let packetsPerTurn = 64

  private let socket: ATTSocket
  private let queue: DispatchQueue
  private let report: (GATTAction) -> Void
  private var client = GATTClient()
  private let reader: any DispatchSourceRead
  /// Exists while the socket takes nothing.
  private var writer: (any DispatchSourceWrite)?
  private var timer: (any DispatchSourceTimer)?
  private var timerDeadline: Duration?
  private var isClosed = false
  /// The system's error number when the link ended; 0 when the peripheral closed it, nil while it did not.
  private(set) var endingError: Int32?

  /// `report` receives each action of the client in order; the owner does not close the link within it.
  init(owning descriptor: Int32, queue: DispatchQueue, report: @escaping (GATTAction) -> Void) {
    let socket = ATTSocket(owning: descriptor)
    self.socket = socket
    self.queue = queue
    self.report = report
    reader = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    reader.setEventHandler { [weak self] in self?.readSocket() }
    reader.setCancelHandler { withExtendedLifetime(socket) {} }
    reader.activate()
  }

  deinit { cancelSources() }

  /// Sends the first request.
  func start() { stepClient(.start) }

  func beginOperation(_ operation: GATTOperation, _ id: GATTClient.OperationID) {
    stepClient(.begin(operation, id))
  }

  func writeCommand(_ handle: UInt16, _ value: [UInt8]) { stepClient(.writeCommand(handle, value)) }

  func canQueueCommand() -> Bool { client.canQueueCommand() }

  var commandValueBytesMax: Int { client.commandValueBytesMax }

  /// Completes what waits, and closes the socket.
  func close() { stepClient(.linkEnded) }

  // MARK: Driving the client

  private var now: Duration { .nanoseconds(DispatchTime.now().uptimeNanoseconds) }

  private func stepClient(_ input: GATTInput) {
    var actions = client.step(input, at: now)
    // Before the actions: the owner may drop the link with the last of them.
    if case .close = actions.last {
      isClosed = true
      cancelSources()
    } else {
      actions += sendPackets()
      setTimer()
    }
    actions.forEach(report)
  }

  private func cancelSources() {
    reader.cancel()
    writer?.cancel()
    timer?.cancel()
    writer = nil
    timer = nil
  }

  private func readSocket() {
    for _ in 0..<Self.packetsPerTurn where !isClosed {
      switch socket.receive() {
      case .packet(let bytes): stepClient(.received(bytes))
      case .nothing: return
      case .ended(let error): return end(error)
      }
    }
  }

  private func end(_ error: Int32) {
    endingError = error
    stepClient(.linkEnded)
  }

  /// Sends until the socket takes nothing more.
  private func sendPackets() -> [GATTAction] {
    guard writer == nil else { return [] }
    var actions: [GATTAction] = []
    while let packet = client.nextPacket {
      switch socket.send(packet) {
      case .sent: actions += client.step(.packetSent, at: now)
      case .full:
        waitForSpace()
        return actions
      case .ended(let error):
        endAfterLastPackets(error)
        return actions
      }
    }
    return actions
  }

  /// Ends the link in a turn of its own, as the caller may be in the middle of the client's actions.
  private func endAfterLastPackets(_ error: Int32) {
    queue.async { [weak self] in
      guard let self else { return }
      readSocket()
      if !isClosed { end(error) }
    }
  }

  private func waitForSpace() {
    let socket = socket
    let writer = DispatchSource.makeWriteSource(fileDescriptor: socket.descriptor, queue: queue)
    writer.setEventHandler { [weak self] in
      self?.writer?.cancel()
      self?.writer = nil
      self.map { link in link.sendPackets().forEach(link.report) }
    }
    writer.setCancelHandler { withExtendedLifetime(socket) {} }
    writer.activate()
    self.writer = writer
  }

  private func setTimer() {
    guard client.deadline != timerDeadline else { return }
    timerDeadline = client.deadline
    guard let deadline = timerDeadline else {
      timer?.cancel()
      timer = nil
      return
    }
    let timer = timer ?? makeTimer()
    let wait = deadline - now
    timer.schedule(
      deadline: .now() + .milliseconds(Int(wait / .milliseconds(1)) + 1), leeway: .milliseconds(100))
    self.timer = timer
  }

  private func makeTimer() -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler { [weak self] in self?.stepClient(.timePassed) }
    timer.activate()
    return timer
  }
}

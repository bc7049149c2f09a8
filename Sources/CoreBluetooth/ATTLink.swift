// SPDX-License-Identifier: Apache-2.0

import AccessorySetupKit
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
  private let watch: SocketWatch
  private var timer: (any DispatchSourceTimer)?
  private var timerDeadline: Duration?
  private var isClosed = false
  /// The system's error number when the link ended; 0 when the peripheral closed it, nil while it did not.
  private(set) var endingError: Int32?

  /// nil when no descriptor is free, of which it needs one; then the socket is closed. `report` receives each action of
  /// the client in order; the owner does not close the link within it.
  init?(owning descriptor: Int32, queue: DispatchQueue, report: @escaping (GATTAction) -> Void) {
    let socket = ATTSocket(owning: descriptor)
    guard let watch = SocketWatch(descriptor, queue: queue) else { return nil }
    self.socket = socket
    self.queue = queue
    self.report = report
    self.watch = watch
    watch.activate { [weak self] in
      self?.socketIsReady()
    } ended: {
      withExtendedLifetime(socket) {}
    }
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
    watch.cancel()
    timer?.cancel()
    timer = nil
  }

  private func socketIsReady() {
    if watch.isAwaitingSpace { sendPackets().forEach(report) }
    readSocket()
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
    var actions: [GATTAction] = []
    while let packet = client.nextPacket {
      switch socket.send(packet) {
      case .sent: actions += client.step(.packetSent, at: now)
      case .full:
        watch.awaitSpace(true)
        return actions
      case .ended(let error):
        endAfterLastPackets(error)
        return actions
      }
    }
    watch.awaitSpace(false)
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

// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import HCI

/// The commands to the kernel about links: to end one, and to read its signal strength. The kernel takes one of a kind
/// at a time, so they wait for each other.
///
/// Capacity: one command to end each link, and one reading for each device, however many calls wait for the result.
/// A command to end a link is repeated every second until the link is gone, at most ``triesMax`` times.
struct LinkCommandQueue: Sendable {
  private static let replyMilliseconds: Int64 = 5000
  private static let retryMilliseconds: Int64 = 1000
  private static let triesMax = 12

  /// What a call waits for.
  enum Answer: Equatable, Sendable {
    case disconnected
    case notConnected
    case rssi(Int8?)
    /// The kernel refused, with this status, or did not reply.
    case failed(MgmtStatus?)
  }

  enum Kind: Equatable, Sendable {
    case disconnect
    /// Reads the signal strength of the link.
    case information
  }

  private struct Command: Equatable, Sendable {
    let kind: Kind
    let address: DeviceAddress
    /// The earliest time to send it.
    var start: Instant
    var tries = 0

    func message(to adapter: UInt16) -> MgmtCommand {
      switch kind {
      case .disconnect: .disconnect(address, adapter)
      case .information: .getConnectionInformation(address, adapter)
      }
    }
  }

  private struct Question: Sendable {
    let kind: Kind
    let address: DeviceAddress
    var answer: Answer?
  }

  /// The index of the adapter that apps use; nil while there is none.
  var adapter: UInt16?
  private var waiting: [Command] = []
  private var pending: Command?
  /// The time until which the pending command must have its reply.
  private var replyEnd: Instant?
  private var questions: [UInt64: Question] = [:]
  private var lastNumber: UInt64 = 0
  private var output: [MgmtCommand] = []

  mutating func takeOutput() -> [MgmtCommand] {
    defer { output.removeAll() }
    return output
  }

  var deadline: Instant? { pending == nil ? waiting.lazy.map(\.start).min() : replyEnd }

  // MARK: - Calls

  /// Asks the kernel to end the link of a device.
  mutating func disconnect(_ address: DeviceAddress, at now: Instant) { add(.disconnect, address, at: now) }

  /// Sends a command for a call that waits for its result. Returns the call's number.
  mutating func ask(_ kind: Kind, _ address: DeviceAddress, at now: Instant) -> UInt64 {
    lastNumber += 1
    questions[lastNumber] = Question(kind: kind, address: address)
    add(kind, address, at: now)
    return lastNumber
  }

  /// Returns the answer that a call waits for; nil while there is none.
  func answer(to number: UInt64) -> Answer? { questions[number]?.answer }

  mutating func forget(_ number: UInt64) { questions[number] = nil }

  private mutating func add(_ kind: Kind, _ address: DeviceAddress, at now: Instant) {
    let isKnown = { (command: Command) in command.kind == kind && command.address == address }
    guard pending.map(isKnown) != true, !waiting.contains(where: isKnown) else { return }
    waiting.append(Command(kind: kind, address: address, start: now))
    sendNext(at: now)
  }

  // MARK: - The kernel

  /// Receives a reply. Returns the device whose link is gone, if one is.
  mutating func receiveReply(
    _ opcode: MgmtOpcode, _ status: MgmtStatus, _ returned: [UInt8], at now: Instant
  ) -> DeviceAddress? {
    guard let command = pending, let adapter, opcode == command.message(to: adapter).opcode else {
      return nil
    }
    (pending, replyEnd) = (nil, nil)
    defer { sendNext(at: now) }
    switch (command.kind, status) {
    case (.disconnect, .success), (.disconnect, .disconnected):
      answer(command, .disconnected)
      return command.address
    case (_, .notConnected), (_, .notPowered), (_, .invalidIndex):
      answer(command, .notConnected)
      return command.address
    case (.disconnect, .busy): repeatLater(command, at: now)
    case (.disconnect, _):
      answer(command, .failed(status))
      repeatLater(command, at: now)
    case (.information, .success):
      answer(command, ConnectionInformation(returned).map { .rssi($0.rssi) } ?? .failed(nil))
    case (.information, _): answer(command, .failed(status))
    }
    return nil
  }

  /// The link of a device is gone, by the kernel's own event.
  mutating func linkEnded(_ address: DeviceAddress) {
    waiting.removeAll { $0.address == address }
    for (number, question) in questions where question.address == address && question.answer == nil {
      questions[number]?.answer = question.kind == .disconnect ? .disconnected : .notConnected
    }
  }

  mutating func advance(to now: Instant) {
    if let command = pending, let end = replyEnd, end <= now {
      (pending, replyEnd) = (nil, nil)
      answer(command, .failed(nil))
      if command.kind == .disconnect { repeatLater(command, at: now) }
    }
    sendNext(at: now)
  }

  /// There is no adapter any more.
  mutating func close() {
    (adapter, pending, replyEnd, waiting) = (nil, nil, nil, [])
    for (number, question) in questions where question.answer == nil {
      questions[number]?.answer = .notConnected
    }
  }

  private mutating func repeatLater(_ command: Command, at now: Instant) {
    guard command.tries + 1 < Self.triesMax else { return }
    var command = command
    command.tries += 1
    command.start = now.advanced(milliseconds: Self.retryMilliseconds)
    waiting.append(command)
  }

  private mutating func sendNext(at now: Instant) {
    guard let adapter, pending == nil, let index = waiting.firstIndex(where: { $0.start <= now }) else {
      return
    }
    let command = waiting.remove(at: index)
    pending = command
    replyEnd = now.advanced(milliseconds: Self.replyMilliseconds)
    output.append(command.message(to: adapter))
  }

  private mutating func answer(_ command: Command, _ answer: Answer) {
    for (number, question) in questions where question.answer == nil {
      guard question.kind == command.kind, question.address == command.address else { continue }
      questions[number]?.answer = answer
    }
  }
}

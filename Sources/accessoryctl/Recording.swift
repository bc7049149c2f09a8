// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces
import JSON
import LinuxSystem
import ToolText
import Varlink

/// The agent's stream of packets on its way into a btsnoop file.
struct Recording: ~Copyable {
  private let path: String
  private let interruption: Interruption
  private var connection: GatewayConnection
  private var output: OutputFile
  /// The wall clock at the agent's time 0; nil before the agent's first word.
  private var origin: WallTime?
  private var packetCount = 0
  private var missedCount: Int64 = 0

  /// No file is made, and none is emptied, before the agent has said that it records.
  static func begin(to file: String, at path: String) throws(Failure) -> Recording {
    let interruption = try Interruption()
    var connection = try Self.connection(path)
    let greeting: CaptureReply
    do throws(GatewayProblem) {
      guard let reply = try connection.answer() else { throw .ended(hasAnswered: false) }
      greeting = try CaptureReply(captured: reply)
    } catch {
      throw error.failure(at: path)
    }
    var recording = Recording(path, interruption, connection, try create(file))
    try recording.take(greeting)
    return recording
  }

  private init(
    _ path: String, _ interruption: Interruption, _ connection: consuming GatewayConnection,
    _ output: consuming OutputFile
  ) {
    self.path = path
    self.interruption = interruption
    self.connection = connection
    self.output = output
  }

  /// On which the agent was asked for its packets.
  static func connection(_ path: String) throws(Failure) -> GatewayConnection {
    do throws(GatewayProblem) {
      var connection = try GatewayConnection(path: path)
      try connection.begin(GatewayMethodName.capture)
      return connection
    } catch {
      throw error.failure(at: path)
    }
  }

  private static func create(_ file: String) throws(Failure) -> OutputFile {
    do throws(SystemError) {
      return try file == "-" ? .standardOutput() : .create(path: file)
    } catch {
      throw .sentence(
        "cannot write \(quoted(file)): \(error.reason); name a file in a folder that is there and yours",
        .cannotCreate)
    }
  }

  /// Until a signal, the deadline, or the last reader; says then what there is.
  mutating func run(lasting: Instant?) throws(Failure) {
    let start = try Self.now()
    let deadline = lasting.map { start.advanced(nanoseconds: $0.microseconds * 1000) }
    let ending = try record(until: deadline)
    _ = try flush()
    let lost = missedCount == 0 ? "none lost" : "\(missedCount) lost"
    StandardError.say("\(packetCount) packets recorded, \(lost)")
    if let ending { throw ending.failure(at: path) }
  }

  /// Answers why the stream broke off; nil when it was ended here.
  private mutating func record(until deadline: MonotonicInstant?) throws(Failure) -> GatewayProblem? {
    while true {
      if !connection.hasReply, try !flush() { return nil }
      let part: CaptureReply
      do throws(GatewayProblem) {
        switch try connection.next(until: deadline, interruption, output: output.number) {
        case .reply(let reply): part = try CaptureReply(captured: reply)
        case .deadline, .interruption, .noReader: return nil
        }
      } catch {
        return error
      }
      try take(part)
    }
  }

  private mutating func take(_ part: CaptureReply) throws(Failure) {
    switch part {
    case .greeting(let time):
      origin = try AgentClock(saying: time).wallTime(of: Seconds(microseconds: 0))
      try write(Btsnoop.header(.h4).span)
    case .missed(let count): missedCount &+= count
    case .packets(let packets): for packet in packets { try write(packet) }
    }
  }

  private mutating func write(_ packet: CaptureReply.Packet) throws(Failure) {
    // What has no indicator that the format knows is left out, and counted as lost.
    guard let kind = packet.bytes.first.flatMap(PacketKind.init), let origin else {
      missedCount &+= 1
      return
    }
    packetCount += 1
    let header = Btsnoop.recordHeader(
      byteCount: packet.bytes.count,
      flags: Btsnoop.flags(.h4, kind: kind, isReceived: packet.isReceived),
      cumulativeDrops: UInt32(clamping: missedCount),
      time: Instant(microseconds: origin.microseconds &+ packet.time.microseconds))
    try write(header.span)
    try write(packet.bytes.span)
  }

  private mutating func write(_ bytes: Span<UInt8>) throws(Failure) {
    do throws(SystemError) {
      try output.write(bytes.indices.map { bytes[$0] })
    } catch {
      throw .output(error)
    }
  }

  /// Answers whether there is reason to go on.
  private mutating func flush() throws(Failure) -> Bool {
    do throws(SystemError) {
      return try output.flush(unlessReadable: interruption.number)
    } catch {
      throw .output(error)
    }
  }

  private static func now() throws(Failure) -> MonotonicInstant {
    do throws(SystemError) { return try .now() } catch { throw .clock(error) }
  }
}

extension CaptureReply {
  /// What a reply to `Capture` says.
  init(captured reply: ReceivedReply) throws(GatewayProblem) {
    do throws(JSONMemberError) { self = try CaptureReply(reading: JSONObjectReader(reply.parameters)) } catch
    {
      throw .line(error)
    }
  }
}

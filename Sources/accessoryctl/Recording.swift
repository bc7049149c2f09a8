// SPDX-License-Identifier: GPL-3.0-or-later

import Captures
import HCI
import Interfaces
import JSON
import LinuxSystem
import ToolSystem
import ToolText
import Varlink
import VarlinkClient

/// Records the agent's stream of packets in a btsnoop file.
struct Recording: ~Copyable {
  private let path: String
  private let interruption: Interruption
  private var connection: GatewayConnection
  private var output: OutputFile
  /// The wall clock at the agent's time 0; nil before the agent's first reply.
  private var origin: WallTime?
  private var packetCount = 0
  private var missedCount: Int64 = 0

  /// Asks the agent for its packets, and creates the file after the agent's first reply. With `replacing`, an existing
  /// file is overwritten.
  static func create(_ file: String, replacing: Bool, from path: String) throws(ToolError) -> Recording {
    let interruption = try Interruption()
    var connection = try Self.connection(path)
    let greeting: CaptureReply
    do throws(AgentCallError) {
      guard let reply = try connection.nextReply() else { throw .ended(.atOnce) }
      greeting = try CaptureReply(captured: reply)
    } catch {
      throw error.toolError(at: path)
    }
    var recording = Recording(path, interruption, connection, try createFile(file, replacing: replacing))
    try recording.write(greeting)
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

  /// A connection on which the agent was asked for its packets.
  static func connection(_ path: String) throws(ToolError) -> GatewayConnection {
    do throws(AgentCallError) {
      var connection = try GatewayConnection(path: path)
      try connection.startCall(GatewayMethodName.capture)
      return connection
    } catch {
      throw error.toolError(at: path)
    }
  }

  private static func createFile(_ file: String, replacing: Bool) throws(ToolError) -> OutputFile {
    do throws(SystemError) {
      if file == "-" { return .standardOutput() }
      // A pipe or a device loses nothing.
      let isOrdinary = try DurableFile.isFree(file)
      return try .create(path: file, replacing: replacing || !isOrdinary)
    } catch {
      guard !error.isExisting else {
        throw .sentence(
          "\(quoted(file)) is there already; name another file, or overwrite it with --force", .cannotCreate)
      }
      throw .sentence(
        "cannot write \(quoted(file)): \(error.reason); name a file in a folder that exists and that you may write",
        .cannotCreate)
    }
  }

  /// Records until a signal, the deadline, or the end of the reader; then prints the counts.
  mutating func run(lasting: Instant?) throws(ToolError) {
    let start = try Self.now()
    let deadline = lasting.map { start.advanced(nanoseconds: $0.microseconds * 1000) }
    let ending = try record(until: deadline)
    _ = try flush()
    let lost = missedCount == 0 ? "none lost" : "\(missedCount) lost"
    StandardError.say("\(packetCount) packets recorded, \(lost)")
    if let ending { throw ending.toolError(at: path) }
    guard packetCount > 0 else {
      throw .sentence("the radio has received nothing; accessoryctl status says how it is", .no)
    }
  }

  /// Returns why the stream broke off; nil when this program ended it.
  private mutating func record(until deadline: MonotonicInstant?) throws(ToolError) -> AgentCallError? {
    while true {
      if !connection.hasReply, try !flush() { return nil }
      let part: CaptureReply
      do throws(AgentCallError) {
        switch try connection.nextArrival(until: deadline, interruption, output: output.number) {
        case .reply(let reply): part = try CaptureReply(captured: reply)
        case .deadline, .interruption, .noReader: return nil
        }
      } catch {
        return error
      }
      try write(part)
    }
  }

  private mutating func write(_ part: CaptureReply) throws(ToolError) {
    if let time = part.time {
      origin = try AgentClock(saying: time).wallTime(of: Seconds(microseconds: 0))
      try write(Btsnoop.header(.h4).span)
    }
    missedCount &+= Int64(part.missed ?? 0)
    for packet in part.packets ?? [] { try write(packet) }
  }

  private mutating func write(_ packet: CaptureReply.Packet) throws(ToolError) {
    // A packet with an indicator that the format does not know is left out, and counted as lost.
    guard let kind = packet.packet.first.flatMap(PacketKind.init), let origin else {
      missedCount &+= 1
      return
    }
    packetCount += 1
    let header = Btsnoop.recordHeader(
      byteCount: packet.packet.count,
      flags: Btsnoop.flags(.h4, kind: kind, isReceived: packet.direction == .received),
      cumulativeDrops: UInt32(clamping: missedCount),
      time: Instant(microseconds: origin.microseconds &+ packet.time.microseconds))
    try write(header.span)
    try write(packet.packet.span)
  }

  private mutating func write(_ bytes: Span<UInt8>) throws(ToolError) {
    do throws(SystemError) {
      try output.write(bytes.indices.map { bytes[$0] })
    } catch {
      throw .output(error)
    }
  }

  /// Returns whether to go on.
  private mutating func flush() throws(ToolError) -> Bool {
    do throws(SystemError) {
      return try output.flush(unlessReadable: interruption.number)
    } catch {
      throw .output(error)
    }
  }

  private static func now() throws(ToolError) -> MonotonicInstant {
    do throws(SystemError) { return try .now() } catch { throw .clock(error) }
  }
}

extension CaptureReply {
  /// Reads a reply to `Capture`.
  init(captured reply: ReceivedReply) throws(AgentCallError) {
    do throws(JSONMemberError) { self = try CaptureReply(reading: JSONObjectReader(reply.parameters)) } catch
    {
      throw .line(error)
    }
  }
}

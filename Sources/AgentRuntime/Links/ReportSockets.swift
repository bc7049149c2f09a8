// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import LinuxSystem

/// The sockets of streams of reports: the agent's end of each, and the reader's until the reply takes it.
///
/// Capacity: ``AgentCore/reportStreamsMax``, which the agent keeps. Nothing is read from a reader.
struct ReportSockets {
  private struct Entry {
    var socket: WatchedDescriptor
    /// The reader's end; nil once the reader has it.
    var reader: SharedDescriptor?
  }

  private var entries: [ReportStreamID: Entry] = [:]

  var isEmpty: Bool { entries.isEmpty }

  /// Makes the sockets of a stream.
  mutating func open(_ id: ReportStreamID, _ loop: inout LoopContext) {
    do throws(SystemError) {
      var other: Descriptor?
      let socket = SharedDescriptor(try UnixConnection.pair(&other, kind: .packets))
      guard let reader = other.take() else { preconditionFailure("a pair has two sockets") }
      entries[id] = Entry(
        socket: try WatchedDescriptor(socket, for: [], as: .reports(id), &loop),
        reader: SharedDescriptor(reader))
      loop.agent.reportsOpened(id, at: loop.now)
    } catch {
      loop.agent.reportsFailed(id, error.sentence, at: loop.now)
    }
  }

  /// The reader's end, while it waits for the reply that takes it.
  func reader(of id: ReportStreamID) -> SharedDescriptor? { entries[id]?.reader }

  /// Closes the agent's copy of the reader's end, so that the reader's own is the only one.
  mutating func forgetReader(of id: ReportStreamID) { entries[id]?.reader = nil }

  /// A reader has room again, or is gone.
  mutating func receiveReadiness(of id: ReportStreamID, _ readiness: Readiness, _ loop: inout LoopContext) {
    if !readiness.isDisjoint(with: .hungUp) {
      loop.agent.reportsClosed(id)
    } else if !readiness.isDisjoint(with: .writable) {
      try? entries[id]?.socket.watch(for: [], &loop)
      loop.agent.reportsWritable(id)
    }
  }

  /// Sends what is due.
  mutating func send(_ loop: inout LoopContext) {
    guard !entries.isEmpty else { return }
    var full: [ReportStreamID] = []
    loop.agent.sendReports { id, message in
      guard let socket = entries[id]?.socket.shared else { return .closed }
      do throws(SystemError) {
        guard try socket.descriptor.send(message) == nil else { return .sent }
        full.append(id)
        return .full
      } catch {
        return .closed
      }
    }
    for id in full { try? entries[id]?.socket.watch(for: .writable, &loop) }
  }

  mutating func close(_ id: ReportStreamID, _ loop: inout LoopContext) {
    guard let entry = entries.removeValue(forKey: id) else { return }
    loop.registry.remove(entry.socket.token)
  }
}

/// The sockets that go to clients with replies.
struct PassedSockets {
  var links: LinkSockets
  var reports = ReportSockets()

  /// Sends what fits now, with a socket beside the first byte if one is to go. Returns the count of bytes sent; nil when
  /// nothing fits.
  func send(
    _ bytes: Span<UInt8>, with passed: ClientSocket?, over client: borrowing Descriptor
  ) throws(SystemError) -> Int? {
    switch passed {
    case .link(let id):
      if let socket = links.socket(of: id) { return try client.send(bytes, passing: socket.descriptor) }
    case .reports(let id):
      if let reader = reports.reader(of: id) { return try client.send(bytes, passing: reader.descriptor) }
    case nil: break
    }
    return try client.send(bytes)
  }

  /// Closes the agent's copy of a socket that a client has now.
  mutating func forget(_ passed: ClientSocket, _ loop: inout LoopContext) {
    switch passed {
    case .link(let id): links.close(id, &loop)
    case .reports(let id): reports.forgetReader(of: id)
    }
  }
}

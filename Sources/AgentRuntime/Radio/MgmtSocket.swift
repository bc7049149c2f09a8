// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import HCI
import LinuxSystem

/// The kernel's management interface: it reports adapters that are added and removed, and scans for shared adapters.
final class MgmtSocket {
  /// Longer than any message that the kernel sends here; the format allows 6 bytes of header and 65,535 of parameters.
  private static let messageBytesMax = 4096

  let socket: AdapterSocket
  private var buffer = [UInt8](repeating: 0, count: messageBytesMax)

  init() throws(SystemError) { socket = try AdapterSocket.mgmt() }

  func send(_ command: MgmtCommand) throws(SystemError) {
    _ = try socket.descriptor.send(command.bytes.span)
  }

  /// Delivers the messages that have arrived, at most `countMax`.
  func drain(countMax: Int = 64, _ receive: (RawSpan) -> Void) {
    for _ in 0..<countMax {
      guard let count = try? socket.descriptor.read(into: &buffer), count > 0 else { return }
      receive(buffer.span.rawBytes.extracting(0..<count))
    }
  }

  /// Sends the commands, each after the reply to the one before, whatever its status: the kernel refuses some commands
  /// while another of their kind is pending. When the time is up, the rest is sent without waiting. Blocks the caller.
  func performCommands(_ commands: [MgmtCommand], milliseconds: Int) {
    guard let deadline = try? MonotonicInstant.now().advanced(milliseconds: milliseconds) else { return }
    for command in commands {
      do throws(SystemError) { try send(command) } catch { return }
      awaitReply(to: command, until: deadline)
    }
  }

  private func awaitReply(to command: MgmtCommand, until deadline: MonotonicInstant) {
    var isAnswered = false
    while !isAnswered {
      guard let ready = try? Polling.wait([.init(socket.descriptor.number, .readable)], until: deadline),
        ready.first?.isEmpty == false
      else { return }
      drain { message in
        guard let event = try? MgmtEvent(parsing: message),
          case .completed(let opcode, _, _) = event.content
        else { return }
        if opcode == command.opcode, event.index == command.index { isAnswered = true }
      }
    }
  }
}

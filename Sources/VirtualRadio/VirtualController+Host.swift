// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

extension VirtualController {
  /// Receives bytes from the host, in pieces of any size.
  public mutating func receive(_ bytes: [UInt8], at now: Instant) {
    catchUp(to: now)
    guard isPlugged, !isSilent else { return }
    for element in stream.elements(of: bytes) where isPlugged && !isSilent {
      switch element {
      case .packet(let packet): receivePacket(packet, at: now)
      case .outOfStep:
        counters.streamErrors += 1
        // Volume 4, Part A, 4: a loss of step is a hardware error.
        apply(.hardwareError(0), at: now)
      }
    }
  }

  private mutating func receivePacket(_ packet: [UInt8], at now: Instant) {
    guard packet[0] == PacketKind.command.rawValue else {
      counters.otherPackets += 1
      return
    }
    counters.commands += 1
    let opcode = Opcode(rawValue: UInt16(packet.little(1, 2)))
    if table[opcode] == nil { counters.unknownCommands += 1 }
    let faults = faultSchedule.faults(of: opcode)
    let answerTime = Instant(
      microseconds: now.microseconds + script.answerMicroseconds + faults.delayMicroseconds)
    faults.apply(.before, to: &self, at: now)
    guard isPlugged, !isSilent else { return }
    var answer = CommandResult(status: .success)
    if let status = faults.refusal(.before) {
      answer.status = status
    } else if !faults.isLost(.before) {
      answer = execute(opcode, Array(packet[4...]), at: answerTime)
    }
    if let status = faults.refusal(.after) { answer.status = status }
    if !faults.isLost(.before), !faults.isLost(.after) { post(answer.packet(for: opcode), at: answerTime) }
    faults.apply(.after, to: &self, at: answerTime)
  }
}

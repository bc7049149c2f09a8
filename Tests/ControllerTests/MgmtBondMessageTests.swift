// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
import Controller
import HCI
import Testing

@Suite("Messages of the kernel's management interface about bonds")
struct MgmtBondMessageTests {
  private static let device = DeviceAddress(bits: 0xC4A1_0000_1E27, type: .random)
  private static let privateAddress = DeviceAddress(bits: 0x52AE_893E_C118, type: .random)
  private static let wire: [UInt8] = [0x27, 0x1E, 0x00, 0x00, 0xA1, 0xC4, 2]
  private static let keyBytes: [UInt8] = Array(0xA0...0xAF)
  private static let key = KeyValue(keyBytes)

  private func parsed(_ code: UInt8, _ body: [UInt8]) throws(MgmtError) -> MgmtEvent.Content {
    let bytes: [UInt8] = [code, 0, 1, 0, UInt8(body.count), 0] + body
    let event = try MgmtEvent(parsing: bytes.span.rawBytes)
    #expect(event.index == 1)
    return event.content
  }

  // MARK: - Commands

  @Test("Commands have the opcodes and parameters of the interface")
  func commands() {
    let (device, wire) = (Self.device, Self.wire)
    #expect(MgmtCommand.set(.setBondable, to: true, 1).bytes == [0x09, 0, 1, 0, 1, 0, 1])
    #expect(MgmtCommand.set(.setSecureConnections, to: true, 1).bytes == [0x2D, 0, 1, 0, 1, 0, 1])
    #expect(MgmtCommand.set(.setDebugKeys, to: false, 1).bytes == [0x2E, 0, 1, 0, 1, 0, 0])
    #expect(MgmtCommand.pair(device, ioCapability: 4, 1).bytes == [0x19, 0, 1, 0, 8, 0] + wire + [4])
    #expect(MgmtCommand.cancelPairing(with: device, 1).bytes == [0x1A, 0, 1, 0, 7, 0] + wire)
    // The link is ended too.
    #expect(MgmtCommand.unpair(device, 1).bytes == [0x1B, 0, 1, 0, 8, 0] + wire + [1])
    #expect(MgmtCommand.confirm(device, true, 1).bytes == [0x1C, 0, 1, 0, 7, 0] + wire)
    #expect(MgmtCommand.confirm(device, false, 1).bytes == [0x1D, 0, 1, 0, 7, 0] + wire)
    #expect(
      MgmtCommand.enterPasskey(123_456, for: device, 1).bytes
        == [0x1E, 0, 1, 0, 11, 0] + wire + [0x40, 0xE2, 0x01, 0x00])
    #expect(MgmtCommand.enterPasskey(nil, for: device, 1).bytes == [0x1F, 0, 1, 0, 7, 0] + wire)
  }

  @Test("Keys are loaded as a count and the keys; empty lists are loaded too")
  func loading() throws {
    let value = try #require(Self.key)
    let longTerm = MgmtKey(
      Self.device,
      LongTermKey(
        kind: 3, central: 1, byteCount: 16, diversifier: 0x0102,
        random: 0x1112_1314_1516_1718, value: value))
    #expect(
      MgmtCommand.loadLongTermKeys([longTerm], 1).bytes
        == [0x13, 0, 1, 0, 38, 0] + [1, 0] + Self.wire + [3, 1, 16, 0x02, 0x01]
        + [0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11] + Self.keyBytes)
    #expect(
      MgmtCommand.loadIdentityKeys([MgmtKey(Self.device, value)], 1).bytes
        == [0x30, 0, 1, 0, 25, 0] + [1, 0] + Self.wire + Self.keyBytes)
    let dual = DeviceAddress(bits: 0x0000_5E00_5301, type: .public)
    #expect(
      MgmtCommand.loadLinkKeys([MgmtKey(dual, LinkKey(kind: 5, pinByteCount: 0, value: value))], 1).bytes
        == [0x12, 0, 1, 0, 28, 0] + [0, 1, 0] + [0x01, 0x53, 0x00, 0x5E, 0x00, 0x00, 0, 5] + Self.keyBytes
        + [0])
    #expect(MgmtCommand.loadIdentityKeys([], 1).bytes == [0x30, 0, 1, 0, 2, 0, 0, 0])
    #expect(MgmtCommand.loadLongTermKeys([], 1).bytes == [0x13, 0, 1, 0, 2, 0, 0, 0])
    #expect(MgmtCommand.loadLinkKeys([], 1).bytes == [0x12, 0, 1, 0, 3, 0, 0, 0, 0])
    let many = [MgmtKey<LongTermKey>](repeating: longTerm, count: MgmtCommand.longTermKeysMax + 1)
    #expect(MgmtCommand.loadLongTermKeys(many, 1).bytes.count == 6 + 2 + MgmtCommand.longTermKeysMax * 36)
    // All devices of a registry may have an identity key.
    let identities = [MgmtKey<KeyValue>](
      repeating: MgmtKey(Self.device, value), count: 3000)
    #expect(MgmtCommand.loadIdentityKeys(identities, 1).bytes.count == 6 + 2 + 2849 * 23)
  }

  // MARK: - Events

  /// Each event, the number of bytes that its parameters need, and what they say.
  private static func events() throws -> [(code: UInt8, body: [UInt8], needed: Int, MgmtBondEvent)] {
    let value = try #require(key)
    let longTerm = MgmtKey(
      device, LongTermKey(kind: 2, central: 0, byteCount: 16, diversifier: 0, random: 0, value: value))
    let identity = MgmtKey(device, value)
    let dual = DeviceAddress(bits: 0x0000_5E00_5301, type: .public)
    let link = MgmtKey(dual, LinkKey(kind: 7, pinByteCount: 0, value: value))
    let zeros = [UInt8](repeating: 0, count: 10)
    return [
      (0x09, [1, 0x01, 0x53, 0, 0x5E, 0, 0, 0, 7] + keyBytes + [0], 26, .linkKey(link, isToBeKept: true)),
      (0x0A, [1] + wire + [2, 0, 16] + zeros + keyBytes, 37, .longTermKey(longTerm, isToBeKept: true)),
      (0x0A, [0] + wire + [2, 0, 16] + zeros + keyBytes, 37, .longTermKey(longTerm, isToBeKept: false)),
      (0x0B, wire + [0, 0, 0, 0, 3, 0, 2, 1, 6], 13, .connected(device)),
      (0x0D, wire + [4], 8, .connectFailed(device, .connectFailed)),
      (0x0F, wire + [1, 0x0A, 0xD5, 5, 0], 12, .confirmationRequest(device, digits: nil)),
      (0x0F, wire + [0, 0x40, 0xE2, 1, 0], 12, .confirmationRequest(device, digits: 123_456)),
      (0x10, wire, 7, .passkeyRequest(device)),
      (0x11, wire + [5], 8, .authenticationFailed(device, .authenticationFailed)),
      (0x16, wire, 7, .unpaired(device)),
      (0x17, wire + [7, 0, 0, 0, 0], 12, .passkeyNotification(device, digits: 7)),
      (
        0x18, [1, 0x18, 0xC1, 0x3E, 0x89, 0xAE, 0x52] + wire + keyBytes, 30,
        .identityKey(identity, address: privateAddress, isToBeKept: true)
      ),
      (
        0x18, [1, 0, 0, 0, 0, 0, 0] + wire + keyBytes, 30,
        .identityKey(identity, address: nil, isToBeKept: true)
      ),
    ]
  }

  @Test("Each event is read with its parameters, and what tests send is the same")
  func reading() throws {
    for (code, body, needed, event) in try Self.events() {
      #expect(try parsed(code, body) == .bond(event))
      #expect(event.code == UInt16(code))
      #expect(event.body.count == needed)
      #expect(try parsed(code, event.body) == .bond(event))
    }
  }

  @Test("An event that is truncated anywhere is refused")
  func truncated() throws {
    for (code, body, needed, _) in try Self.events() {
      for count in 0..<needed {
        #expect(throws: MgmtError.truncated(byteCount: 6 + count)) { try parsed(code, Array(body[..<count])) }
      }
    }
  }

  @Test("A flipped bit gives another event, an unknown one or an error, and none that the format forbids")
  func flippedBits() throws {
    for (code, body, _, event) in try Self.events() {
      for bit in 0..<body.count * 8 {
        var flipped = body
        flipped[bit / 8] ^= 1 << (bit % 8)
        let content: MgmtEvent.Content
        do throws(MgmtError) { content = try parsed(code, flipped) } catch {
          switch error {
          case .invalidValue(let event): #expect(event == 0x0A && code == 0x0A)
          case .invalidDigits(let event, _): #expect(event == UInt16(code) && [0x0F, 0x17].contains(code))
          case .truncated: Issue.record("nothing was cut")
          }
          continue
        }
        guard case .bond(let read) = content else { continue }
        #expect(read.code == event.code)
        switch read {
        case .confirmationRequest(_, let digits): #expect(digits.map { $0 < 1_000_000 } ?? true)
        case .passkeyNotification(_, let digits): #expect(digits < 1_000_000)
        case .longTermKey(let key, _): #expect(LongTermKey.byteCounts.contains(key.key.byteCount))
        case .linkKey, .identityKey, .connected, .connectFailed, .authenticationFailed,
          .passkeyRequest, .unpaired:
          break
        }
      }
    }
  }

  @Test("Events of devices that are not LE devices are no events of bonds")
  func classic() throws {
    let classic = Array(Self.wire.dropLast()) + [0]
    for code: UInt8 in [0x10, 0x16] { #expect(try parsed(code, classic) == .other(UInt16(code))) }
  }

  @Test("Digits with seven places, and keys of a length that no key has, are refused")
  func invalidValues() throws {
    let million: [UInt8] = [0x40, 0x42, 0x0F, 0]
    #expect(throws: MgmtError.invalidDigits(event: 0x0F, Self.device)) {
      try parsed(0x0F, Self.wire + [0] + million)
    }
    #expect(throws: MgmtError.invalidDigits(event: 0x17, Self.device)) {
      try parsed(0x17, Self.wire + million + [0])
    }
    let zeros = [UInt8](repeating: 0, count: 10)
    for byteCount: UInt8 in [0, 6, 17, 255] {
      #expect(throws: MgmtError.invalidValue(event: 0x0A)) {
        try parsed(0x0A, [1] + Self.wire + [2, 0, byteCount] + zeros + Self.keyBytes)
      }
    }
  }

  @Test("No description of a message with keys shows a key")
  func secrecy() throws {
    let value = try #require(Self.key)
    let identity = MgmtKey(Self.device, value)
    var texts: [String] = []
    for (_, _, _, event) in try Self.events() {
      texts.append("\(event)")
      texts.append(String(reflecting: MgmtEvent(index: 0, .bond(event))))
      var dumped = ""
      dump(event, to: &dumped)
      texts.append(dumped)
    }
    let command = MgmtCommand.loadIdentityKeys([identity], 0)
    var dumped = ""
    dump(command, to: &dumped)
    texts += ["\(command)", String(reflecting: command), dumped]
    for text in texts {
      #expect(!text.contains("160, 161"))
      #expect(!text.contains("160\n"))
      #expect(!text.lowercased().contains("a0a1"))
    }
  }
}

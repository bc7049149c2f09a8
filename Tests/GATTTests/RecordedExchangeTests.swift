// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import GATT
import TestSupport
import Testing

/// Exchanges with a server that this project did not write. The client must send the same packets again, and understand
/// the responses.
@Suite struct RecordedExchangeTests {
  private static let dice = HandleRange(8, 22) ?? .all
  private static let roll = GATTCharacteristic(
    declarationHandle: 10, valueHandle: 11, endHandle: 13, properties: 0x12, uuid: AttributeUUID(0xFF01))
  private static let press = GATTCharacteristic(
    declarationHandle: 18, valueHandle: 19, endHandle: 20, properties: 0x20, uuid: AttributeUUID(0xFF04))
  private static let longValue = (0..<512).map { UInt8($0 & 0xFF) }

  private static let operations: [GATTOperation] = {
    var operations = [GATTOperation.discoverServices(uuids: nil)]
    for range in [HandleRange(1, 4) ?? .all, HandleRange(5, 7) ?? .all, dice] {
      operations += [.discoverCharacteristics(range), .discoverIncludedServices(range)]
    }
    return operations + [
      .read(15), .write(15, longValue), .read(15), .discoverDescriptors(roll),
      .subscribe(roll, .notifications),
      .read(17), .subscribe(press, .indications),
    ]
  }()

  @Test(arguments: [23, 185, 517]) func aRecordedServerIsUnderstood(mtu: Int) throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "Fixtures/bumble-\(mtu).txt")
    var link = LinkHarness()
    link.step(.start)
    for operation in Self.operations { link.beginOperation(operation) }
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      let text = String(line.dropFirst(2))
      switch line.first {
      case ">":
        if text.hasPrefix("52") { link.step(.writeCommand(22, [1])) }
        link.expectSent(text)
      case "<": link.receive(text)
      default: break
      }
    }
    link.expectSentNothing()
    #expect(link.client.mtu == mtu)
    #expect(link.client.counters == GATTCounters())

    var results: [GATTClient.OperationID: Result<GATTResult, GATTError>] = [:]
    for case .complete(let id, let result) in link.actions { results[id] = result }
    #expect(results.count == Self.operations.count)
    guard case .services(let services) = try results[1]?.get() else { throw GATTError.linkEnded }
    #expect(services.map(\.uuid) == [.genericAttribute, AttributeUUID(0x180F), PacketFixture.dice])
    #expect(try results[7]?.get() == .services([services[1]]))
    guard case .characteristics(let found) = try results[6]?.get() else { throw GATTError.linkEnded }
    #expect(found.map(\.valueHandle) == [11, 15, 17, 19, 22])
    #expect(found[0] == Self.roll && found[3] == Self.press)
    #expect(try results[10]?.get() == .value(Self.longValue))
    #expect(results[13] == .failure(.refused(.insufficientEncryption, handle: 17)))
    #expect(results.values.filter { if case .failure = $0 { true } else { false } }.count == 1)

    let received = link.actions.compactMap { action -> [UInt8]? in
      if case .receive(let handle, let value) = action { [UInt8(handle)] + value } else { nil }
    }
    #expect(received == (0..<20).map { [11, $0, 0] } + [[19, 0x70]])
  }
}

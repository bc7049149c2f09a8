// SPDX-License-Identifier: GPL-3.0-or-later

import GATT
import TestSupport
import Testing

@Suite struct GATTClientTests {
  @Test func oneRequestIsInProgressAtATime() {
    var link = LinkHarness.started()
    let first = link.beginOperation(.read(1))
    let second = link.beginOperation(.write(2, [9]))
    link.expectSent("0A 01 00")
    link.expectSentNothing()
    link.receive("1B 05 00 01")
    link.expectSentNothing()
    link.receive("0B 61")
    link.expectSent("12 02 00 09", reply: "13")
    link.expectActions([
      .receive(5, [1]), .complete(first, .success(.value([0x61]))), .complete(second, .success(.done)),
    ])
  }

  @Test func indicationsAreConfirmedBetweenRequestAndResponse() {
    var link = LinkHarness.started()
    link.beginOperation(.read(1))
    link.expectSent("0A 01 00")
    link.receive("1D 05 00 01 02")
    link.expectSent("1E")
    link.expectActions([.receive(5, [1, 2])])
  }

  @Test(arguments: (1...255).map { ATTErrorCode(rawValue: $0) })
  func aRefusalCarriesTheServersCode(_ code: ATTErrorCode) {
    var link = LinkHarness.started()
    let id = link.beginOperation(.read(7))
    link.step(.received([0x01, 0x0A, 0x07, 0x00, code.rawValue]))
    link.expectActions([.complete(id, .failure(.refused(code, handle: 7)))])
    // The link goes on.
    let next = link.beginOperation(.read(8))
    link.receive("0B 01")
    link.expectActions([.complete(next, .success(.value([1])))])
  }

  @Test func aMissingResponseEndsTheLinkAfterThirtySeconds() {
    var link = LinkHarness.started()
    link.time = .seconds(100)
    let first = link.beginOperation(.read(1))
    let second = link.beginOperation(.read(2))
    #expect(link.client.deadline == .seconds(130))
    link.time = .milliseconds(129_999)
    link.step(.timePassed)
    // Notifications do not make the response less overdue.
    link.receive("1B 05 00 01")
    link.expectActions([.receive(5, [1])])
    link.time = .seconds(130)
    link.step(.timePassed)
    link.expectActions([
      .complete(first, .failure(.timedOut)), .complete(second, .failure(.timedOut)), .close(.timedOut),
    ])
    #expect(link.client.deadline == nil)
    let late = link.beginOperation(.read(3))
    link.receive("0B 61")
    link.expectActions([.complete(late, .failure(.timedOut))])
    link.expectSentNothing()
  }

  @Test func eachPartOfALongValueHasItsOwnThirtySeconds() {
    var link = LinkHarness.started()
    link.beginOperation(.read(1))
    link.time = .seconds(29)
    link.step(.received([0x0B] + [UInt8](repeating: 0, count: 22)))
    #expect(link.client.deadline == .seconds(59))
  }

  @Test func theEndOfTheLinkCompletesEveryOperation() {
    var link = LinkHarness.started()
    let ids = (1...3).map { link.beginOperation(.read($0)) }
    link.step(.linkEnded)
    link.step(.linkEnded)
    link.expectActions(ids.map { .complete($0, .failure(.linkEnded)) } + [.close(.linkEnded)])
  }

  @Test func operationsMayBeBegunBeforeTheLinkStarts() {
    var link = LinkHarness()
    let id = link.beginOperation(.read(1))
    link.expectSentNothing()
    link.step(.start)
    link.expectSent("02 05 02", reply: "01 02 00 00 06  // Request Not Supported")
    link.expectSent("06 01 00 FF FF 00 28 01 18", reply: "01 06 01 00 0A")
    link.expectSent("0A 01 00", reply: "0B 61")
    #expect(link.client.mtu == 23)
    link.expectActions([.ready, .complete(id, .success(.value([0x61])))])
  }

  @Test(arguments: [(0, 23), (22, 23), (100, 100), (517, 517), (65_535, 517)] as [(UInt16, Int)])
  func theMTUStaysWithinItsBounds(_ theirs: UInt16, _ mtu: Int) {
    #expect(LinkHarness.started(mtu: theirs).client.mtu == mtu)
  }

  @Test func tooManyOperationsFailAtOnce() {
    var link = LinkHarness.started()
    for _ in 0...GATTClient.operationsMax { link.beginOperation(.read(1)) }
    link.expectActions([])
    let id = link.beginOperation(.read(1))
    link.expectActions([.complete(id, .failure(.tooManyOperations))])
  }

  @Test func aValueLongerThanAnAttributeIsNotWritten() {
    var link = LinkHarness.started(mtu: 517)
    let long = link.beginOperation(.write(1, [UInt8](repeating: 0, count: 513)))
    link.expectSentNothing()
    link.expectActions([.complete(long, .failure(.valueTooLong(byteCount: 513)))])
    link.beginOperation(.write(1, [UInt8](repeating: 0, count: 512)))
    let packet = link.takePacket()
    #expect(packet?.count == 515)
  }

  @Test func aServerThatSendsPartsForeverIsStopped() {
    var link = LinkHarness.started()
    let id = link.beginOperation(.read(1))
    var opcode: UInt8 = 0x0B
    while link.takePacket() != nil {
      link.step(.received([opcode] + [UInt8](repeating: 0, count: 22)))
      opcode = 0x0D
    }
    link.expectActions([.complete(id, .failure(.valueTooLong(byteCount: 528)))])
  }
}

/// Packets without response, and what a peer sends unasked.
@Suite struct UnaskedPacketTests {
  @Test func commandsDoNotWaitForResponses() {
    var link = LinkHarness.started()
    link.beginOperation(.read(1))
    link.step(.writeCommand(2, [5]))
    link.expectSent("0A 01 00")
    link.expectSent("52 02 00 05")
  }

  @Test func aFullQueueOfCommandsSaysWhenItHasSpaceAgain() {
    var link = LinkHarness.started()
    for _ in 0..<GATTClient.commandsMax { link.step(.writeCommand(2, [5])) }
    var canQueue = link.client.canQueueCommand()
    #expect(!canQueue)
    link.step(.writeCommand(2, [6]))
    #expect(link.client.counters.droppedCommands == 1)
    for _ in 1..<GATTClient.commandsMax / 2 { link.step(.packetSent) }
    link.expectActions([])
    link.step(.packetSent)
    link.expectActions([.commandsFit])
    canQueue = link.client.canQueueCommand()
    #expect(canQueue)
    while link.takePacket() != nil {}
    link.expectActions([])
  }

  @Test func aCommandThatDoesNotFitIntoAPacketIsDropped() {
    var link = LinkHarness.started()
    link.step(.writeCommand(2, [UInt8](repeating: 0, count: 20)))
    let packet = link.takePacket()
    #expect(packet?.count == 23)
    link.step(.writeCommand(2, [UInt8](repeating: 0, count: 21)))
    link.expectSentNothing()
    #expect(link.client.counters.droppedCommands == 1)
  }

  @Test(arguments: [
    ("02 40 00  // Exchange MTU", "03 05 02"),
    ("04 01 00 FF FF  // Find Information", "01 04 01 00 0A"),
    ("08 05 00 FF FF 00 2A  // Read By Type", "01 08 05 00 0A"),
    ("10 01 00 FF FF 00 28  // Read By Group Type", "01 10 01 00 0A"),
    ("0A 03 00  // Read", "01 0A 03 00 01"),
    ("12 03 00 01  // Write", "01 12 03 00 01"),
    ("18 01  // Execute Write", "19"),
    ("0E 03 00 05 00  // Read Multiple", "01 0E 00 00 06"),
    ("20 03 00 05 00  // Read Multiple Variable", "01 20 00 00 06"),
    ("0A 03  // half a handle", "01 0A 00 00 04"),
    ("1D 03  // half a handle: confirmed, and lost", "1E"),
  ])
  func aRequestOfThePeerGetsAReply(_ request: String, _ reply: String) {
    var link = LinkHarness.started()
    link.receive(request)
    link.expectSent(reply)
    link.expectActions([])
  }

  @Test(arguments: [
    "", "0B 61", "13", "01 0A 01 00 05", "1E", "52 01 00 01", "D2 01", "FF", "01", "23 01 00", "1B",
  ])
  func whatWasNotAskedForIsCountedAndIgnored(_ packet: String) {
    var link = LinkHarness.started()
    let before = link.client.counters
    link.receive(packet)
    link.expectSentNothing()
    link.expectActions([])
    let after = link.client.counters
    #expect(
      after.malformedPackets + after.unexpectedPackets
        == before.malformedPackets + before.unexpectedPackets + 1)
  }

  /// The response to another request is not taken for the one that is missing.
  @Test func aResponseToAnotherRequestIsIgnored() {
    var link = LinkHarness.started()
    let id = link.beginOperation(.read(1))
    link.receive("13")
    link.receive("0D 61")
    link.receive("01 12 01 00 05")
    link.expectActions([])
    link.receive("0B 61")
    link.expectActions([.complete(id, .success(.value([0x61])))])
    #expect(link.client.counters.unexpectedPackets == 3)
  }

  @Test(arguments: [
    ("11 06 01 00 05 00 00", GATTError.malformedResponse(.truncated(.readByGroupTypeResponse))),
    ("11 05 01 00 05 00 00", .invalidResponse(.readByGroupTypeResponse)),
    ("11 06 06 00 09 00 00 18 01 00 05 00 01 18  // backwards", .invalidResponse(.readByGroupTypeResponse)),
    ("11 06 01 00 05 00 00 18 03 00 09 00 01 18  // overlapping", .invalidResponse(.readByGroupTypeResponse)),
    ("01 10  // an Error Response that ends early", .malformedResponse(.truncated(.errorResponse))),
  ])
  func aMalformedResponseFailsItsRequestAlone(_ reply: String, _ error: GATTError) {
    var link = LinkHarness.started()
    let id = link.beginOperation(.discoverServices(uuids: nil))
    link.expectSent("10 01 00 FF FF 00 28", reply: reply)
    link.expectActions([.complete(id, .failure(error))])
    let next = link.beginOperation(.read(8))
    link.receive("0B 01")
    link.expectActions([.complete(next, .success(.value([1])))])
  }

  /// A peer that sends requests and does not read costs a bounded number of packets.
  @Test func repliesThatAreNotReadAreBounded() {
    var link = LinkHarness.started()
    for _ in 0..<1_000 { link.receive("0A 03 00") }
    var count = 0
    while link.takePacket() != nil { count += 1 }
    #expect(count == 16)
  }
}

// SPDX-License-Identifier: GPL-3.0-or-later

import GATT
import GATTSupport
import Testing
import VirtualRadio

/// A client against a server model, with a fault at every request, and in random worlds.
@Suite struct LinkSimulationTests {
  /// Everything that an app does with dice. The numbers of its operations are their indices.
  static func script(_ server: DiceServer) -> [GATTOperation] {
    let longText = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
    return [
      .discoverServices(uuids: nil),
      .discoverServices(uuids: [DiceServer.service]),
      .discoverIncludedServices(HandleRange(server.diceHandle, 0xFFFF) ?? .all),
      .discoverCharacteristics(HandleRange(server.diceHandle, 0xFFFF) ?? .all),
      .discoverDescriptors(roll(server)),
      .subscribe(roll(server), .notifications),
      .write(server.settingHandle, [20]),
      .write(server.textHandle, longText),
      .read(server.textHandle),
      .read(server.batteryHandle),
    ]
  }

  static func roll(_ server: DiceServer) -> GATTCharacteristic {
    GATTCharacteristic(
      declarationHandle: server.rollHandle - 1, valueHandle: server.rollHandle,
      endHandle: server.rollHandle + 2,
      properties: 0x12, uuid: DiceServer.rollUUID)
  }

  static func run(mtu: Int, _ chooseFault: @escaping @Sendable (Int) -> LinkFault?) -> LinkSimulation {
    var link = LinkSimulation()
    link.server.model.mtuMax = mtu
    link.chooseFault = { number, _ in chooseFault(number) }
    for (index, operation) in script(link.server).enumerated() {
      link.passInput(.begin(operation, UInt64(index)))
    }
    link.runToEnd()
    return link
  }

  static func completions(_ link: LinkSimulation) -> [UInt64: [Result<GATTResult, GATTError>]] {
    var completions: [UInt64: [Result<GATTResult, GATTError>]] = [:]
    for case .complete(let id, let result) in link.actions { completions[id, default: []].append(result) }
    return completions
  }

  @Test(arguments: [23, 64, 247, 517]) func everythingSucceedsWithoutFaults(mtu: Int) throws {
    let link = Self.run(mtu: mtu) { _ in nil }
    let results = Self.completions(link)
    let server = link.server
    #expect(results.count == Self.script(server).count)
    #expect(results.values.allSatisfy { $0.count == 1 })
    #expect(throws: Never.self) { for result in results.values { _ = try result[0].get() } }
    guard case .services(let services) = try results[0]?[0].get() else { throw GATTError.linkEnded }
    #expect(services.map(\.uuid) == [.genericAttribute, DiceServer.batteryService, DiceServer.service])
    #expect(try results[1]?[0].get() == .services([services[2]]))
    #expect(try results[2]?[0].get() == .services([services[1]]))
    guard case .characteristics(let found) = try results[3]?[0].get() else { throw GATTError.linkEnded }
    #expect(
      found.map(\.valueHandle) == [
        server.rollHandle, server.settingHandle, server.textHandle, server.secretHandle, server.pressHandle,
      ])
    #expect(found[0] == Self.roll(server))
    #expect(try results[8]?[0].get() == .value((0..<300).map { UInt8(truncatingIfNeeded: $0) }))
    #expect(server.model.value(server.settingHandle) == [20])
    #expect(link.client.counters == GATTCounters())
  }

  @Test(arguments: [23, 517]) func aRefusalAtAnyRequestFailsOneOperationAtMost(mtu: Int) {
    let count = Self.run(mtu: mtu) { _ in nil }.requestCount
    for number in 0..<count {
      let link = Self.run(mtu: mtu) { $0 == number ? .refuse(.unlikelyError) : nil }
      let results = Self.completions(link)
      #expect(results.count == Self.script(link.server).count)
      #expect(results.values.allSatisfy { $0.count == 1 }, "request \(number)")
      let failures = results.values.joined().compactMap { result -> GATTError? in
        if case .failure(let error) = result { error } else { nil }
      }
      #expect(failures.count <= 1, "request \(number)")
      // The last operation succeeds unless it is the one that was refused.
      #expect(failures.allSatisfy { if case .refused(.unlikelyError, _) = $0 { true } else { false } })
    }
  }

  @Test(arguments: [23, 517]) func aMissingResponseAtAnyRequestEndsTheLink(mtu: Int) {
    let count = Self.run(mtu: mtu) { _ in nil }.requestCount
    for number in 0..<count {
      let link = Self.run(mtu: mtu) { $0 == number ? .lose : nil }
      let results = Self.completions(link)
      #expect(results.count == Self.script(link.server).count)
      #expect(results.values.allSatisfy { $0.count == 1 }, "request \(number)")
      #expect(results[9]?.first == .failure(.timedOut), "request \(number)")
      #expect(link.actions.last == .close(.timedOut))
    }
  }

  @Test(arguments: [23, 517]) func theEndOfTheLinkAtAnyRequestCompletesEverything(mtu: Int) {
    let count = Self.run(mtu: mtu) { _ in nil }.requestCount
    for number in 0..<count {
      let link = Self.run(mtu: mtu) { $0 == number ? .end : nil }
      let results = Self.completions(link)
      #expect(results.count == Self.script(link.server).count)
      #expect(results.values.allSatisfy { $0.count == 1 }, "request \(number)")
      #expect(results[9]?.first == .failure(.linkEnded), "request \(number)")
    }
  }

  /// A short packet of each kind, instead of the response. Either it ends its request, or the response is missing.
  @Test func aWrongResponseAtAnyRequestIsHarmless() {
    let opcodes: [UInt8] = [
      0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x11, 0x13, 0x17, 0x19, 0x1B, 0x1D, 0x7F,
    ]
    let count = Self.run(mtu: 23) { _ in nil }.requestCount
    for number in 0..<count {
      for opcode in opcodes {
        let link = Self.run(mtu: 23) { $0 == number ? .replace([opcode, 0x07, 0x00]) : nil }
        let results = Self.completions(link)
        #expect(results.count == Self.script(link.server).count)
        #expect(results.values.allSatisfy { $0.count == 1 }, "request \(number), opcode \(opcode)")
      }
    }
  }

  /// Random operations, faults, reports and commands. Each operation completes once, and what was read is what the
  /// server had.
  @Test(arguments: 0..<200 as Range<UInt64>) func inRandomWorldsEachOperationCompletesOnce(seed: UInt64) {
    var link = LinkSimulation(seed: seed)
    let faultsPerMille = [0, 10, 100][link.generator.number(below: 3)]
    link.server.model.mtuMax = 23 + link.generator.number(below: 600)
    link.chooseFault = { _, generator in
      guard generator.chance(perMille: faultsPerMille) else { return nil }
      let noise = (0..<generator.number(below: 30)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
      let code = ATTErrorCode(rawValue: UInt8(1 + generator.number(below: 255)))
      return [.lose, .end, .replace(noise), .refuse(code), .refuse(code)][generator.number(below: 5)]
    }
    let operations = Self.script(link.server)
    var begun: UInt64 = 0
    var reported = 0
    for _ in 0..<300 {
      switch link.generator.number(below: 6) {
      case 0:
        link.passInput(.begin(operations[link.generator.number(below: operations.count)], begun))
        begun += 1
      case 1:
        link.passInput(.writeCommand(link.server.settingHandle, [UInt8(link.generator.number(below: 20))]))
      case 2:
        reported += 1
        link.report(link.server.rollHandle, [UInt8(truncatingIfNeeded: reported)])
      default: _ = link.runNextEvent()
      }
    }
    link.runToEnd()
    let results = Self.completions(link)
    #expect(results.count == Int(begun))
    #expect(results.values.allSatisfy { $0.count == 1 })
    #expect(link.client.deadline == nil)
    if faultsPerMille == 0 {
      #expect(results.values.allSatisfy { if case .success = $0[0] { true } else { false } })
      // Reports arrive in order, and none is lost once the first one came.
      let rolls = link.actions.compactMap { action -> UInt8? in
        if case .receive(link.server.rollHandle, let value) = action { value.first } else { nil }
      }
      #expect(zip(rolls, rolls.dropFirst()).allSatisfy { $1 == $0 &+ 1 })
    }
  }

  @Test func aThousandNotificationsArriveInOrderAmongRequests() {
    var link = LinkSimulation(seed: 3)
    link.passInput(.begin(.subscribe(Self.roll(link.server), .notifications), 0))
    link.runToEnd()
    for number in 0..<1_000 {
      if number.isMultiple(of: 10) {
        link.passInput(.begin(.read(link.server.batteryHandle), UInt64(number + 1)))
      }
      link.report(link.server.rollHandle, [UInt8(number & 0xFF), UInt8(number >> 8)])
      _ = link.runNextEvent()
    }
    link.runToEnd()
    let rolls = link.actions.compactMap { action -> Int? in
      guard case .receive(_, let value) = action else { return nil }
      return Int(value[0]) | Int(value[1]) << 8
    }
    #expect(rolls == Array(0..<1_000))
    #expect(Self.completions(link).count == 101)
  }

  @Test func aProtectedValueNamesTheMissingEncryption() {
    var link = LinkSimulation()
    let handle = link.server.secretHandle
    link.passInput(.begin(.read(handle), 1))
    link.runToEnd()
    link.server.model.isEncrypted = true
    link.passInput(.begin(.read(handle), 2))
    link.runToEnd()
    #expect(
      Self.completions(link) == [
        1: [.failure(.refused(.insufficientEncryption, handle: handle))], 2: [.success(.value([42]))],
      ])
  }

  @Test func changedServicesAreReportedAndConfirmed() {
    var link = LinkSimulation()
    link.runToEnd()
    link.report(link.server.changedHandle, [0x10, 0x00, 0xFF, 0xFF])
    link.runToEnd()
    #expect(link.actions == [.ready, .servicesChanged(HandleRange(0x10, 0xFFFF) ?? .all)])
  }
}

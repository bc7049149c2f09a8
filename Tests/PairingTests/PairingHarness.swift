// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
import Controller
import HCI
import Pairing
import Registry
import Testing

/// The state machine, the model kernel, and a person who answers, in virtual time.
struct PairingHarness {
  var kernel = ModelKernel()
  var pairing = KernelPairing()
  var now = Instant(microseconds: 1_000_000)
  private(set) var actions: [PairingAction] = []
  /// What the person does when asked; nil does nothing.
  var person: (PairingQuestion) -> PairingAnswer? = { question in
    switch question {
    case .compare: .digitsMatch(true)
    case .enterDigits: .digits(PairingPeer.digits)
    case .showDigits: nil
    }
  }
  var bonds: [DeviceBond] = []
  private var number: UInt64 = 0

  init(_ peers: PairingPeer..., bonds: [DeviceBond] = [], isOpen: Bool = true) {
    kernel.peers = peers
    self.bonds = bonds
    guard isOpen else { return }
    open()
    run(milliseconds: 50)
  }

  mutating func open() {
    pairing.open(adapter: ModelKernel.index, bonds: bonds, at: now)
    exchange()
  }

  /// Passes commands and actions on.
  mutating func exchange() {
    for command in pairing.takeCommands() { kernel.receive(command, at: now) }
    let new = pairing.takeActions()
    actions += new
    for case .ask(let id, let question) in new {
      if let answer = person(question) {
        let isTaken = pairing.answer(id, answer, at: now)
        #expect(isTaken)
        exchange()
      }
    }
    pairing.checkInvariants()
  }

  mutating func run(milliseconds: Int64) {
    let end = now.advanced(milliseconds: milliseconds)
    while let next = [pairing.deadline, kernel.completion, kernel.events.first?.time].compactMap({ $0 })
      .min(), next <= end
    {
      now = max(now, next)
      kernel.advance(to: now)
      if let event = kernel.events.first, event.time <= now {
        kernel.events.removeFirst()
        pairing.receive(event.event, at: now)
      } else {
        let before = pairing.deadline
        pairing.advance(to: now)
        #expect(pairing.deadline != before || !kernel.events.isEmpty, "a deadline that passed is gone")
      }
      exchange()
    }
    now = end
  }

  /// Pairs, and returns the result if it comes within the time of a pairing.
  mutating func pair(
    _ device: DeviceAddress, _ capability: IOCapability = .keyboardDisplay,
    demandsAuthentication: Bool = false,
    replacesBond: Bool = false, milliseconds: Int64 = PairingRequest.milliseconds
  ) -> Result<PairedDevice, PairingError>? {
    let id = beginPairing(
      device, capability, demandsAuthentication: demandsAuthentication, replacesBond: replacesBond)
    run(milliseconds: milliseconds)
    return result(of: id)
  }

  /// Pairs a device that is to be paired.
  mutating func paired(
    _ device: DeviceAddress, _ capability: IOCapability = .keyboardDisplay,
    demandsAuthentication: Bool = false,
    replacesBond: Bool = false
  ) throws -> PairedDevice {
    let result = pair(
      device, capability, demandsAuthentication: demandsAuthentication, replacesBond: replacesBond)
    return try #require(result).get()
  }

  mutating func beginPairing(
    _ device: DeviceAddress, _ capability: IOCapability = .keyboardDisplay,
    demandsAuthentication: Bool = false,
    replacesBond: Bool = false
  ) -> PairingID {
    number += 1
    let id = PairingID(number)
    pairing.pair(
      PairingRequest(
        id, device, capability, demandsAuthentication: demandsAuthentication, replacesBond: replacesBond),
      at: now)
    exchange()
    return id
  }

  mutating func cancel(_ id: PairingID) {
    pairing.cancel(id, at: now)
    exchange()
  }

  /// The result of a pairing, of which there is one.
  func result(of id: PairingID) -> Result<PairedDevice, PairingError>? {
    let results = actions.compactMap { action -> Result<PairedDevice, PairingError>? in
      if case .ended(id, let result) = action { result } else { nil }
    }
    #expect(results.count <= 1, "a pairing ends once")
    return results.first
  }

  func ends() -> [PairingID] {
    actions.compactMap { if case .ended(let id, _) = $0 { id } else { nil } }
  }

  /// The registry has written the bonds.
  mutating func store(_ device: PairedDevice) {
    bonds.removeAll { $0.identity == device.identity }
    bonds.append(DeviceBond(device.identity, .bonded(device.record)))
    pairing.setBonds(bonds, at: now)
    exchange()
  }

  var opcodes: [MgmtOpcode] { kernel.received.map(\.opcode) }
  mutating func forgetActions() { actions = [] }
}

extension DeviceBond {
  init(
    identity: DeviceAddress, keys: BondKeys = BondKeys(), owner: BondOwner = .gateway, isLost: Bool = false
  ) {
    let record = BondRecord(owner: owner, isAuthenticated: false, keys: keys)
    self.init(identity, isLost ? .lost(record) : .bonded(record))
  }
}

// SPDX-License-Identifier: GPL-3.0-or-later

import AdapterSupport
import Controller
import HCI
@testable import Pairing
import Registry

/// The state machine and a scripted bluetoothd, with virtual time between them.
struct BluetoothdWorld {
  static let request = PairingRequest(PairingID(1), ScriptedBluetoothd.address, .keyboardDisplay)

  var pairing = BluetoothdPairing()
  var bluetoothd = ScriptedBluetoothd()
  var now = Instant(microseconds: 0)
  var isBusOpen = false
  var actions: [PairingAction] = []
  private var messages = BluetoothdMessages()

  init(_ behavior: ScriptedBluetoothd.Behavior = .justWorks) {
    bluetoothd.behavior = behavior
    pairing.open(adapter: 0, address: 0xA11, at: now)
  }

  /// The delay of a message in milliseconds; nil if it is lost.
  var delay: () -> Int64? {
    get { messages.delay }
    set { messages.delay = newValue }
  }

  mutating func post(_ output: ScriptedBluetoothd.Output) { messages.post(output, at: now) }

  /// Performs what the machine asks for.
  mutating func performCalls() {
    if let isOpen = pairing.takeBusChange() {
      isBusOpen = isOpen
      messages.dropBusMessages()
      if isOpen {
        post(.event(.owner(isRunning: bluetoothd.isRunning)))
      } else {
        bluetoothd.loseClient()
      }
    }
    for call in pairing.takeCalls() where isBusOpen {
      for output in bluetoothd.receive(call) { post(output) }
    }
    actions += pairing.takeActions()
    pairing.checkInvariants()
  }

  /// Lets time pass until nothing happens any more, or for this long.
  mutating func run(milliseconds: Int64 = 300_000) {
    let end = now.advanced(milliseconds: milliseconds)
    performCalls()
    while let next = [pairing.deadline, messages.nextTime].compactMap({ $0 }).min(), next <= end {
      now = max(now, next)
      for output in messages.takeArrived(at: now) { deliver(output) }
      pairing.advance(to: now)
      performCalls()
    }
    now = end
  }

  private mutating func deliver(_ output: ScriptedBluetoothd.Output) {
    switch output {
    case .event(let event): pairing.receive(event, at: now)
    case .list(let events): for event in events { pairing.receive(event, at: now) }
    case .mgmt(let content): pairing.receive(MgmtEvent(index: 0, content), at: now)
    }
    performCalls()
  }

  mutating func endBluetoothd() {
    bluetoothd.end()
    if isBusOpen { post(.event(.owner(isRunning: false))) }
  }

  mutating func startBluetoothd() {
    bluetoothd.isRunning = true
    if isBusOpen { post(.event(.owner(isRunning: true))) }
  }

  mutating func pair(
    _ capability: IOCapability = .keyboardDisplay, demandsAuthentication: Bool = false,
    isInputDevice: Bool = false,
    replacesBond: Bool = false, device: DeviceAddress = ScriptedBluetoothd.address,
    wait milliseconds: Int64? = nil
  ) {
    pairing.pair(
      PairingRequest(
        PairingID(1), device, capability, demandsAuthentication: demandsAuthentication,
        isInputDevice: isInputDevice, replacesBond: replacesBond), at: now)
    if let milliseconds { run(milliseconds: milliseconds) }
  }

  mutating func answer(_ answer: PairingAnswer) -> Bool {
    defer { performCalls() }
    return pairing.answer(PairingID(1), answer, at: now)
  }

  var results: [Result<PairedDevice, PairingError>] {
    actions.compactMap { if case .ended(_, let result) = $0 { result } else { nil } }
  }

  var error: PairingError? {
    if results.count == 1, case .failure(let error)? = results.first { error } else { nil }
  }

  var paired: PairedDevice? {
    if results.count == 1, case .success(let device)? = results.first { device } else { nil }
  }

  var questions: [PairingQuestion] {
    actions.compactMap { if case .ask(_, let question) = $0 { question } else { nil } }
  }
}

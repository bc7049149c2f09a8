// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import HCI
@testable import Pairing
import Testing

/// A loan with an adapter whose kernel answers when a test says so.
private struct LoanBench {
  static let index: UInt16 = 3
  static let device = DeviceAddress(bits: 0xC4A1_0000_1E27, type: .random)

  var loan = AdapterLoan()
  var now = Instant(microseconds: 0)
  var actions: [AdapterLoan.Action] = []

  mutating func pair(_ number: UInt64 = 1, isInputDevice: Bool = false) {
    let request = PairingRequest(PairingID(number), Self.device, .none, isInputDevice: isInputDevice)
    loan.pair(request, adapter: Self.index, at: now)
    collect()
  }

  mutating func collect() { actions += loan.takeActions() }

  mutating func sought(isRunning: Bool = false) {
    loan.bluetoothdWasSought(isRunning: isRunning, at: now)
    collect()
  }

  mutating func receive(_ content: MgmtEvent.Content, of index: UInt16 = Self.index) {
    loan.receive(MgmtEvent(index: index, content), at: now)
    collect()
  }

  /// Lets the time of the present state pass.
  mutating func passDeadline() {
    guard let deadline = loan.deadline else { return }
    now = deadline
    loan.advance(to: now)
    collect()
  }

  mutating func paired() {
    loan.pairingEnded(at: now)
    collect()
  }

  /// Comes as far as a step: 0 bluetoothd is sought, 1 the adapter is released, 2 it is switched on, 3 the kernel pairs,
  /// 4 it is taken again.
  mutating func reach(_ step: Int) {
    pair()
    if step > 0 { sought() }
    if step > 1 { receive(.added) }
    if step > 2 { receive(.completed(.setPowered, .success, returned: [])) }
    if step > 3 { paired() }
    actions = []
  }

  var ends: [PairingError] { actions.compactMap { if case .ended(_, let error) = $0 { error } else { nil } } }
  var returns: Int { actions.count { $0 == .takeBack } }
}

@Suite("An adapter that is lent to the kernel for a pairing")
struct AdapterLoanTests {
  @Test(
    "bluetoothd is sought, the adapter released, switched on, the device paired, and the adapter taken again")
  func course() {
    var bench = LoanBench()
    bench.pair()
    #expect(bench.actions == [.seekBluetoothd] && !bench.loan.isLent)
    bench.sought()
    #expect(bench.actions.last == .release && bench.loan.isLent)
    // The adapter of another program is none of the agent's.
    bench.receive(.added, of: 4)
    #expect(bench.actions.count == 2)
    bench.receive(.added)
    #expect(bench.actions.suffix(2) == [.send(.setLowEnergy(true, 3)), .send(.setPowered(true, 3))])
    bench.now = Instant(microseconds: 500_000)
    bench.receive(.completed(.setPowered, .success, returned: []))
    guard case .pair(let request, let start)? = bench.actions.last else {
      Issue.record("the kernel pairs")
      return
    }
    #expect(request.id == PairingID(1))
    // What the kernel's pairing has left of its time ends before the adapter has to be back.
    #expect(start.microseconds == -AdapterLoan.reservedMilliseconds * 1000)
    bench.paired()
    #expect(bench.actions.last == .takeBack && bench.loan.isLent)
    let isBack = bench.loan.noteReturn()
    #expect(isBack && !bench.loan.isLent && bench.loan.deadline == nil)
    #expect(bench.loan.count == 1 && bench.loan.returnFailures == 0)
  }

  @Test("While bluetoothd runs nothing is released, and the error names it")
  func besideBluetoothd() {
    var bench = LoanBench()
    bench.pair()
    bench.sought(isRunning: true)
    #expect(bench.actions == [.seekBluetoothd, .ended(PairingID(1), .exclusiveBesideBluetoothd)])
    #expect(!bench.loan.isLent && bench.loan.count == 0)
  }

  @Test("bluetoothd that comes later ends the pairing, and the adapter is taken again", arguments: 1...3)
  func laterBluetoothd(step: Int) {
    var bench = LoanBench()
    bench.reach(step)
    bench.sought(isRunning: true)
    if step == 3 {
      #expect(bench.actions == [.stopPairing(.bluetoothdChanged)])
      bench.paired()
    } else {
      #expect(bench.ends == [.bluetoothdChanged])
    }
    #expect(bench.returns == 1)
  }

  @Test("Every state has a deadline, after which the adapter is taken again and the request has ended")
  func deadlines() {
    for step in 0...3 {
      var bench = LoanBench()
      bench.reach(step)
      bench.passDeadline()
      #expect(bench.returns == (step == 0 ? 0 : 1), "step \(step)")
      if step == 3 {
        #expect(bench.actions.first == .stopPairing(.timeout(isAsking: false)))
        #expect(bench.now.milliseconds(since: Instant(microseconds: 0)) < PairingRequest.milliseconds)
      } else {
        #expect(bench.ends.count == 1, "step \(step)")
      }
      let isBack = bench.loan.noteReturn()
      #expect(isBack == (step > 0) && bench.loan.returnFailures == 0)
    }
  }

  @Test("An adapter that is not back in time is reported once, and may still come")
  func overdue() {
    var bench = LoanBench()
    bench.reach(4)
    bench.passDeadline()
    #expect(bench.actions == [.isOverdue] && bench.loan.returnFailures == 1)
    #expect(bench.loan.deadline == nil && bench.loan.isLent)
    bench.pair(3)
    #expect(bench.actions.last == .ended(PairingID(3), .radioIsGone))
    let isBack = bench.loan.noteReturn()
    #expect(isBack)
    bench.pair(2)
    #expect(bench.actions.last == .seekBluetoothd)
  }

  @Test("An adapter that cannot be opened again is counted")
  func noReturn() {
    var bench = LoanBench()
    bench.reach(4)
    bench.loan.close(.radioIsGone)
    #expect(bench.loan.returnFailures == 1 && !bench.loan.isLent)
  }

  @Test("An operator's end ends the request at each step, once")
  func cancels() {
    for step in 0...2 {
      var bench = LoanBench()
      bench.reach(step)
      bench.loan.cancel(PairingID(2), at: bench.now)
      bench.loan.cancel(PairingID(1), at: bench.now)
      bench.loan.cancel(PairingID(1), at: bench.now)
      bench.collect()
      #expect(bench.ends == [.cancelled] && bench.returns == (step == 0 ? 0 : 1))
    }
  }

  @Test(
    "A kernel that does not switch the adapter on, or loses it, ends the request; the adapter is taken again")
  func failures() {
    for content in [MgmtEvent.Content.completed(.setPowered, .blocked, returned: []), .removed] {
      var bench = LoanBench()
      bench.reach(2)
      bench.receive(content)
      #expect(bench.ends == [.radioIsGone] && bench.returns == 1)
    }
  }

  @Test("Another radio ends it at each step, and takes nothing again")
  func closes() {
    for step in 0...3 {
      var bench = LoanBench()
      bench.reach(step)
      // The adapter was opened anew, not taken again.
      let isBack = bench.loan.noteReturn()
      bench.loan.close(.radioIsGone)
      bench.collect()
      #expect(!isBack && bench.returns == 0 && !bench.loan.isLent)
      #expect(step == 3 ? bench.actions == [.stopPairing(.radioIsGone)] : bench.ends == [.radioIsGone])
    }
  }

  @Test("A second request is refused at each step, and an input device before anything is released")
  func others() {
    for step in 0...4 {
      var bench = LoanBench()
      bench.reach(step)
      bench.pair(2)
      #expect(bench.actions == [.ended(PairingID(2), .busy)])
    }
    var bench = LoanBench()
    bench.pair(isInputDevice: true)
    #expect(bench.ends == [.inputDeviceNeedsSharedAccess] && !bench.loan.isLent)
  }

  @Test("What is cleared is every list, the power, and the permission to keep keys")
  func clearing() {
    let opcodes = AdapterLoan.clearingCommands(3).map(\.opcode)
    #expect(
      Set(opcodes) == [.setPowered, .setBondable, .loadIdentityKeys, .loadLongTermKeys, .loadLinkKeys])
  }
}

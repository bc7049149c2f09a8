// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import HCI
@testable import Pairing
import Testing

/// A loan whose shell and kernel answer late, in another order, with a refusal, or never. One seed is one run.
private struct LoanWorld {
  static let index: UInt16 = 3

  /// Something that reaches the loan at its time.
  enum Event {
    case sought(isRunning: Bool)
    case kernel(MgmtEvent.Content)
    case pairingEnded
    case returned
    case closed
  }

  var loan = AdapterLoan()
  var now = Instant(microseconds: 0)
  private var random: SeedRandom
  private var queue: [(due: Instant, event: Event)] = []
  /// What goes wrong in this run.
  private let lossPercent: UInt64
  private let lateMilliseconds: UInt64
  private var isHealthy = false
  private let givesBack: Bool
  private var requests: [PairingID: Instant] = [:]
  private var ends: [PairingID: Int] = [:]
  /// The request that the kernel pairs, and whether the agent has the adapter.
  private var paired: PairingID?
  private var isHeld = true
  private(set) var pairedCount = 0
  private(set) var breaches: Set<String> = []

  init(_ seed: UInt64, givesBack: Bool) {
    random = SeedRandom(state: seed)
    lossPercent = random.next(below: 3) == 0 ? 0 : random.next(below: 25)
    lateMilliseconds = 1 + random.next(below: random.isTrue(percent: 50) ? 500 : 9000)
    self.givesBack = givesBack
  }

  mutating func run() {
    for number in 1...(4 as UInt64) {
      request(PairingID(number))
      let cancelsAt = random.isTrue(percent: 20) ? random.next(below: 8) : .max
      for second in 0..<(80 as UInt64) {
        if second == cancelsAt { loan.cancel(PairingID(number), at: now) }
        if random.next(below: 100) == 0 { post(.kernel(.removed)) }
        if random.next(below: 100) == 0 { post(.sought(isRunning: true)) }
        if random.next(below: 40) == 0 { request(PairingID(100 * number + second)) }
        pass(milliseconds: 1000)
        if loan.state == .resting, random.isTrue(percent: 30) { break }
      }
    }
    isHealthy = true
    if !isHeld, givesBack { post(.returned) }
    pass(milliseconds: 200_000)
    require(loan.state == .resting && loan.deadline == nil && isHeld, "the adapter stays lent")
    require(requests.keys.allSatisfy { ends[$0] == 1 }, "a request does not end once")
  }

  private mutating func request(_ id: PairingID) {
    requests[id] = now
    loan.pair(
      PairingRequest(id, DeviceAddress(bits: 0xC4A1_0000_1E27, type: .random), .none), adapter: Self.index,
      at: now)
    performActions()
  }

  private mutating func require(_ isHeld: Bool, _ rule: String) { if !isHeld { breaches.insert(rule) } }

  // MARK: - Time

  private mutating func pass(milliseconds: Int64) {
    let end = now.advanced(milliseconds: milliseconds)
    performActions()
    while let next = Instant.earliest(loan.deadline, queue.map(\.due).min()), next <= end {
      now = max(now, next)
      if let index = queue.firstIndex(where: { $0.due <= now }) { deliver(queue.remove(at: index).event) }
      loan.advance(to: now)
      performActions()
      require(loan.deadline != nil || [.resting, .overdue].contains(loan.state), "a state has no deadline")
    }
    now = end
  }

  private mutating func post(_ event: Event, after milliseconds: UInt64 = 0) {
    let delay = isHealthy ? 1 : 1 + random.next(below: lateMilliseconds)
    queue.append((now.advanced(milliseconds: Int64(milliseconds + delay)), event))
  }

  private var isLost: Bool { mutating get { !isHealthy && random.isTrue(percent: lossPercent) } }

  private mutating func deliver(_ event: Event) {
    switch event {
    case .sought(let isRunning): loan.bluetoothdWasSought(isRunning: isRunning, at: now)
    case .kernel(let content): loan.receive(MgmtEvent(index: Self.index, content), at: now)
    case .pairingEnded: endPairing()
    case .returned:
      guard !isHeld else { return }
      isHeld = loan.noteReturn()
    case .closed:
      loan.close(.radioIsGone)
      // The radio's recovery opens the adapter.
      isHeld = true
    }
  }

  /// The kernel's pairing ends, once.
  private mutating func endPairing() {
    guard let id = paired.take() else { return }
    end(id)
    loan.pairingEnded(at: now)
  }

  private mutating func end(_ id: PairingID) {
    ends[id, default: 0] += 1
    guard let start = requests[id] else { return require(false, "an unknown request ends") }
    require(now.milliseconds(since: start) <= PairingRequest.milliseconds, "a request ends too late")
  }

  // MARK: - The shell and the kernel

  private mutating func performActions() {
    var actions = loan.takeActions()
    while !actions.isEmpty {
      performAction(actions.removeFirst())
      actions += loan.takeActions()
    }
  }

  private mutating func performAction(_ action: AdapterLoan.Action) {
    switch action {
    case .seekBluetoothd: if !isLost { post(.sought(isRunning: random.isTrue(percent: 10))) }
    case .release:
      require(isHeld, "an adapter is released that is lent")
      isHeld = false
      if !isHealthy, random.isTrue(percent: 5) { return post(.closed) }
      if !isLost { post(.kernel(.added)) }
    case .send(let command):
      let status: MgmtStatus = !isHealthy && random.isTrue(percent: 10) ? .blocked : .success
      if !isLost { post(.kernel(.completed(command.opcode, status, returned: []))) }
    case .pair(let request, _):
      require(paired == nil && !isHeld, "the kernel pairs without the adapter, or twice")
      paired = request.id
      pairedCount += 1
      if !isLost { post(.pairingEnded, after: random.next(below: 60_000)) }
    case .stopPairing: endPairing()
    case .takeBack:
      require(!isHeld && paired == nil, "an adapter is taken back that is held, or pairs")
      guard givesBack, !isLost else { return }
      post(!isHealthy && random.isTrue(percent: 10) ? .closed : .returned)
    case .ended(let id, _): end(id)
    case .isOverdue:
      // The radio's recovery goes on until it has the adapter.
      if givesBack { post(random.isTrue(percent: 50) ? .returned : .closed) }
    }
  }
}

@Suite("Loans of an adapter with answers that are late, lost, refused or in another order")
struct AdapterLoanSeedTests {
  @Test("Each request ends once and in time, and the adapter comes back", arguments: 0..<10 as Range<UInt64>)
  func seeds(block: UInt64) {
    var pairedCount = 0
    for seed in block * 100..<block * 100 + 100 {
      var world = LoanWorld(seed, givesBack: true)
      world.run()
      #expect(world.breaches.isEmpty, "seed \(seed)")
      pairedCount += world.pairedCount
    }
    #expect(pairedCount > 100, "the worlds pair devices")
  }

  @Test("An adapter that never comes back breaks the rule that it does, and no other")
  func canary() {
    var breaches: Set<String> = []
    for seed in 0..<50 as Range<UInt64> {
      var world = LoanWorld(seed, givesBack: false)
      world.run()
      breaches.formUnion(world.breaches)
    }
    #expect(breaches == ["the adapter stays lent"])
  }
}

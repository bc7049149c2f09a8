// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import BlueZ
import HCI
import LinuxSystem
import Manifest
import Pairing

/// The connection to bluetoothd over the system bus, while the agent wants one.
///
/// What was received is handed to the agent early in a turn. Calls are written at its end; when that brings messages, the
/// next turn is due at once.
struct BluetoothdBus {
  /// The most steps of the library in a turn, so that a flood on the bus does not hold up the loop.
  private static let stepsMax = 256

  private struct Connection {
    let bus: SystemBus
    let token: UInt64
    var conditions: Readiness
    /// How many messages of ``bus`` are counted as dropped.
    var droppedCount: UInt32 = 0
    /// The numbers of the calls that wait for a reply, by the tokens of the library.
    var calls: [UInt64: UInt64] = [:]
  }

  /// The bus's socket.
  private let path: String
  private var connection: Connection?
  /// Whether there is something to receive.
  private var isReady = false
  /// When the next turn is due for the bus.
  private(set) var deadline: Instant?

  init(path: String = KnownDeviceSource.systemBus) { self.path = path }

  mutating func noteReady() { isReady = true }

  /// Whether messages were received that the agent has yet to be handed.
  var hasMessage: Bool { connection?.bus.hasMessage ?? false }

  // MARK: - The agent's actions

  mutating func open(_ loop: inout LoopContext) {
    do throws(SystemError) {
      let bus = try SystemBus(path: path)
      let conditions = bus.conditions
      let token = loop.insert(.bus)
      do throws(SystemError) { try bus.watch(in: loop.epoll, conditions, token: token) } catch {
        loop.registry.remove(token)
        throw error
      }
      connection = Connection(bus: bus, token: token, conditions: conditions)
      isReady = true
    } catch {
      loop.agent.receive(.closed(BusEvent.Closing(error)), at: loop.now)
    }
  }

  mutating func close(_ loop: inout LoopContext) {
    guard disconnect(&loop) else { return }
    // The library is unloaded now.
    ResidentMemory.releaseIdlePages()
  }

  /// Returns false when there is no connection.
  private mutating func disconnect(_ loop: inout LoopContext) -> Bool {
    guard let connection = connection.take() else { return false }
    connection.bus.unwatch(in: loop.epoll)
    loop.registry.remove(connection.token)
    (isReady, deadline) = (false, nil)
    return true
  }

  mutating func call(_ call: BusCall, _ loop: inout LoopContext) {
    guard let bus = connection?.bus else { return }
    do throws(SystemError) {
      switch call.method {
      case .answer(let question, let answer): try bus.reply(to: question, SystemBusAnswer(answer))
      case .followProperties(let isOn): try bus.followProperties(isOn)
      case let method:
        guard let method = SystemBusCall(method) else { return }
        connection?.calls[try bus.call(method, milliseconds: call.milliseconds)] = call.number
      }
    } catch {
      loop.agent.receive(BusReply(to: call.number, .init(name: error.sentence)), at: loop.now)
    }
  }

  // MARK: - The turn

  /// Hands the agent what was received.
  mutating func receive(_ loop: inout LoopContext) {
    guard connection != nil, isReady || deadline.map({ $0 <= loop.now }) == true else { return }
    isReady = false
    guard process(&loop) else { return }
    countDropped(&loop)
    // The agent may close the bus meanwhile.
    while let message = connection?.bus.nextMessage() { deliver(message, &loop) }
  }

  /// Writes calls, and watches the descriptor as the library wishes.
  mutating func updateReadiness(_ loop: inout LoopContext) {
    guard connection != nil, process(&loop), let current = connection else { return }
    do throws(SystemError) {
      let conditions = current.bus.conditions
      if conditions != current.conditions {
        loop.counters.watchCalls &+= 1
        try current.bus.changeWatch(in: loop.epoll, conditions, token: current.token)
        connection?.conditions = conditions
      }
      let left = try current.bus.microsecondsLeft()
      deadline =
        isReady || hasMessage ? loop.now : left.map { Instant(microseconds: loop.now.microseconds + $0) }
    } catch { lose(error, &loop) }
  }

  /// Returns false when the connection was lost.
  private mutating func process(_ loop: inout LoopContext) -> Bool {
    do throws(SystemError) {
      var steps = 0
      while steps < Self.stepsMax, try connection?.bus.process() == true { steps += 1 }
      if steps > 0 { isReady = true }
      return true
    } catch {
      lose(error, &loop)
      return false
    }
  }

  private mutating func countDropped(_ loop: inout LoopContext) {
    guard let current = connection else { return }
    let count = current.bus.droppedCount
    loop.counters.busMessagesDropped &+= UInt64(count &- current.droppedCount)
    connection?.droppedCount = count
  }

  private mutating func lose(_ error: SystemError, _ loop: inout LoopContext) {
    close(&loop)
    loop.agent.receive(.closed(BusEvent.Closing(error)), at: loop.now)
  }

  private mutating func deliver(_ message: SystemBusMessage, _ loop: inout LoopContext) {
    if case .reply(let token, let error, let text) = message {
      guard let number = connection?.calls.removeValue(forKey: token) else { return }
      let failure = error.map { BusReply.CallError(name: $0, text: text) }
      loop.agent.receive(BusReply(to: number, failure), at: loop.now)
    } else if let event = BusEvent(message) {
      loop.agent.receive(event, at: loop.now)
    }
  }
}

// MARK: - The words of the bus

extension BusEvent {
  /// nil for a reply, which is no event.
  init?(_ message: SystemBusMessage) {
    switch message {
    case .reply: return nil
    case .owner(let isRunning): self = .owner(isRunning: isRunning)
    case .device(let path, let properties): self = .device(path: path, Properties(properties))
    case .adapter(let path, let properties): self = .adapter(path: path, Properties(properties))
    case .deviceRemoved(let path), .adapterRemoved(let path): self = .removed(path: path)
    case .question(let token, let method, let device, let digits):
      self = .question(token: token, Question(method: method, digits: digits), device: device)
    case .questionCancelled, .agentReleased: self = .questionsCancelled
    case .malformed: self = .malformed
    case .otherProgram: self = .otherProgram
    }
  }
}

extension BusEvent.Question {
  /// The methods of `Agent1` (BlueZ 5.66, doc/agent-api.txt).
  init(method: String, digits: UInt32) {
    switch method {
    case "RequestConfirmation": self = .confirmation(digits)
    case "RequestPasskey": self = .passkey
    case "DisplayPasskey": self = .showPasskey(digits)
    default: self = .other
    }
  }
}

extension BusEvent.Properties {
  init(_ properties: SystemBusMessage.Properties) {
    self.init(
      addressBits: properties.address.flatMap(AddressText.bits),
      addressType: properties.addressType.flatMap {
        $0 == "public" ? .public : $0 == "random" ? .random : nil
      },
      adapter: properties.adapter, isPaired: properties.isPaired)
  }
}

extension BusEvent.Closing {
  init(_ error: SystemError) {
    self = error.isLibraryMissing ? .libraryIsMissing : error.isPermission ? .notPermitted : .lost
  }
}

extension SystemBusAnswer {
  init(_ answer: BusAnswer) {
    switch answer {
    case .refuse: self = .refuse
    case .accept: self = .accept
    case .digits(let digits): self = .digits(digits)
    }
  }
}

extension SystemBusCall {
  /// nil for an answer, and for what has no reply.
  init?(_ method: BusCall.Method) {
    switch method {
    case .listObjects: self = .listObjects
    case .registerAgent(let capability): self = .registerAgent(capability.busName)
    case .unregisterAgent: self = .unregisterAgent
    case .setDiscoveryFilter(let adapter): self = .setDiscoveryFilter(adapter: adapter)
    case .startDiscovery(let adapter): self = .adapter("StartDiscovery", path: adapter, argument: nil)
    case .stopDiscovery(let adapter): self = .adapter("StopDiscovery", path: adapter, argument: nil)
    case .removeDevice(let device, let adapter):
      self = .adapter("RemoveDevice", path: adapter, argument: device)
    case .pair(let device): self = .device("Pair", path: device)
    case .cancelPairing(let device): self = .device("CancelPairing", path: device)
    case .disconnect(let device): self = .device("Disconnect", path: device)
    case .trust(let device): self = .trust(device: device)
    case .answer, .followProperties: return nil
    }
  }
}

extension IOCapability {
  /// Its name at bluetoothd (BlueZ 5.66, doc/agent-api.txt).
  fileprivate var busName: String {
    switch self {
    case .displayOnly: "DisplayOnly"
    case .displayYesNo: "DisplayYesNo"
    case .keyboardOnly: "KeyboardOnly"
    case .none: "NoInputNoOutput"
    case .keyboardDisplay: "KeyboardDisplay"
    }
  }
}

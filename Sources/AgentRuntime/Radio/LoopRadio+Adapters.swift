// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import Controller
import LinuxSystem

/// The kernel's mgmt interface and the token that the loop watches it with.
struct MgmtConnection {
  let socket: MgmtSocket
  let token: UInt64

  init(_ owner: EpollOwner, _ loop: inout LoopContext) throws(SystemError) {
    socket = try MgmtSocket()
    token = try loop.watch(socket.socket.descriptor, as: owner)
  }
}

// The kernel's mgmt interface: adapters that come and go, and scans that the kernel does for the agent.

extension LoopRadio {
  /// How long the agent waits at its end until the kernel has performed the last commands.
  private static var restoreMilliseconds: Int { 1000 }

  /// Opens the interface while an adapter is wanted. Without it the agent looks for adapters now and then.
  mutating func updateMgmt(isWanted: Bool, _ loop: inout LoopContext) {
    guard isWanted else {
      if let connection = mgmt.take() { loop.registry.remove(connection.token) }
      if let connection = pairing.take() { loop.registry.remove(connection.token) }
      return
    }
    do throws(SystemError) {
      if mgmt == nil { mgmt = try MgmtConnection(.mgmt, &loop) }
      if pairing == nil { pairing = try MgmtConnection(.pairing, &loop) }
    } catch {
      // Reported when opening the adapter fails.
      guard !error.isWithoutBluetooth else { return }
      loop.log.say(.info, "the kernel's Bluetooth management interface cannot be opened: \(error.sentence)")
    }
  }

  func receivePairingMessages(_ loop: inout LoopContext) {
    pairing?.socket.drain { message in loop.agent.receive(pairingMessage: message, at: loop.now) }
  }

  /// Sends a command over one of the two connections.
  func send(_ command: MgmtCommand, over connection: MgmtConnection?, _ loop: inout LoopContext) {
    do throws(SystemError) {
      try connection?.socket.send(command)
    } catch {
      // The agent's wait for the reply ends by itself.
      loop.log.say(
        .warning, "the kernel's Bluetooth management interface did not accept a command: \(error.sentence)")
    }
  }

  mutating func receiveMgmtMessages(_ loop: inout LoopContext) {
    guard let socket = mgmt?.socket else { return }
    var hasAdapterCome = false
    socket.drain { message in
      if case .added = (try? MgmtEvent(parsing: message))?.content { hasAdapterCome = true }
      loop.agent.receive(mgmt: message, at: loop.now)
    }
    noteScanState(&loop)
    if loop.agent.isAdapterSwitchedOff, let index = opened?.source.adapter?.index,
      AdapterSocket.isBlocked(index)
    {
      // The adapter is tried again until rfkill no longer blocks it.
      lose(.gone(RadioOpeningError.blocked(index).sentence), &loop)
    }
    guard hasAdapterCome, opened == nil, opening == nil, wanted?.isAdapter == true else {
      return
    }
    backOff = BackOff()
    startOpening()
  }

  // MARK: - bluetoothd

  /// Watches the bluetoothd that was found, if any, so that the agent learns when it ends.
  mutating func watchBluetoothd(_ process: SharedDescriptor?, _ loop: inout LoopContext) {
    forgetBluetoothd(&loop)
    let isHeld = opened?.source.adapter.map { $0.accessMode != .listening } ?? false
    guard isHeld else { return }
    // Without a watch the agent does not learn of its end, and leaves the adapter's power to it.
    if let process { bluetoothd = try? WatchedDescriptor(process, as: .bluetoothd, &loop) }
    loop.agent.bluetoothdWasSought(isRunning: process != nil, at: loop.now)
  }

  mutating func receiveBluetoothdEnd(_ loop: inout LoopContext) {
    forgetBluetoothd(&loop)
    loop.agent.bluetoothdEnded(at: loop.now)
  }

  mutating func forgetBluetoothd(_ loop: inout LoopContext) {
    if let watched = bluetoothd.take() { loop.registry.remove(watched.token) }
  }

  // MARK: - The state of the kernel's scan

  /// Stores a changed state of a shared adapter.
  private mutating func noteScanState(_ loop: inout LoopContext) {
    guard let adapter = opened?.source.adapter, adapter.accessMode == .shared else { return }
    note(loop.agent.kernelScanState, adapter)
  }

  /// Stores the state if it differs from the last one stored.
  mutating func note(_ state: KernelScanState, _ adapter: OpenAdapter) {
    guard state != notedState, let file = wanted?.kernelScanStateFile else { return }
    notedState = state
    tasks.add(.note(state, index: adapter.index, file))
  }

  // MARK: - The end

  /// Leaves adapters as they were found. The loop is over, so it may wait here.
  mutating func leaveAdapter(_ loop: inout LoopContext) {
    let endingCommands = loop.agent.pairingEndingCommands
    if !endingCommands.isEmpty {
      pairing?.socket.performCommands(endingCommands, milliseconds: Self.restoreMilliseconds)
    }
    let restoringCommands = loop.agent.restoringCommands
    if !restoringCommands.isEmpty, let socket = mgmt?.socket {
      socket.performCommands(restoringCommands, milliseconds: Self.restoreMilliseconds)
      if let file = wanted?.kernelScanStateFile { FileName.remove(file.path) }
    }
    let adapter = opened?.source.adapter
    opened = nil
    guard let adapter, adapter.accessMode == .exclusive(wasUp: true) else { return }
    let (index, state) = (adapter.index, adapter.stateAfterClosing)
    // The tasks run after this function has released the last reference to the adapter, whose channel has to be closed.
    tasks.waiting.append(.restore(index))
    if let file = wanted?.kernelScanStateFile { tasks.waiting.append(.note(state, index: index, file)) }
  }

  /// Performs the tasks that the worker has not begun.
  func performRemainingTasks() {
    for task in tasks.waiting { _ = task.run(KernelNetworkScan()) }
  }
}

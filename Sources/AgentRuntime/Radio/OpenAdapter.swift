// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import LinuxSystem
import Manifest
import Pairing

/// An adapter of this machine that the agent has open.
final class OpenAdapter: Sendable {
  enum AccessMode: Equatable, Sendable {
    /// The agent alone uses the adapter. `wasUp` is whether it was up before, and has to be up afterwards.
    case exclusive(wasUp: Bool)
    /// Other programs use it too; the kernel scans for the agent.
    case shared
    /// Other programs use it too, and the agent has no right to send the kernel commands.
    case listening
  }

  let index: UInt16
  /// The public address in the low 48 bits; 0 while the kernel does not know it.
  let address: UInt64
  let isUSB: Bool
  let accessMode: AccessMode
  let events: AdapterSocket
  /// The state that a killed agent has left in it.
  let kernelScanState: KernelScanState
  /// The state that is left in it after it was closed: a shared scan restores everything, an exclusive one nothing.
  var stateAfterClosing: KernelScanState {
    guard case .exclusive = accessMode else { return KernelScanState() }
    var state = kernelScanState
    state.wasUp = false
    return state
  }
  /// The size of the socket's receive buffer, as the kernel counts bytes.
  let receiveBufferByteCount: Int

  init(
    _ listing: AdapterListing, _ accessMode: AccessMode, _ events: consuming AdapterSocket,
    receiveBufferByteCount: Int,
    kernelScanState: KernelScanState = KernelScanState()
  ) {
    (index, address, self.accessMode) = (listing.index, listing.address, accessMode)
    isUSB = listing.isUSB
    self.events = events
    self.receiveBufferByteCount = receiveBufferByteCount
    self.kernelScanState = kernelScanState
  }
}

extension OpenAdapter: Equatable {
  static func == (one: OpenAdapter, other: OpenAdapter) -> Bool { one === other }
}

/// Finds an adapter and opens it; the *devices* worker uses it.
struct AdapterOpener: ~Copyable {
  /// One second of 5,000 reports: the kernel counts a small packet as about 800 bytes, and grants twice the request.
  static let receiveBufferBytes = 4 << 20
  /// The user channel may be busy for a moment after its adapter was taken down.
  private static let bindTries = 20
  private static let bindPauseMilliseconds = 50
  private static let clearMilliseconds = 4000

  let control: AdapterSocket

  init() throws(RadioOpeningError) {
    do throws(SystemError) { control = try AdapterSocket() } catch {
      throw error.isWithoutBluetooth ? .withoutBluetooth : .adapters(error)
    }
  }

  /// Opens the first adapter of the selection that can be opened; the error is that of the first one.
  func open(_ request: RadioRequest) throws(RadioOpeningError) -> OpenAdapter {
    let adapters = try find(request.selection, request.knownAddress)
    var failure: RadioOpeningError?
    for adapter in adapters {
      do throws(RadioOpeningError) { return try open(adapter, request) } catch {
        guard error.isOfOneAdapter, request.selection == .any else { throw failure ?? error }
        failure = failure ?? error
      }
    }
    throw failure ?? .adapterMissing(request.selection, present: [])
  }

  private func open(
    _ listing: AdapterListing, _ request: RadioRequest
  ) throws(RadioOpeningError) -> OpenAdapter {
    switch request.access {
    case .exclusive: try openExclusively(listing, request.kernelScanStateFile)
    case .shared: try listen(listing, request.kernelScanStateFile)
    }
  }

  /// Returns the adapters that match the selection, the best first, at least one. `known` is the address of the adapter
  /// that was open before: it is found under another index too.
  func find(_ selection: RadioSelection, _ known: UInt64?) throws(RadioOpeningError) -> [AdapterListing] {
    let adapters: [AdapterListing]
    do throws(SystemError) { adapters = try control.adapters() } catch { throw .adapters(error) }
    let isKnown = { (adapter: AdapterListing) in known != nil && adapter.address == known }
    let found: [AdapterListing] =
      switch selection {
      case .any: adapters.filter(isKnown) + adapters.filter { !isKnown($0) }
      case .index(let index):
        Array((adapters.filter { $0.index == index } + adapters.filter(isKnown)).prefix(1))
      case .address(let address): adapters.filter { $0.address == address }
      case .btsnoop, .h4: []
      }
    guard !found.isEmpty else { throw .adapterMissing(selection, present: adapters.map(\.index)) }
    return found
  }

  // MARK: - Exclusive

  private func openExclusively(
    _ listing: AdapterListing, _ file: KernelScanStateFile
  ) throws(RadioOpeningError) -> OpenAdapter {
    guard Capability.networkAdministration.isHeld else {
      throw .capabilityMissing(.networkAdministration, .exclusive)
    }
    var kernelScanState = file.state(of: listing.index)
    // An agent with shared access has left its keys. bluetoothd would have replaced them with its own.
    if RunningProcess.bluetoothd() == nil { Self.clearKeys(listing.index) }
    kernelScanState.wasUp = kernelScanState.wasUp || listing.isUp
    var failure = SystemError(.bind, code: 0)
    for attempt in 0..<Self.bindTries {
      if attempt > 0 { Pause.wait(milliseconds: Self.bindPauseMilliseconds) }
      do throws(SystemError) {
        // Another program may take it up again meanwhile.
        if listing.isUp || attempt > 0 { try control.takeDown(listing.index) }
        let socket = try AdapterSocket.exclusive(listing.index)
        let byteCount = try socket.setReceiveBuffer(Self.receiveBufferBytes)
        return OpenAdapter(
          listing, .exclusive(wasUp: kernelScanState.wasUp), socket, receiveBufferByteCount: byteCount,
          kernelScanState: kernelScanState)
      } catch {
        failure = error
        guard error.isTaken else { break }
      }
    }
    throw .of(failure, listing.index)
  }

  // MARK: - Shared

  private func listen(
    _ listing: AdapterListing, _ file: KernelScanStateFile
  ) throws(RadioOpeningError) -> OpenAdapter {
    guard Capability.rawNetwork.isHeld else { throw .capabilityMissing(.rawNetwork, .shared) }
    guard !AdapterSocket.isBlocked(listing.index) else { throw .blocked(listing.index) }
    do throws(SystemError) {
      let socket = try AdapterSocket.listening(listing.index)
      let byteCount = try socket.setReceiveBuffer(Self.receiveBufferBytes)
      guard Capability.networkAdministration.isHeld else {
        return OpenAdapter(listing, .listening, socket, receiveBufferByteCount: byteCount)
      }
      return OpenAdapter(
        listing, .shared, socket, receiveBufferByteCount: byteCount,
        kernelScanState: file.state(of: listing.index))
    } catch {
      throw .of(error, listing.index)
    }
  }

  // MARK: - Restoring

  private static func clearKeys(_ index: UInt16) {
    // Without the interface there was no pairing.
    guard let socket = try? MgmtSocket() else { return }
    socket.performCommands(KernelPairing.keyClearingCommands(index), milliseconds: clearMilliseconds)
  }

  /// Takes up an adapter that was up before the agent opened it exclusively.
  func restore(_ index: UInt16) {
    // Fails harmlessly if another program has it up already.
    try? control.takeUp(index)
  }
}

extension RadioOpeningError {
  fileprivate static func of(_ error: SystemError, _ index: UInt16) -> Self {
    if error.isBlocked { return .blocked(index) }
    if error.isTaken { return .taken(index) }
    if error.isWithoutAdapter { return .adapterMissing(.index(index), present: []) }
    return .adapter(index, error)
  }
}

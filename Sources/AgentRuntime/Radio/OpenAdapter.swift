// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import HCI
import LinuxSystem
import Manifest

/// An adapter of this machine, held open.
final class OpenAdapter: Sendable {
  enum AccessMode: Equatable, Sendable {
    /// Nobody else has it. `wasUp` is how it was found, and how it is left.
    case exclusive(wasUp: Bool)
    /// Beside others; the kernel scans for us.
    case shared
    /// Beside others, without the right to have the kernel do anything.
    case listening
  }

  let index: UInt16
  /// In the low 48 bits; 0 while the kernel does not know it.
  let address: UInt64
  let accessMode: AccessMode
  let events: AdapterSocket
  /// What an agent that was killed has left in it.
  let kernelScanState: KernelScanState
  /// What is still in it when it is let go: a shared scan takes all of it back, an exclusive one nothing.
  var stateAfterClosing: KernelScanState {
    guard case .exclusive = accessMode else { return KernelScanState() }
    var behind = kernelScanState
    behind.wasUp = false
    return behind
  }
  /// Bytes of packets, as the kernel counts them, that wait until they are read.
  let receiveRoom: Int

  init(
    _ listing: AdapterListing, _ accessMode: AccessMode, _ events: consuming AdapterSocket, receiveRoom: Int,
    kernelScanState: KernelScanState = KernelScanState()
  ) {
    (index, address, self.accessMode) = (listing.index, listing.address, accessMode)
    self.events = events
    self.receiveRoom = receiveRoom
    self.kernelScanState = kernelScanState
  }
}

/// Finds an adapter and takes hold of it: what the *devices* worker does.
struct AdapterOpener: ~Copyable {
  /// A second at 5,000 reports: the kernel counts a small packet as some 800 bytes, twice what is asked for is given.
  static let receiveRoomBytes = 4 << 20
  /// After its adapter was taken down the user channel may be busy for a moment.
  private static let bindTries = 20
  private static let bindPauseMilliseconds = 50

  let control: AdapterSocket

  init() throws(RadioOpening.Failure) {
    do throws(SystemError) { control = try AdapterSocket() } catch {
      throw error.isWithoutBluetooth ? .withoutBluetooth : .adapters(error)
    }
  }

  /// Of any adapters the first that can be had; why not is said of the first.
  func open(_ request: RadioRequest) throws(RadioOpening.Failure) -> OpenAdapter {
    let adapters = try find(request.selection, request.knownAddress)
    var failure: RadioOpening.Failure?
    for adapter in adapters {
      do throws(RadioOpening.Failure) { return try hold(adapter, request) } catch {
        guard error.isOfOneAdapter, request.selection == .any else { throw failure ?? error }
        failure = failure ?? error
      }
    }
    throw failure ?? .adapterMissing(request.selection, there: [])
  }

  private func hold(
    _ listing: AdapterListing, _ request: RadioRequest
  ) throws(RadioOpening.Failure) -> OpenAdapter {
    switch request.access {
    case .exclusive: try takeExclusively(listing, request.kernelScanStateFile)
    case .shared: try listen(listing, request.kernelScanStateFile)
    }
  }

  /// Those that are meant, the best first; never none. `known` is the address of the adapter that was held before: it is
  /// found under another index too.
  func find(_ selection: RadioSelection, _ known: UInt64?) throws(RadioOpening.Failure) -> [AdapterListing] {
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
    guard !found.isEmpty else { throw .adapterMissing(selection, there: adapters.map(\.index)) }
    return found
  }

  // MARK: - Exclusive

  private func takeExclusively(
    _ listing: AdapterListing, _ file: KernelScanStateFile
  ) throws(RadioOpening.Failure) -> OpenAdapter {
    guard Capability.networkAdministration.isHeld else {
      throw .capabilityMissing(.networkAdministration, .exclusive)
    }
    var failure = SystemError(.bind, code: 0)
    for attempt in 0..<Self.bindTries {
      if attempt > 0 { Pause.wait(milliseconds: Self.bindPauseMilliseconds) }
      do throws(SystemError) {
        // Others may take it up again in between.
        if listing.isUp || attempt > 0 { try control.takeDown(listing.index) }
        let socket = try AdapterSocket.exclusive(listing.index)
        let room = try socket.makeReceiveRoom(Self.receiveRoomBytes)
        var kernelScanState = file.state(of: listing.index)
        kernelScanState.wasUp = kernelScanState.wasUp || listing.isUp
        return OpenAdapter(
          listing, .exclusive(wasUp: kernelScanState.wasUp), socket, receiveRoom: room,
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
  ) throws(RadioOpening.Failure) -> OpenAdapter {
    guard Capability.rawNetwork.isHeld else { throw .capabilityMissing(.rawNetwork, .shared) }
    guard !AdapterSocket.isBlocked(listing.index) else { throw .blocked(listing.index) }
    do throws(SystemError) {
      let socket = try AdapterSocket.listening(listing.index)
      let room = try socket.makeReceiveRoom(Self.receiveRoomBytes)
      guard Capability.networkAdministration.isHeld else {
        return OpenAdapter(listing, .listening, socket, receiveRoom: room)
      }
      return OpenAdapter(
        listing, .shared, socket, receiveRoom: room, kernelScanState: file.state(of: listing.index))
    } catch {
      throw .of(error, listing.index)
    }
  }

  // MARK: - Afterwards

  /// Leaves an adapter that was held exclusively as it was found.
  func restore(_ index: UInt16) {
    // Whoever wants it now has it up already.
    try? control.takeUp(index)
  }
}

extension RadioOpening.Failure {
  fileprivate static func of(_ error: SystemError, _ index: UInt16) -> Self {
    if error.isBlocked { return .blocked(index) }
    if error.isTaken { return .taken(index) }
    if error.isWithoutAdapter { return .adapterMissing(.index(index), there: []) }
    return .adapter(index, error)
  }
}

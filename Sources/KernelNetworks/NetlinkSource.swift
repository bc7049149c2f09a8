// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import LinuxSystem
public import Wireless

/// Networks by nl80211 over generic netlink. Its socket also receives the news of other programs' scans.
public final class NetlinkSource: WirelessSource {
  private static let replyMilliseconds = 2000

  private var socket: NetlinkSocket?
  /// nl80211's number; 0 while it is not known.
  private var family: UInt16 = 0
  private var scans = InterfaceScans(of: 0)
  private var sequence: UInt32 = 0
  private var buffer = [UInt8](repeating: 0, count: NetlinkSocket.datagramBytesMax)

  public init() {}

  public func readNetworks(of interface: String) throws(WirelessError) -> NetworkReading {
    try withSocket(interface) { index throws(WirelessError) in try list(index) }
  }

  private func list(_ index: UInt32) throws(WirelessError) -> NetworkReading {
    let news = scans.takeNews(at: try now())
    var list = NetworkList()
    let errno = try exchange(.list(family: family, interface: index)) { message in
      switch message {
      case .network(let network, let isAssociated):
        if let network { list.append(network) } else { list.namesRefused &+= 1 }
        if isAssociated { list.isAssociated = true }
      case .malformed: list.malformed &+= 1
      case .family, .replied, .listEnded, .scan, .other: break
      }
    }
    guard errno == 0 else { throw .of(SystemError(.nl80211, code: errno)) }
    return NetworkReading(
      .nl80211, list, isScanUnderWay: news.isUnderWay, hasCompletedScan: news.hasCompleted,
      hasAbortedScan: news.hasAborted && !news.hasCompleted)
  }

  public func startScan(on interface: String) throws(WirelessError) -> ScanStart {
    try withSocket(interface) { index throws(WirelessError) in try start(index) }
  }

  private func start(_ index: UInt32) throws(WirelessError) -> ScanStart {
    guard !scans.isUnderWay(at: try now()) else { return .busy(.nl80211) }
    let errno = try exchange(.startScan(family: family, interface: index)) { _ in }
    let error = SystemError(.nl80211, code: errno)
    // Another interface of the same radio may be the one that scans: no news report the end of that scan.
    if error.isBusy { return .busy(.nl80211) }
    guard errno == 0 else { throw error.isPermission ? .rightMissing : .of(error) }
    scans.receive(.started, at: try now())
    return .started(.nl80211)
  }

  public func takeNews(of interface: String) -> ScanNews? {
    // A driver with extensions of its own reports no scans.
    guard NetworkInterface.isWireless(interface) else { return nil }
    return try? withSocket(interface) { _ throws(WirelessError) in scans.takeNews(at: try now()) }
  }

  // MARK: - The socket

  /// Opens the socket, receives the news that wait, and works with the number of the interface.
  ///
  /// After an error that says nothing of the interface the socket is closed: when cfg80211 was loaded again, nl80211 and
  /// its groups have other numbers, which the next call asks for.
  private func withSocket<Value>(
    _ interface: String, _ work: (UInt32) throws(WirelessError) -> Value
  ) throws(WirelessError) -> Value {
    do throws(WirelessError) {
      let index = try open(interface)
      try receiveNews()
      return try work(index)
    } catch {
      if case .system = error { disconnect() }
      throw error
    }
  }

  /// Opens the socket unless it is open, and follows the interface. Returns its number.
  private func open(_ name: String) throws(WirelessError) -> UInt32 {
    let interface: NetworkInterface
    do throws(SystemError) { interface = try NetworkInterface(named: name) } catch { throw .of(error) }
    guard interface.isUp else { throw .interfaceDown }
    if scans.interface != interface.index {
      // An interface that has come back may be that of a cfg80211 that was loaded again.
      disconnect()
      scans = InterfaceScans(of: interface.index)
    }
    if socket == nil { try connect() }
    return interface.index
  }

  private func connect() throws(WirelessError) {
    do throws(SystemError) { socket = try NetlinkSocket() } catch {
      throw error.isFamilyRefused ? .netlinkRefused : .of(error)
    }
    do throws(WirelessError) {
      var group: UInt32?
      let errno = try exchange(.findFamily) { message in
        if case .family(let number, let scanGroup) = message { (self.family, group) = (number, scanGroup) }
      }
      guard errno == 0, let group else { throw .of(SystemError(.nl80211, code: errno)) }
      do throws(SystemError) { try socket?.join(group: group) } catch { throw .of(error) }
    } catch {
      disconnect()
      throw error
    }
  }

  private func disconnect() {
    socket = nil
    family = 0
    scans.noteLoss()
  }

  // MARK: - Messages

  /// Sends a request, and receives messages until its reply, its list's end, or for ``replyMilliseconds``. Returns the
  /// value of errno in the reply, 0 for none.
  private func exchange(
    _ request: ScanRequest, _ receive: (ScanMessage) -> Void
  ) throws(WirelessError) -> Int32 {
    sequence &+= 1
    let deadline: MonotonicInstant
    do throws(SystemError) {
      deadline = try MonotonicInstant.now().advanced(milliseconds: Self.replyMilliseconds)
      _ = try socket?.descriptor.send(request.bytes(sequence: sequence).span)
    } catch {
      throw .of(error)
    }
    while true {
      var end: Int32?
      try receiveDatagram(until: deadline) { message, messageSequence in
        guard messageSequence == self.sequence else { return }
        switch message {
        case .replied(let errno), .listEnded(let errno): end = errno
        case .family: end = 0
        case .scan, .network, .other, .malformed: break
        }
        receive(message)
      }
      if let end { return end }
    }
  }

  private func now() throws(WirelessError) -> Instant {
    do throws(SystemError) {
      return Instant(microseconds: try MonotonicInstant.now().nanoseconds / 1000)
    } catch {
      throw .of(error)
    }
  }

  /// Receives the news that wait, without waiting for more.
  private func receiveNews() throws(WirelessError) {
    while try receiveDatagram(until: nil, { _, _ in }) {}
  }

  /// Receives one datagram. Without a deadline it does not wait. Returns whether there was one.
  @discardableResult
  private func receiveDatagram(
    until deadline: MonotonicInstant?, _ receive: (ScanMessage, UInt32) -> Void
  ) throws(WirelessError) -> Bool {
    guard let number = socket?.descriptor.number else { return false }
    let time = try now()
    var byteCount = 0
    do throws(SystemError) {
      if let deadline, try Polling.wait([.init(number, .readable)], until: deadline).first?.isEmpty != false {
        throw SystemError(.nl80211, code: SystemError.timeOutCode)
      }
      guard let count = try socket?.descriptor.read(into: &buffer) else { return false }
      byteCount = count
    } catch {
      guard error.isOverrun else { throw .of(error) }
      // The list says what the kernel knows in either case.
      scans.noteLoss()
      return true
    }
    var messages = NetlinkMessages(buffer.span.rawBytes.slice(at: 0, count: byteCount))
    while let message = messages.next() {
      let parsed = ScanMessage(message, family: family)
      if case .scan(let event, let interface) = parsed, interface == scans.interface {
        scans.receive(event, at: time)
      }
      receive(parsed, message.sequence)
    }
    if messages.isMalformed { receive(.malformed, sequence) }
    return true
  }
}

extension WirelessError {
  fileprivate static func of(_ error: SystemError) -> WirelessError {
    if error.isWithoutInterface { return .interfaceMissing }
    if error.isInterfaceDown { return .interfaceDown }
    return .system(call: error.call.rawValue, reason: error.reason)
  }
}

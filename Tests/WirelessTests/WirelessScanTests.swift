// SPDX-License-Identifier: GPL-3.0-or-later

import Testing
import Wireless

@Suite("Two sources of networks")
struct WirelessScanTests {
  @Test("Wireless extensions come first, and nl80211 lists nothing while they deliver")
  func extensionsFirst() throws {
    let (extensions, netlink) = (StandInSource(.extensions), StandInSource(.nl80211))
    let scan = WirelessScan(extensions, otherwise: netlink)
    #expect(try scan.readNetworks(of: "wlan0").source == .extensions)
    #expect(try scan.startScan(on: "wlan0") == .started(.extensions))
    #expect(netlink.calls == 0)
  }

  @Test(
    "nl80211 takes over where extensions are missing or the list is too long",
    arguments: [
      WirelessError.Lack.extensions, .room,
    ])
  func takeOver(lack: WirelessError.Lack) throws {
    let (extensions, netlink) = (StandInSource(.extensions), StandInSource(.nl80211))
    extensions.error = .lacking(lack)
    let scan = WirelessScan(extensions, otherwise: netlink)
    #expect(try scan.readNetworks(of: "wlan0").source == .nl80211)
    #expect(try scan.startScan(on: "wlan0") == .started(.nl80211))
    // The extensions are asked again each time: the list may have become shorter.
    extensions.error = nil
    #expect(try scan.readNetworks(of: "wlan0").source == .extensions)
  }

  @Test("While a scan is under way, nl80211 lists what is known, and where it is refused, nothing is listed")
  func duringScan() throws {
    let (extensions, netlink) = (StandInSource(.extensions), StandInSource(.nl80211))
    extensions.isScanUnderWay = true
    let scan = WirelessScan(extensions, otherwise: netlink)
    #expect(
      try scan.readNetworks(of: "wlan0") == NetworkReading(.nl80211, NetworkList(), isScanUnderWay: true))
    netlink.error = .netlinkRefused
    #expect(try scan.readNetworks(of: "wlan0") == NetworkReading(.extensions, nil))
  }

  @Test("nl80211's news say how scans end, whichever source lists the networks")
  func news() throws {
    let (extensions, netlink) = (StandInSource(.extensions), StandInSource(.nl80211))
    let scan = WirelessScan(extensions, otherwise: netlink)
    var news = ScanNews()
    news.hasAborted = true
    func reading() throws -> NetworkReading {
      netlink.news = news
      return try scan.readNetworks(of: "wlan0")
    }
    #expect(
      try reading()
        == NetworkReading(.extensions, NetworkList(), reportsScans: true, hasAbortedScan: true))
    extensions.isScanUnderWay = true
    #expect(
      try reading() == NetworkReading(.nl80211, NetworkList(), isScanUnderWay: true, hasAbortedScan: true))
    extensions.error = .lacking(.room)
    #expect(try reading() == NetworkReading(.nl80211, NetworkList(), hasAbortedScan: true))
    // A scan was aborted, and another one has completed.
    news.hasCompleted = true
    #expect(try reading() == NetworkReading(.nl80211, NetworkList(), hasCompletedScan: true))
    // The next scan is under way already.
    (extensions.error, extensions.isScanUnderWay, news.isUnderWay) = (nil, false, true)
    #expect(
      try reading()
        == NetworkReading(
          .extensions, NetworkList(), isScanUnderWay: true, reportsScans: true, hasCompletedScan: true))
  }

  @Test("Where netlink is refused, the error says what the extensions lack, and names the cure")
  func refused() {
    let (extensions, netlink) = (StandInSource(.extensions), StandInSource(.nl80211))
    extensions.error = .lacking(.room)
    netlink.error = .netlinkRefused
    let scan = WirelessScan(extensions, otherwise: netlink)
    #expect(throws: WirelessError.cannotTakeOver(.room)) { try scan.readNetworks(of: "wlan0") }
    #expect(throws: WirelessError.cannotTakeOver(.room)) { try scan.startScan(on: "wlan0") }
    let sentence = WirelessError.cannotTakeOver(.room).sentence(interface: "wlan0")
    #expect(
      sentence
        == "wlan0 receives more networks than wireless extensions can list, and nl80211 cannot take over, because the "
        + "agent may not have sockets of AF_NETLINK: accessoryctl setup, run as root with --wifi, installs the "
        + "drop-in wifi.conf of accessoryd.service")
  }

  @Test(
    "Other errors are the caller's, and nl80211 is not asked",
    arguments: [
      WirelessError.interfaceDown, .interfaceMissing, .notWireless, .rightMissing,
    ])
  func otherErrors(error: WirelessError) {
    let (extensions, netlink) = (StandInSource(.extensions), StandInSource(.nl80211))
    extensions.error = error
    let scan = WirelessScan(extensions, otherwise: netlink)
    #expect(throws: error) { try scan.readNetworks(of: "wlan0") }
    #expect(throws: error) { try scan.startScan(on: "wlan0") }
    #expect(netlink.calls == 0)
  }

  @Test("Each error's sentence names the interface or the right, and its word is one of the metrics' words")
  func sentences() {
    let errors: [WirelessError] = [
      .interfaceMissing, .interfaceDown, .notWireless, .lacking(.extensions), .lacking(.room),
      .netlinkRefused,
      .cannotTakeOver(.extensions), .cannotTakeOver(.room), .rightMissing,
      .system(call: "ioctl", reason: "no"),
      .startRefused(call: "ioctl", reason: "no"), .noReply,
      .endless,
    ]
    for error in errors {
      let sentence = error.sentence(interface: "wlan7")
      #expect(sentence.contains("wlan7") || sentence.contains("AF_NETLINK"), "\(sentence)")
      #expect(WirelessError.words.contains(error.word))
    }
    #expect(WirelessError.rightMissing.sentence(interface: "wlan0").contains("CAP_NET_ADMIN"))
  }
}

private final class StandInSource: WirelessSource {
  private let source: NetworkSource
  var error: WirelessError?
  var isScanUnderWay = false
  var news: ScanNews?
  private(set) var calls = 0

  init(_ source: NetworkSource) { self.source = source }

  func readNetworks(of interface: String) throws(WirelessError) -> NetworkReading {
    calls += 1
    if let error { throw error }
    return NetworkReading(source, isScanUnderWay ? nil : NetworkList())
  }

  func startScan(on interface: String) throws(WirelessError) -> ScanStart {
    calls += 1
    if let error { throw error }
    return .started(source)
  }

  func takeNews(of interface: String) -> ScanNews? { news.take() }
}

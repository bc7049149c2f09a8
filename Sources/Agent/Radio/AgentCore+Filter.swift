// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Discovery
public import HCI
import Manifest
import Setup
import Varlink

extension AgentCore {
  /// How many signs of life make a figure.
  private static let chanceCountMin: UInt64 = 16

  /// Brings the filter in line with items and devices, and removes it while something needs every report.
  func advanceFilter() {
    switch filter.nextStep(changes: dataPath.pipeline.filterChanges, at: now) {
    case .nothing: return
    case .remove: filter.remove(at: now)
    case .write: if !filter.write(filterContents, at: now) { return }
    }
    enqueue(.setFilter(filter.program))
    followFilter()
  }

  /// The kernel did not take the filter of the last ``Action/setFilter(_:)``.
  public func filterWasRefused(_ error: RadioFilterError, at time: Instant) {
    turn.advance(to: time)
    filter.kernelRefused(error, at: now)
    enqueue(.setFilter(nil))
    followFilter()
    turn.isBusy = true
  }

  /// Lets the data path know, and counts anew.
  private func followFilter() {
    let isFiltered = filter.program != nil
    guard dataPath.pipeline.isFiltered != isFiltered else { return }
    dataPath.pipeline.isFiltered = isFiltered
    filteredSince = isFiltered ? dataPath.pipeline.counters : nil
  }

  private var filterContents: FilterProgram.Contents {
    var contents = FilterProgram.Contents()
    contents.descriptors = dataPath.items.flatMap {
      [$0.item.descriptor, $0.item.alternate].compactMap(\.self)
    }
    .filter(\.hasBluetoothClause)
    contents.passesPrivateAddresses = dataPath.pipeline.identityCount > 0
    var addresses = Set(setupCore.awaitedAddresses + setupCore.grants.addresses.map(\.bits))
    for row in dataPath.liveRows {
      guard let device = dataPath.pipeline.device(at: row), device.matchCount > 0 else { continue }
      addresses.insert(device.address.bits)
    }
    contents.addresses = Set(addresses.map { UInt32(truncatingIfNeeded: $0) })
    return contents
  }

  /// Notes whether a picker is open whose items everything with a company or a service matches.
  func followBroadPickers() {
    let interest = setupCore.hasOpenPicker ? setupCore.interest : [:]
    let isBroad = dataPath.items.contains { interest[$0.path] != nil && $0.item.descriptor.isBroad }
    filter.set(.broadPicker, isBroad)
  }

  func endCapture() {
    packetTap.detach()
    filter.set(.capture, packetTap.readerCount > 0)
  }

  /// The filter as a sentence's end; nil for a radio that can have none.
  var filterText: String? {
    guard filter.isPossible else { return nil }
    guard filter.isAllowed else { return "none, as the manifest says" }
    let needs = RadioFilter.Need.allCases.filter(filter.needs.contains).map(\.rawValue)
    if !needs.isEmpty { return "none now: every report is needed by \(needs.joined(separator: " and "))" }
    guard let program = filter.program else { return "none: \(filter.failure ?? "it is being written")" }
    let items = dataPath.items.count { $0.item.descriptor.hasBluetoothClause }
    var text = items == 1 ? "1 item" : "\(items) items"
    if program.detail != .wholeData { text += " in less detail, for the kernel takes no longer program" }
    if let percent = droppedPercent { text += ", \(percent) % of the reports dropped" }
    return text
  }

  /// For each report that passed by chance 63 others were dropped, about.
  private var droppedPercent: UInt64? {
    guard let start = filteredSince else { return nil }
    let counted = dataPath.pipeline.counters
    let chances = counted.reportsByChance &- start.reportsByChance
    guard chances >= Self.chanceCountMin else { return nil }
    let dropped = chances * UInt64(FilterProgram.chanceOfOneIn - 1)
    return 100 * dropped / (dropped + counted.reports &- start.reports)
  }

  // MARK: - Calls that need every report

  /// Keeps a call that lists what is in sight, while the filter has just been removed for it. Returns whether it did.
  func postpone(_ method: AgentMethod, _ parameters: Parameters, of client: Client) -> Bool {
    guard method.needsEveryReport(parameters), let start = filter.listen(at: now) else { return false }
    client.stream = PostponedCall(method: method, parameters: parameters, end: start)
    postponedCallCount += 1
    return true
  }

  /// Starts the calls whose time has come.
  func startPostponedCalls() {
    guard postponedCallCount > 0 else { return }
    for client in clients.connected {
      guard let call = client.stream as? PostponedCall, call.isOver(at: now) else { continue }
      client.stream = nil
      postponedCallCount -= 1
      start(call.method, call.parameters, of: client)
    }
  }
}

/// A call that waits until devices were heard again which the filter had dropped.
struct PostponedCall: ReplyStream {
  let method: AgentMethod
  let parameters: Parameters
  let end: Instant?

  mutating func nextReply(_ agent: AgentCore) -> StreamStep { .wait }

  func release(_ agent: AgentCore) { agent.postponedCallCount -= 1 }
}

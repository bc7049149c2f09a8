// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Manifest
import Testing

@Suite("Who fills each table of bounded size")
struct PlaceOwnersTests {
  private enum Owner {
    /// Apps fill it, and each has a share that no other app takes (``PlaceShares``).
    case share
    /// Each app has as many of its own.
    case app
    /// Each user, and operators apart, as many of their own.
    case account
    /// It grows with what operators agree to, or do themselves.
    case operators
    /// Devices at the radio fill it; what gives way is no accessory's.
    case radio
    /// A part of one message, line or row: what is longer is refused or cut.
    case length
    /// A copy of another maximum, or a number of tries.
    case derived
  }

  /// Every maximum that the manifest sets.
  private static let capacities: [CapacityKey: Owner] = [
    .devices: .radio, .longPayloads: .radio, .reassemblies: .radio, .matchesPerItem: .radio,
    .accessories: .operators,
    // Of each watcher: what it is slow to read is counted and left out.
    .events: .account, .eventBytes: .account,
  ]
  private static let limits: [LimitsKey: Owner] = [
    .pickerIdle: .app, .requestsPerMinute: .app, .candidates: .app, .connections: .share,
    .connectionsPerUser: .account, .connectionsForOperators: .operators, .writeBufferBytes: .account,
  ]

  /// Every maximum of the modules that keep what apps ask for and what is heard, by its file.
  private static let owners: [String: Owner] = [
    "SessionStore.countMax": .share, "SessionStore.countMaxPerApp": .app,
    "AccessoryRegistry.tombstonesMax": .share, "AccessoryRegistry.formersMax": .share,
    "AccessoryLinks.countMax": .share, "AgentCore+Links.linksMax": .derived,
    // A call, a flow or a second address each, of which apps have a limited number.
    "RegistryQueue.waitingMax": .account,
    // One flow with a picker for each app; the oldest outcome gives way.
    "SetupCore+Flows.outcomesMax": .app, "ItemFields.countMax": .app,
    "ClientTable.reservedMax": .operators, "ClientTable.turnedAwayMax": .account,
    "ClientTable.extraMax": .derived,
    "AgentCore+Clients.extraConnectionsMax": .derived,
    "AccessoryRegistry.accessoriesMax": .operators, "AccessoryRegistry.bondRemovalsMax": .operators,
    "RegistryStream.byteCountMax": .operators, "RegistryStream.lineCountMax": .operators,
    "PacketTap.readersMax": .operators,
    "PacketTap.packetsMax": .radio,
    // What gives way is no longer found, or the oldest.
    "RecentHistory.tracksMax": .radio, "RecentHistory.edgesMax": .radio,
    "PacketTap.bytesMax": .radio, "PacketTap.packetBytesMax": .length,
    "AutomaticSetups.failedMax": .radio, "TouchChoice.devicesMax": .radio,
    "AccessoryRegistry.numberMax": .length, "AccessoryRegistry.textBytesMax": .length,
    "AccessoryRegistry.ssidBytesMax": .length, "AccessoryRegistry.clauseBytesMax": .length,
    "GatewaySignal.subjectsNamedMax": .length,
    "ItemFields.textBytesMax": .length,
    "ItemFields.listedMax": .length, "DescriptorFields.bytesMax": .length,
    "DescriptorFields.networkNameBytesMax": .length, "CallErrors.listedMax": .length,
    "CallErrors.lineCharactersMax": .length,
    "CallErrors.candidateCharactersMax": .length, "AgentCore+Reload.keptFindingsMax": .length,
    "Problem.fullItemsMax": .length, "Problem.bondsMax": .length,
    "Problem.notMatchingMax": .length,
    "AgentCore+Metrics.metricsBytesMax": .length,
    "LinkCommandQueue.triesMax": .derived,
    // Operators have those that bridges leave, of which each has two.
    "ReportBatches.streamsMax": .account, "ReportStreams.bridgeStreamsMax": .account,
    "AgentCore+Reports.reportStreamsMax": .derived,
    "AppFeed.capacity": .app, "AdvertisementFeeds.capacity": .app, "AccessoryReadings.capacity": .app,
    "AccessoryReadings.bytesMax": .radio, "WatchStream.capacity": .length,
    "ItemFields.countRange": .length, "DescriptorClauses.capacity": .length,
    "FrameTable.matchesMax": .radio, "FrameTable.waitingMax": .radio, "FrameTable.candidatesMax": .derived,
    "KnownFrameTable.setsMax": .radio,
    "KnownFrameTable.framesMax": .radio, "RememberedFrames.kindsMax": .radio, "Rhythm.capacity": .radio,
    "VictimQueue.capacity": .radio, "PayloadStore.inlineBytesMax": .length, "Device.numbersMax": .derived,
    "RememberedFrames.returnsMax": .derived, "Signal.waitingMax": .derived,
    "Signal.gapMillisecondsMax": .derived,
    "SignalProgram.waitingMaxPerApp": .app, "AgentLoop.findingsMax": .operators,
    "RadioSource.packetCountMax": .radio, "DrainSchedule.millisecondsMax": .derived,
    "RadioOpening.recordingBytesMax": .operators,
    "MgmtSocket.messageBytesMax": .length, "H4Socket.packetBytesMax": .length,
    "BluetoothdBus.readBytesMax": .length, "KernelScanStateFile.byteCountMax": .length,
    "AppSockets.pathBytesMax": .length, "ServiceSocket.pathBytesMax": .length,
    // Of one pairing, of which there is one at a time; and what operators have paired or removed.
    "PairingAttempt.keysMax": .operators, "BusKeys.entriesMax": .operators,
    "KernelPairing.newBondsMax": .operators, "UnpairQueue.countMax": .operators,
    "BusBonds.removalsMax": .derived, "BluetoothdClient.questionsMax": .operators,
    // What bluetoothd has; more of it is left out.
    "BusObjects.devicesMax": .length, "BusObjects.pairedMax": .length, "BusObjects.adaptersMax": .length,
    "BluetoothdClient.messageBytesMax": .length, "BluetoothdClient.pathBytesMax": .length,
    "BusCall.textMax": .length, "DeviceBond.keyKindMax": .length, "DeviceBond.linkKeyKindMax": .length,
    "DrainSchedule.savedReadsMax": .derived, "PairingCancellation.triesMax": .derived,
    "UnpairQueue.triesMax": .derived,
    "KernelPairing.triesMax": .derived, "BondableSwitch.retryDoublingsMax": .derived,
    "KernelKeyLoading.retryDoublingsMax": .derived,
  ]

  @Test("Every maximum has an owner, and every table that apps fill by themselves is shared")
  func owners() throws {
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Sources")
    var found: Set<String> = []
    var sharing = 0
    for module in ["Setup", "Registry", "Agent", "Discovery", "AgentRuntime", "Pairing"] {
      let folder = sources.appendingPathComponent(module).path
      for path in FileManager.default.subpaths(atPath: folder) ?? [] where path.hasSuffix(".swift") {
        let text = try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)
        let file = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        for match in text.matches(of: /static (?:let|var) (\w*Max(?:PerApp)?|capacity|\w*Range)\b/) {
          found.insert("\(file).\(match.1)")
        }
        sharing += text.matches(of: /PlaceShares\.admit\(|\.rowToReplace\(/).count
      }
    }
    #expect(found == Set(Self.owners.keys), "\(found.symmetricDifference(Self.owners.keys))")
    #expect(Set(Self.capacities.keys) == Set(CapacityKey.allCases))
    #expect(Set(Self.limits.keys) == Set(LimitsKey.allCases))
    // A new session, link or connection is admitted by its app's share, or an old row gives way by it.
    let shared = Array(Self.owners.values) + Self.limits.values
    #expect(shared.count { $0 == .share } == sharing)
  }
}

// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import TestSupport

/// A place where bytes from outside come in: one fuzz target each.
enum FuzzTarget: String, CaseIterable {
  /// A stream of H4 packets: ``StreamFrame`` and ``Packet``.
  case h4
  /// The body of one HCI event.
  case event
  /// The parameters of one LE Meta event with reports, and the reports' assembly.
  case reports
  /// A payload of AD structures.
  case ad
  /// A btsnoop file.
  case btsnoop
  /// The text of a manifest.
  case manifest
  /// The text of a scene, and the scene.
  case scene
  /// Packets and times into the whole data path.
  case pipeline
  /// What a client of the socket writes.
  case varlink
  /// The text of an interface definition.
  case definition
  /// The file of the registry.
  case registry
  /// The lines of an exported registry.
  case export
  /// What a connected peripheral sends.
  case link
  /// The information elements of a network.
  case elements
  /// A datagram of generic netlink.
  case netlink
  /// The events of a scan by wireless extensions.
  case extensions
  /// The results of a scan by wireless extensions, which libiw reads.
  case results
  /// What the kernel sends during a pairing.
  case management
  /// A file of bluetoothd with a bond.
  case bond
  /// A store of known networks, as each of the programs writes it.
  case stores
  /// An Info.plist.
  case plist
  /// What the system bus sends.
  case bus
  /// A manifest, and a suggested item that is added to it.
  case edit
  /// What the agent sends to an app.
  case session
  /// What clients and the agent send to the bridge for Home Assistant.
  case esphome
  /// An advertisement in an open format.
  case sensors
  /// What a broker's clients and the agent send to the bridge for MQTT, and its configuration.
  case broker
  /// What a server and the agent send to the bridge for NATS, and its configuration.
  case nats
  /// What browsers send to the page.
  case page
  /// Crashes on purpose, to prove that crashes are found.
  case canary

  func run(_ bytes: RawSpan) {
    switch self {
    case .h4: fuzzStream(bytes)
    case .event: fuzzEvent(bytes)
    case .reports: fuzzReports(bytes)
    case .ad: fuzzPayload(bytes)
    case .btsnoop: fuzzCapture(bytes)
    case .manifest: fuzzManifest(bytes)
    case .scene: fuzzScene(bytes)
    case .pipeline: fuzzPipeline(bytes)
    case .varlink: fuzzVarlink(bytes)
    case .definition: fuzzDefinition(bytes)
    case .registry: fuzzRegistry(bytes)
    case .export: fuzzExport(bytes)
    case .link: fuzzLink(bytes)
    case .elements: fuzzElements(bytes)
    case .netlink: fuzzNetlink(bytes)
    case .extensions: fuzzExtensions(bytes)
    case .results: fuzzResults(bytes)
    case .management: fuzzManagement(bytes)
    case .bond: fuzzStoredBond(bytes)
    case .stores: fuzzStores(bytes)
    case .plist: fuzzPropertyList(bytes)
    case .bus: fuzzBus(bytes)
    case .edit: fuzzEdit(bytes)
    case .session: fuzzSession(bytes)
    case .esphome: fuzzESPHome(bytes)
    case .sensors: fuzzSensors(bytes)
    case .broker: fuzzBroker(bytes)
    case .nats: fuzzNATS(bytes)
    case .page: fuzzPage(bytes)
    case .canary: fuzzCanary(bytes)
    }
  }

  /// The inputs from which mutation starts. The seeds of manifests, scenes and registries are the files their
  /// tests read.
  var seeds: [[UInt8]] {
    switch self {
    case .h4: Packets.all.map(\.bytes) + [Packets.all.flatMap(\.bytes)]
    case .event: Packets.all.map { Array($0.bytes.dropFirst()) }
    case .reports: Packets.reports.map { Array($0.bytes.dropFirst(3)) }
    case .ad: Payloads.all.map(\.bytes)
    case .btsnoop: [.hci, .h4, .monitor].map { Captures.everyKind($0).bytes }
    case .manifest, .scene, .registry: []
    case .pipeline: [Packets.all.flatMap { [0x05] + $0.bytes }] + Packets.reports.map { [0x05] + $0.bytes }
    case .varlink: varlinkSeeds + [varlinkSeeds.flatMap(\.self)]
    case .definition: definitionSeeds
    case .export: exportSeeds
    case .link: linkSeeds
    case .elements: NetworkElements.all.map(\.bytes)
    case .netlink: NetlinkDatagrams.all.map(\.bytes)
    case .extensions: extensionsSeeds
    case .results: resultsSeeds
    case .management: managementSeeds
    case .bond: storedBondSeeds
    case .stores: storeSeeds
    case .plist: propertyListSeeds
    case .bus: busSeeds
    case .edit: editSeeds
    case .session: sessionSeeds
    case .esphome: esphomeSeeds
    case .sensors: sensorSeeds
    case .broker: brokerSeeds
    case .nats: natsSeeds
    case .page: pageSeeds
    case .canary: [Array("canar".utf8)]
    }
  }
}

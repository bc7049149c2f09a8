// SPDX-License-Identifier: GPL-3.0-or-later

import BrokerFeed
import BrokerFormat
import Manifest
public import ManifestFormat
public import MQTTBridge

/// Reads the file mqtt.toml.
public enum MQTTConfigurationReader {
  static let schema: Int64 = 1

  /// Pure: any bytes give a configuration or diagnostics.
  public static func read(text: [UInt8], fileName: String) -> Reading<MQTTConfiguration> {
    DocumentReader.read(text: text, fileName: fileName, schema: schema) { root, log in
      (MQTTConfiguration(TableReader<MQTTKey>(root, at: ManifestKeyPath(), log: log)), [])
    }
  }
}

extension MQTTConfiguration {
  fileprivate init(_ table: TableReader<MQTTKey>) {
    self.init()
    table.require(.schema)
    _ = table.integer(.schema, in: MQTTConfigurationReader.schema...MQTTConfigurationReader.schema)
    broker.read(table.table(.broker))
    readTopics(table.table(.topics))
    readPublishing(table.table(.publish))
    pauses.readApps(table, .app)
  }

  private mutating func readTopics(_ table: TableReader<TopicsKey>) {
    name = table.value(.gateway, .topicLevel) { $0.isTopicLevel ? $0 : nil } ?? name
    base = table.value(.base, .topic) { $0.isTopic ? $0 : nil } ?? base
    discovery = table.value(.homeassistantPrefix, .topic) { $0.isTopic ? $0 : nil } ?? discovery
    if table.boolean(.homeassistant) == false { discovery = nil }
  }

  private mutating func readPublishing(_ table: TableReader<PublishKey>) {
    table.read(.qos, into: &quality, in: 0...2)
    showsAddresses = table.boolean(.addresses) ?? showsAddresses
    acceptsCommands = table.boolean(.commands) ?? acceptsCommands
    pauses.readInterval(table, .interval)
    publishesUndecoded = table.boolean(.undecoded) ?? publishesUndecoded
    if publishesUndecoded, !showsAddresses { table.report(.undecodedShowsAddresses, at: .undecoded) }
  }
}

extension MQTTConfiguration.Broker {
  fileprivate mutating func read(_ table: TableReader<BrokerKey>) {
    user = table.text(.user)
    if table.node(.tls) != nil { certificates = BrokerCertificates(table.table(.tls)) }
    let host = table.value(.host, .host) { $0.isHost ? $0 : nil } ?? "localhost"
    let port = table.integer(.port, in: 1...65_535) ?? (certificates == nil ? UInt16(1883) : 8883)
    address = .host(host, port: port)
    guard let path = table.value(.socket, .path, { $0.hasPrefix("/") ? $0 : nil }) else { return }
    address = .socket(path: path)
    for key in [BrokerKey.host, .port, .tls] where table.node(key) != nil {
      table.report(.besideSocket, at: key)
    }
  }
}

extension FormatDiagnostic {
  fileprivate static let undecodedShowsAddresses = rule(
    "TheengsGateway needs addresses; add addresses = true, or remove this")
  fileprivate static let besideSocket = rule(
    "a socket has no host, no port and no TLS; remove this, or the socket")
}

extension FormatDiagnostic.Expectation {
  fileprivate static let topic = form("a topic without +, # and empty parts, as \"site/gateways\"")
  fileprivate static let topicLevel = form("a name without /, + and #, as \"kitchen\"")
}

extension String {
  /// MQTT 5.0, 4.7: a topic name has no wildcards; a `$` in front is the broker's own.
  fileprivate var isTopic: Bool {
    utf8.count <= 128
      && split(separator: "/", omittingEmptySubsequences: false).allSatisfy { String($0).isTopicLevel }
  }

  fileprivate var isTopicLevel: Bool {
    !isEmpty && first != "$" && !contains { $0 == "/" || $0 == "+" || $0 == "#" }
      && unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
  }
}

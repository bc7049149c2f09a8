// SPDX-License-Identifier: GPL-3.0-or-later

import BrokerFormat
import Manifest

/// The top level of mqtt.toml.
enum MQTTKey: String, ManifestKey {
  case schema, broker, topics, publish, app

  static var neighbours: [String] {
    BrokerKey.allCases.map { "broker.\($0.rawValue)" } + TopicsKey.allCases.map { "topics.\($0.rawValue)" }
      + PublishKey.allCases.map { "publish.\($0.rawValue)" }
  }
}

/// `[broker]`
enum BrokerKey: String, ManifestKey {
  case host, port, socket, user, tls

  static var neighbours: [String] { TLSKey.neighbours }
}

/// `[topics]`
enum TopicsKey: String, ManifestKey {
  case gateway, base, homeassistant
  case homeassistantPrefix = "homeassistant-prefix"
}

/// `[publish]`
enum PublishKey: String, ManifestKey {
  case qos, addresses, commands, interval, undecoded
}

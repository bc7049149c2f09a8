// SPDX-License-Identifier: GPL-3.0-or-later

import BrokerFeed
import MQTTBridge
import MQTTFormat
import ManifestFormat
import Testing

@Suite("The configuration of the bridge for MQTT")
struct MQTTConfigurationTests {
  private func read(_ text: String) -> Reading<MQTTConfiguration> {
    MQTTConfigurationReader.read(text: Array(text.utf8), fileName: "mqtt.toml")
  }

  @Test("Without any key but the schema, it is a broker on the same machine")
  func defaults() {
    let reading = read("schema = 1\n")
    #expect(reading.lines == [])
    #expect(reading.value == MQTTConfiguration())
  }

  @Test("Every key")
  func everyKey() {
    let reading = read(
      """
      schema = 1
      [broker]
      host = "broker.example.org"
      user = "gateway"
      [broker.tls]
      cafile = "/etc/ssl/ca.crt"
      certfile = "/etc/ssl/own.crt"
      keyfile = "/etc/ssl/own.key"
      [topics]
      gateway = "kitchen"
      base = "site/gateways"
      homeassistant-prefix = "ha"
      [publish]
      qos = 2
      addresses = true
      commands = true
      interval = 30
      undecoded = true
      [app.climate]
      interval = 60
      """)
    #expect(reading.lines == [])
    var expected = MQTTConfiguration()
    expected.broker.address = .host("broker.example.org", port: 8883)
    expected.broker.user = "gateway"
    var certificates = BrokerCertificates()
    certificates.authorities = "/etc/ssl/ca.crt"
    certificates.certificate = "/etc/ssl/own.crt"
    certificates.key = "/etc/ssl/own.key"
    expected.broker.certificates = certificates
    (expected.name, expected.base, expected.discovery) = ("kitchen", "site/gateways", "ha")
    (expected.quality, expected.showsAddresses, expected.acceptsCommands) = (2, true, true)
    (expected.pauses.interval, expected.publishesUndecoded, expected.pauses.intervals) = (
      30, true, ["climate": 60]
    )
    #expect(reading.value == expected)
    let other = read(
      "schema = 1\n[broker]\nsocket = \"/run/mosquitto/socket\"\n[topics]\nhomeassistant = false\n"
    ).value
    #expect(other?.broker.address == .socket(path: "/run/mosquitto/socket") && other?.discovery == nil)
  }

  @Test(
    "Mistakes have their line and a cure",
    arguments: [
      ("[broker]\n", "mqtt.toml:1: schema is missing; begin the file with schema = 1"),
      (
        "schema = 1\n[topics]\nbase = \"a/#\"\n",
        "mqtt.toml:3: topics.base: \"a/#\" does not fit; it must be a topic without +, # and empty parts, as "
          + "\"site/gateways\""
      ),
      (
        "schema = 1\n[topics]\ngateway = \"a/b\"\n",
        "mqtt.toml:3: topics.gateway: \"a/b\" does not fit; it must be a name without /, + and #, as \"kitchen\""
      ),
      (
        "schema = 1\n[broker]\nhost = \"broker:1883\"\n",
        "mqtt.toml:3: broker.host: \"broker:1883\" does not fit; it must be a name or an address, as "
          + "\"broker.example.org\"; the port is a key of its own"
      ),
      (
        "schema = 1\n[broker]\nprot = 1883\n",
        "mqtt.toml:3: broker.prot: there is no such key; did you mean port?"
      ),
      ("schema = 1\n[publish]\nqos = 3\n", "mqtt.toml:3: publish.qos: 3 is out of range; use 0 to 2"),
      (
        "schema = 1\n[publish]\nundecoded = true\n",
        "mqtt.toml:3: publish.undecoded: TheengsGateway needs addresses; add addresses = true, or remove this"
      ),
      (
        "schema = 1\n[broker]\nsocket = \"/run/s\"\nport = 1\n",
        "mqtt.toml:4: broker.port: a socket has no host, no port and no TLS; remove this, or the socket"
      ),
      ("schema = 1\n[broker.tls]\n", "mqtt.toml:2: broker.tls: cafile is missing; add it"),
      (
        "schema = 1\n[broker.tls]\ncafile = \"/a\"\ncertfile = \"/b\"\n",
        "mqtt.toml:4: broker.tls.certfile: the certificate needs its key; add keyfile, or remove this"
      ),
      (
        "schema = 1\n[broker.tls]\ncafile = \"/a\"\nkeyfile = \"/b\"\n",
        "mqtt.toml:4: broker.tls.keyfile: the key belongs to a certificate; add certfile, or remove this"
      ),
      (
        "schema = 1\n[app.climate]\ninterval = -1\n",
        "mqtt.toml:3: app.climate.interval: -1 is out of range; use 0 to 86400"
      ),
      ("schema = 2\n", "mqtt.toml:1: schema: schema 2 is not known here; this program reads schema = 1"),
    ])
  func mistake(text: String, expected: String) {
    let reading = read(text)
    #expect(reading.value == nil)
    #expect(reading.lines == [expected])
  }

  @Test("Any prefix of a configuration is read without a trap")
  func prefixes() {
    let text = Array(
      "schema = 1\n[broker]\nhost = \"b\"\n[broker.tls]\ncafile = \"/a\"\n[app.x]\ninterval = 5\n".utf8)
    for count in 0...text.count {
      _ = MQTTConfigurationReader.read(text: Array(text[..<count]), fileName: "mqtt.toml").lines
    }
  }
}

// SPDX-License-Identifier: GPL-3.0-or-later

import BrokerFeed
import ManifestFormat
import NATSBridge
import NATSFormat
import Testing

@Suite("The configuration of the bridge for NATS")
struct NATSConfigurationTests {
  private func read(_ text: String) -> Reading<NATSConfiguration> {
    NATSConfigurationReader.read(text: Array(text.utf8), fileName: "nats.toml")
  }

  @Test("Without any key but the schema, it is a server on the same machine")
  func defaults() {
    let reading = read("schema = 1\n")
    #expect(reading.lines == [])
    #expect(reading.value == NATSConfiguration())
  }

  @Test("Every key")
  func everyKey() {
    let key = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"
    let reading = read(
      """
      schema = 1
      [server]
      urls = ["tls://a.example.org:4222", "nats://[2001:db8::1]:4222"]
      nkey = "\(key)"
      [server.tls]
      cafile = "/etc/ssl/ca.crt"
      certfile = "/etc/ssl/own.crt"
      keyfile = "/etc/ssl/own.key"
      [stream]
      name = "EVENTS"
      domain = "leaf-1"
      create = true
      [subjects]
      gateway = "kitchen"
      prefix = "site.acc"
      [publish]
      addresses = true
      readings = true
      status = true
      interval = 30
      [app.climate]
      interval = 60
      """)
    #expect(reading.lines == [])
    var expected = NATSConfiguration()
    expected.server.urls = ["tls://a.example.org:4222", "nats://[2001:db8::1]:4222"]
    expected.server.publicKey = key
    var certificates = BrokerCertificates()
    certificates.authorities = "/etc/ssl/ca.crt"
    (certificates.certificate, certificates.key) = ("/etc/ssl/own.crt", "/etc/ssl/own.key")
    expected.server.certificates = certificates
    (expected.stream.name, expected.stream.domain, expected.stream.isCreated) = ("EVENTS", "leaf-1", true)
    (expected.name, expected.prefix, expected.showsAddresses) = ("kitchen", "site.acc", true)
    (expected.publishesReadings, expected.publishesStatus) = (true, true)
    (expected.pauses.interval, expected.pauses.intervals) = (30, ["climate": 60])
    #expect(reading.value == expected)
  }

  @Test(
    "Mistakes have their line and a cure",
    arguments: [
      ("[server]\n", "nats.toml:1: schema is missing; begin the file with schema = 1"),
      (
        "schema = 1\n[server]\nurls = [\"nats://u:p@host\"]\n",
        "nats.toml:3: server.urls[0]: \"nats://u:p@host\" does not fit; it must be a URL without a password, as "
          + "\"nats://nats.example.org:4222\" or \"tls://…\""
      ),
      (
        "schema = 1\n[server]\nurls = [\"nats://host:99999\"]\n",
        "nats.toml:3: server.urls[0]: \"nats://host:99999\" does not fit; it must be a URL without a password, as "
          + "\"nats://nats.example.org:4222\" or \"tls://…\""
      ),
      (
        "schema = 1\n[server]\nnkey = \"UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF5\"\n",
        "nats.toml:3: server.nkey: \"UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF5\" does not fit; it must be "
          + "the public key of a user, copied without a mistake: U and 55 letters or digits"
      ),
      (
        "schema = 1\n[server]\nurls = \"nats://host\"\n",
        "nats.toml:3: server.urls: this is a string; it must be a list of strings, [\"…\"]"
      ),
      (
        "schema = 1\n[server]\nurls = []\n",
        "nats.toml:3: server.urls: this is empty; write a value or remove the key"
      ),
      (
        "schema = 1\n[subjects]\ngateway = \"a.b\"\n",
        "nats.toml:3: subjects.gateway: \"a.b\" does not fit; it must be a name of 1 to 128 ASCII "
          + "characters without ., *, >, /, \\ and blanks, as \"kitchen\""
      ),
      (
        "schema = 1\n[subjects]\nprefix = \"acc.>\"\n",
        "nats.toml:3: subjects.prefix: \"acc.>\" does not fit; it must be names with points between them, as "
          + "\"site.gateways\""
      ),
      (
        "schema = 1\n[server]\nnkey = \"SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY\"\n",
        "nats.toml:3: server.nkey: \"SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY\" does not fit; it must be "
          + "the public key of a user, copied without a mistake: U and 55 letters or digits"
      ),
      (
        "schema = 1\n[server]\nuser = \"x\"\nnkey = \"UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4\"\n",
        "nats.toml:4: server.nkey: a user has a password, and no key of its own; remove one of them"
      ),
      (
        "schema = 1\n[server]\nurl = []\n",
        "nats.toml:3: server.url: there is no such key; did you mean urls?"
      ),
    ])
  func mistake(text: String, expected: String) {
    let reading = read(text)
    #expect(reading.value == nil)
    #expect(reading.lines.first == expected)
    #expect(text.contains("[]") || reading.lines.count == 1, "\(reading.lines)")
  }

  @Test("Any prefix of a configuration is read without a trap")
  func prefixes() {
    let text = Array(
      "schema = 1\n[server]\nurls = [\"nats://b\"]\n[stream]\nname = \"A\"\n[app.x]\ninterval = 5\n".utf8)
    for count in 0...text.count {
      _ = NATSConfigurationReader.read(text: Array(text[..<count]), fileName: "nats.toml").lines
    }
  }
}

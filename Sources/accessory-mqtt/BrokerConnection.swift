// SPDX-License-Identifier: GPL-3.0-or-later

import BrokerFeed
import CMosquitto
import LinuxSystem
import MQTTBridge

/// A connection to the broker, by libmosquitto. None of its calls blocks, but for the look-up of the broker's name.
@safe
final class BrokerConnection {
  /// What the broker has to say.
  enum Event {
    case connected
    case acknowledged(Int)
    case received(MQTTMessage)
    /// The connection is over: why.
    case ended(String)
  }

  struct BrokerError: Error { let sentence: String }

  private let client: OpaquePointer
  private let quality: Int32
  /// The bridge's numbers of publications, by those of the library.
  private var numbers: [Int32: Int] = [:]

  /// Prepares a connection; `password` is that of the broker's user.
  init(
    _ configuration: MQTTConfiguration, name: String, lastWill: MQTTMessage, password: String?
  ) throws(BrokerError) {
    // Holds: the library owns what it returns until cmosquitto_free, and copies every string and buffer that it is passed.
    guard let client = unsafe cmosquitto_new(name) else {
      throw BrokerError(sentence: "there is not enough memory")
    }
    unsafe self.client = client
    quality = Int32(configuration.quality)
    try check(
      unsafe cmosquitto_set_will(client, lastWill.topic, lastWill.payload, lastWill.payload.count, quality))
    if let user = configuration.broker.user {
      try check(unsafe cmosquitto_set_user(client, user, password))
    }
    if let certificates = configuration.broker.certificates {
      let error = unsafe cmosquitto_set_certificates(
        client, certificates.authorities, certificates.certificate, certificates.key)
      guard error == 0 else {
        throw BrokerError(
          sentence:
            "the certificates cannot be used: \(words(error)); check cafile, certfile and keyfile in mqtt.toml"
        )
      }
    }
    switch configuration.broker.address {
    case .host(let host, let port): try check(unsafe cmosquitto_connect(client, host, port))
    case .socket(let path): try check(unsafe cmosquitto_connect(client, path, 0))
    }
  }

  deinit { unsafe cmosquitto_free(client) }

  private func check(_ error: Int32) throws(BrokerError) {
    guard error == 0 else { throw BrokerError(sentence: words(error)) }
  }

  private func words(_ error: Int32) -> String {
    unsafe cmosquitto_error(client, error).map { unsafe String(cString: $0) } ?? "error \(error)"
  }

  /// A duplicate of the socket, to wait for; nil without a connection.
  func duplicateSocket() -> SharedDescriptor? {
    let number = unsafe cmosquitto_duplicate_socket(client)
    return number < 0 ? nil : SharedDescriptor(Descriptor(owning: number))
  }

  var wantsWrite: Bool { unsafe cmosquitto_wants_write(client) }

  /// Reads and writes what the socket allows.
  func drive() -> Event? {
    let error = unsafe cmosquitto_read(client)
    if error == 0, wantsWrite { return end(unsafe cmosquitto_write(client)) }
    return end(error)
  }

  /// Lets the library do what time demands, such as a ping.
  func tick() -> Event? { end(unsafe cmosquitto_tick(client)) }

  private func end(_ error: Int32) -> Event? { error == 0 ? nil : .ended(words(error)) }

  func publish(_ number: Int?, _ message: MQTTMessage) -> Event? {
    var own: Int32 = 0
    let error = unsafe cmosquitto_publish(
      client, &own, message.topic, message.payload, message.payload.count, number == nil ? 0 : quality,
      message.isRetained)
    if error == 0, let number { numbers[own] = number }
    return end(error)
  }

  func subscribe(_ filters: [String]) -> Event? {
    filters.lazy.compactMap { self.end(unsafe cmosquitto_subscribe(self.client, $0)) }.first
  }

  func unsubscribe(_ filters: [String]) -> Event? {
    filters.lazy.compactMap { self.end(unsafe cmosquitto_unsubscribe(self.client, $0)) }.first
  }

  /// Says good-bye, so that the broker does not publish the last will.
  func disconnect() { _ = unsafe cmosquitto_disconnect(client) }

  /// The next thing that the broker has said; nil when there is none.
  func next() -> Event? {
    while true {
      let event = unsafe cmosquitto_next(client)
      switch cmosquitto_event_kind(UInt32(unsafe event.kind)) {
      case CMOSQUITTO_CONNECTED:
        let code = unsafe event.code
        return code == 0 ? .connected : .ended(refusal(code))
      case CMOSQUITTO_PUBLISHED:
        if let number = numbers.removeValue(forKey: Int32(unsafe event.code)) { return .acknowledged(number) }
      case CMOSQUITTO_MESSAGE:
        let topic = unsafe String(cString: event.topic)
        let payload = unsafe Array(UnsafeBufferPointer(start: event.payload, count: event.payload_count))
        return .received(MQTTMessage(topic, payload, retained: unsafe event.is_retained))
      case CMOSQUITTO_REFUSED:
        return .ended("it refuses a subscription; allow this user to read the gateway's topics")
      default: return nil
      }
    }
  }

  private func refusal(_ code: Int32) -> String {
    switch code {
    case 4, 5: "it refuses the user or the password; correct user in mqtt.toml, and the credential password"
    default:
      "it refuses the connection: "
        + (unsafe cmosquitto_refusal(code).map { unsafe String(cString: $0) } ?? "")
    }
  }
}

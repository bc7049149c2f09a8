// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeRuntime
import BrokerFeed
import CNats
import LinuxSystem
import NATSBridge

/// The connection to a server, by libnats, of which a program has one. The library connects, sends and receives in threads of
/// its own; what they report is fetched here, one by one.
@safe
struct ServerConnection: ~Copyable {
  /// What the server has to say.
  enum Event {
    case connected
    case complained(String)
    case replied(NATSReply)
    /// The connection is over: why.
    case ended(String)
  }

  struct ServerError: Error { let sentence: String }

  /// Readable when there is an event.
  let descriptor: Descriptor

  init() throws(SystemError) {
    let number = cnats_duplicate_descriptor()
    guard number >= 0 else { throw SystemError(.eventCreate) }
    descriptor = Descriptor(owning: number)
  }

  deinit { cnats_disconnect() }

  /// Begins to connect, in place of the connection that there was.
  func connect(
    _ configuration: NATSConfiguration, name: String, _ credentials: Credentials
  ) throws(ServerError) {
    let server = configuration.server
    // Holds: the library copies every string that it is passed before a call returns, and what calls return is static, or
    // lives until the thread's next call.
    cnats_disconnect()
    try unsafe check(cnats_prepare(name))
    let urls = server.urls.map { Array($0.utf8CString) }
    try unsafe check(Self.withPointers(urls) { unsafe cnats_set_servers($0, Int32(urls.count)) })
    if let user = server.user { try unsafe check(cnats_set_user(user, credentials.line("password"))) }
    if let path = credentials.path("credentials") { try unsafe check(cnats_set_credentials(path)) }
    if let key = server.publicKey {
      guard let path = credentials.path("seed") else {
        throw ServerError(sentence: "the seed of nkey is missing; write it to /etc/accessoryd/nats.seed")
      }
      try unsafe check(cnats_set_key(key, path))
    }
    if let certificates = server.certificates {
      if let words = unsafe cnats_set_certificates(
        certificates.authorities, certificates.certificate, certificates.key)
      {
        throw ServerError(
          sentence:
            "the certificates cannot be used: \(unsafe String(cString: words)); check cafile, certfile and "
            + "keyfile in nats.toml")
      }
    }
    try unsafe check(cnats_connect())
  }

  private func check(_ words: UnsafePointer<CChar>?) throws(ServerError) {
    if let words = unsafe words { throw ServerError(sentence: unsafe String(cString: words)) }
  }

  func disconnect() { cnats_disconnect() }

  /// Publishes a message; with a number, the reply to it is reported.
  func publish(_ number: Int?, _ message: NATSMessage) throws(ServerError) {
    let words = message.headers.flatMap { [Array($0.name.utf8CString), Array($0.value.utf8CString)] }
    let error = unsafe Self.withPointers(words) { headers in
      unsafe cnats_publish(
        message.subject, UInt64(number ?? 0), headers, Int32(words.count), message.payload,
        message.payload.count)
    }
    try unsafe check(error)
  }

  /// Pointers to strings, which live for the call.
  private static func withPointers<Result>(
    _ strings: [[CChar]], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
  ) -> Result {
    var pointers: [UnsafePointer<CChar>?] = unsafe []
    let all = strings.flatMap(\.self)
    return unsafe all.withUnsafeBufferPointer { buffer in
      var start = 0
      for string in strings {
        unsafe pointers.append(buffer.baseAddress.map { unsafe $0 + start })
        start += string.count
      }
      return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
    }
  }

  /// The next thing that the server has said; nil when there is none.
  func next() -> Event? {
    let event = unsafe cnats_next()
    let text = unsafe event.text.map { unsafe String(cString: $0) } ?? ""
    switch cnats_event_kind(UInt32(unsafe event.kind)) {
    case CNATS_CONNECTED: return .connected
    case CNATS_ENDED: return .ended(Self.sentence(text, isRefusal: unsafe event.status != 0))
    case CNATS_COMPLAINT: return .complained(text)
    case CNATS_REPLY:
      let payload = unsafe Array(UnsafeBufferPointer(start: event.payload, count: event.payload_count))
      return .replied(
        NATSReply(
          number: Int(truncatingIfNeeded: unsafe event.number), status: Int(unsafe event.status),
          payload: payload))
    default: return nil
    }
  }

  /// What the library says, with what to do where that is known.
  private static func sentence(_ words: String, isRefusal: Bool) -> String {
    if isRefusal {
      return
        "it refuses the user, the password or the credentials; correct user or nkey in nats.toml, and the credential"
    }
    // The library begins with a place in its own sources.
    guard words.hasPrefix("("), let end = words.firstIndex(of: ")") else { return words }
    return String(words[words.index(after: end)...].drop { $0 == ":" || $0 == " " })
  }
}

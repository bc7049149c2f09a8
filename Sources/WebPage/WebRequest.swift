// SPDX-License-Identifier: GPL-3.0-or-later

/// Names a request, until it has its reply, and the stream that may be the reply.
public struct WebRequestID: Hashable, Sendable {
  /// Where it came in.
  public let listener: Int
  public let number: UInt64

  public init(listener: Int, number: UInt64) { (self.listener, self.number) = (listener, number) }
}

/// A request of a browser, as a whole. Whatever is in it may be hostile.
public struct WebRequest: Sendable {
  public var id: WebRequestID
  public var method: String
  public var path: String
  public var host: String?
  public var origin: String?
  public var contentType: String?
  public var cookie: String?
  public var authorization: String?
  public var userAgent: String?
  public var body: [UInt8]
  /// It came by the UNIX socket, which only operators may open.
  public var isLocal = false
  /// It came by TLS.
  public var isSecure = false
  /// A header stands in it twice, is too long, or is no text.
  public var isMalformed = false
  /// Its body is longer than any that is wanted.
  public var isTooLong = false

  public init(_ id: WebRequestID, _ method: String, _ path: String, body: [UInt8] = []) {
    (self.id, self.method, self.path, self.body) = (id, method, path, body)
  }

  /// The value of a cookie; nil when it is not there.
  func cookie(named name: String) -> String? {
    for pair in cookie?.split(separator: ";") ?? [] {
      let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
      if parts.count == 2, parts[0] == name { return String(parts[1]) }
    }
    return nil
  }
}

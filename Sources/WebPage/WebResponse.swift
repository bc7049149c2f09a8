// SPDX-License-Identifier: GPL-3.0-or-later

public import JSON

/// A reply to a browser.
public struct WebResponse: Equatable, Sendable {
  public enum Status: Int, Sendable {
    case good = 200
    case malformed = 400
    case unauthorized
    case forbidden = 403
    case notFound
    case otherMethod
    case conflict = 409
    case tooLong = 413
    case otherHost = 421
    case tooMany = 429
    case failed = 502
    case unavailable
  }

  public let status: Status
  /// Lines "name: value", each with its end.
  public let head: String
  public let body: [UInt8]

  /// For every reply: what the page may load, and in whose frame it may stand.
  private static func security(framedBy origin: String?) -> String {
    """
    Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; \
    base-uri 'none'; form-action 'none'; frame-ancestors \(origin ?? "'none'")
    X-Content-Type-Options: nosniff
    \(origin == nil ? "X-Frame-Options: DENY\n" : "")\
    Referrer-Policy: no-referrer
    Cross-Origin-Opener-Policy: same-origin
    Cross-Origin-Resource-Policy: same-origin
    Cache-Control: no-store

    """
  }

  /// `origin` is that of pages in whose frame the reply may stand; nil for none.
  public init(
    _ status: Status, type: String, _ body: [UInt8] = [], head: String = "", framedBy origin: String? = nil
  ) {
    self.status = status
    self.head = Self.security(framedBy: origin) + "Content-Type: \(type)\n" + head
    self.body = body
  }

  /// An object as the body.
  public static func object(
    _ status: Status = .good, head: String = "", _ members: (inout JSONWriter) -> Void = { _ in }
  ) -> Self {
    var json = JSONWriter()
    json.line(members)
    return WebResponse(status, type: "application/json", json.takeBytes(), head: head)
  }

  /// What went wrong, and what to do, as the page shows it.
  public static func refusal(_ status: Status, _ sentence: String, head: String = "") -> Self {
    object(status, head: head) { $0.member("sentence", sentence) }
  }
}

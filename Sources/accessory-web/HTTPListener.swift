// SPDX-License-Identifier: GPL-3.0-or-later

import CMicrohttpd
import LinuxSystem
import WebPage

/// A place where browsers connect: HTTP by libmicrohttpd, whose epoll lies in the loop of the program.
@safe
final class HTTPListener {
  enum ListenError: Error {
    case refused(SystemError)
    /// libmicrohttpd does not start, for example because it does not take the certificate.
    case library
  }

  /// Connections of browsers; further ones wait in the kernel.
  private static let connectionsMax: UInt32 = 64

  private let server: OpaquePointer
  private let index: Int
  private let isLocal: Bool
  private let isSecure: Bool
  /// Readable when there is something to do.
  let descriptor: Descriptor

  /// Listens at a numeric address, with a key and a certificate (PEM) by TLS.
  convenience init(
    _ index: Int, address: String, port: UInt16, identity: TLSIdentity?
  ) throws(ListenError) {
    let number = unsafe cweb_listen(address, port)
    guard number >= 0 else { throw .refused(SystemError(.listen)) }
    try self.init(index, listening: number, isLocal: false, identity)
  }

  /// Serves a socket that listens already, and lasts as long as the program.
  convenience init(_ index: Int, at socket: borrowing UnixListener) throws(ListenError) {
    try self.init(index, listening: socket.descriptor.number, isLocal: true, nil)
  }

  private init(
    _ index: Int, listening number: Int32, isLocal: Bool, _ identity: TLSIdentity?
  ) throws(ListenError) {
    // Holds: the library copies neither text before it has read it, and keeps no pointer to the certificate's text.
    let server =
      unsafe identity.map { unsafe cweb_start(number, $0.key, $0.certificate, Self.connectionsMax) }
      ?? cweb_start(number, nil, nil, Self.connectionsMax)
    guard let server = unsafe server else { throw .library }
    unsafe self.server = server
    (self.index, self.isLocal, self.isSecure) = (index, isLocal, identity != nil)
    let ready = unsafe cweb_descriptor(server)
    guard ready >= 0 else { throw .library }
    descriptor = Descriptor(owning: ready)
  }

  /// Does what is to do. Returns when it has to be called again, in milliseconds; nil for whenever something comes.
  func run() -> Int64? {
    let milliseconds = unsafe cweb_run(server)
    return milliseconds < 0 ? nil : milliseconds
  }

  func nextRequest() -> WebRequest? {
    let number = unsafe cweb_next_request(server)
    guard number != 0 else { return nil }
    var request = WebRequest(WebRequestID(listener: index, number: number), "", "")
    (request.isLocal, request.isSecure) = (isLocal, isSecure)
    var isGood = true
    func word(_ word: Int) -> String? {
      var text = [CChar](repeating: 0, count: Int(CWEB_WORD_MAX))
      // Holds: the call fills at most as many bytes.
      let count = unsafe cweb_word(server, number, Int32(word), &text, CWEB_WORD_MAX)
      guard count != -1 else { return nil }
      guard count >= 0,
        let value = String(validating: text.prefix(Int(count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
      else {
        isGood = false
        return nil
      }
      return value
    }
    request.method = word(CWEB_METHOD) ?? ""
    request.path = word(CWEB_PATH) ?? ""
    request.host = word(CWEB_HOST)
    request.origin = word(CWEB_ORIGIN)
    request.contentType = word(CWEB_CONTENT_TYPE)
    request.cookie = word(CWEB_COOKIE)
    request.authorization = word(CWEB_AUTHORIZATION)
    request.userAgent = word(CWEB_USER_AGENT)
    request.isMalformed = !isGood
    receiveBody(of: number, into: &request)
    return request
  }

  private func receiveBody(of number: UInt64, into request: inout WebRequest) {
    let count = unsafe cweb_body_count(server, number)
    guard count >= 0 else { return request.isTooLong = true }
    request.body = [UInt8](repeating: 0, count: Int(count))
    // Holds: the call fills at most as many bytes.
    unsafe cweb_body(server, number, &request.body, count)
  }

  /// The next stream that its client has left.
  func nextLeft() -> WebRequestID? {
    let number = unsafe cweb_next_left(server)
    return number == 0 ? nil : WebRequestID(listener: index, number: number)
  }

  /// Replies; a stream is open afterwards.
  func reply(_ id: WebRequestID, _ response: WebResponse, isStream: Bool = false) {
    // Holds: the call copies the text and the bytes.
    unsafe cweb_reply(
      server, id.number, UInt32(response.status.rawValue), response.head, response.body, response.body.count,
      isStream ? 1 : 0)
  }

  /// Adds bytes to a stream. Returns how many wait for its client; nil when the stream has ended.
  func send(_ id: WebRequestID, _ bytes: [UInt8]) -> Int? {
    // Holds: the call copies the bytes.
    let count = unsafe cweb_send(server, id.number, bytes, bytes.count)
    return count < 0 ? nil : Int(count)
  }

  func endStream(_ id: WebRequestID, drops: Bool = false) {
    unsafe cweb_end(server, id.number, drops ? 1 : 0)
  }
}

// SPDX-License-Identifier: GPL-3.0-or-later

import JSON
import WebPage

/// What `accessoryctl web` sends to the socket "control", and what it gets: a line of words, and an object.
enum Control {
  /// For the account and its group: only operators may open it.
  static let mode: UInt32 = 0o660
  static let commandBytesMax = 256

  static func command(_ bytes: ArraySlice<UInt8>) -> Command? {
    guard let line = String(validating: bytes, as: UTF8.self), line.hasSuffix("\n") else { return nil }
    let words = line.dropLast().split(separator: " ", maxSplits: 1)
    switch (words.first, words.dropFirst().first) {
    case ("link", let role?): return Role(rawValue: String(role)).map(Command.link)
    case ("list", nil): return .list
    case ("revoke", let name?): return .revoke(String(name))
    default: return nil
    }
  }

  static func reply(_ answer: CommandAnswer, link: String, fingerprint: String?, at now: Duration) -> [UInt8]
  {
    var json = JSONWriter()
    json.line { json in
      switch answer {
      case .code(let code):
        // Behind the mark, so that it is in no log of a proxy.
        json.member("link", "\(link)#\(code)")
        json.member("fingerprint", fingerprint)
      case .browsers(let sessions):
        json.objects("browsers", sessions) { json, session in
          json.member("name", session.name)
          json.member("role", session.role.rawValue)
          json.member("minutes", Int(session.rest(at: now).components.seconds / 60))
        }
      case .revoked(let isRevoked): json.member("isRevoked", isRevoked)
      }
    }
    return json.takeBytes()
  }
}

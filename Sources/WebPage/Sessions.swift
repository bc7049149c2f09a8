// SPDX-License-Identifier: GPL-3.0-or-later

import Values

/// A browser that has logged in.
public struct Session: Equatable, Sendable {
  /// What its cookie holds: 64 hexadecimal digits.
  let token: String
  /// Its name for operators and the log; no other session has it.
  public let name: String
  public let role: Role
  let end: Duration
}

/// Codes that log a browser in, and the browsers that are logged in. All of it is forgotten when the program ends.
///
/// Capacity: ``codesMax`` codes and ``sessionsMax`` sessions; a new one replaces the oldest.
struct Sessions {
  static let codeByteCount = 16
  static let tokenByteCount = 32
  static let codesMax = 16
  static let sessionsMax = 64
  static let codeLife = Duration.seconds(120)
  static let life = Duration.seconds(12 * 3600)
  static let cookie = "accessory_web"
  private static let wrongCodesMax = 10
  private static let wrongCodesTime = Duration.seconds(60)

  enum LoginError: Error, Equatable {
    /// There is no such code, or it was used, or it is too late.
    case unknownCode
    /// Too many wrong codes have come within a minute.
    case paused
  }

  private struct Code {
    let text: String
    let role: Role
    let end: Duration
  }

  private var codes: [Code] = []
  private(set) var all: [Session] = []
  private var wrongTimes: [Duration] = []

  /// Makes a code, which is good once. `entropy` are ``codeByteCount`` random bytes.
  mutating func issueCode(for role: Role, _ entropy: [UInt8], at now: Duration) -> String {
    precondition(entropy.count == Self.codeByteCount, "a code has 128 bits")
    let code = Hex(entropy).text
    codes.removeAll { $0.end <= now }
    if codes.count == Self.codesMax { codes.removeFirst() }
    codes.append(Code(text: code, role: role, end: now + Self.codeLife))
    return code
  }

  /// Uses a code up, for a browser whose name begins with `name`. `entropy` are ``tokenByteCount`` random bytes.
  mutating func logIn(
    _ code: String, as name: String, _ entropy: [UInt8], at now: Duration
  ) throws(LoginError) -> Session {
    precondition(entropy.count == Self.tokenByteCount, "a token has 256 bits")
    wrongTimes.removeAll { $0 + Self.wrongCodesTime <= now }
    guard wrongTimes.count < Self.wrongCodesMax else { throw .paused }
    codes.removeAll { $0.end <= now }
    guard let place = codes.firstIndex(where: { Self.isSame($0.text, code) }) else {
      wrongTimes.append(now)
      throw .unknownCode
    }
    let role = codes.remove(at: place).role
    all.removeAll { $0.end <= now }
    if all.count == Self.sessionsMax { all.removeFirst() }
    let session = Session(
      token: Hex(entropy).text, name: freeName(name), role: role, end: now + Self.life)
    all.append(session)
    return session
  }

  private func freeName(_ name: String) -> String {
    var (candidate, number) = (name, 1)
    while all.contains(where: { $0.name == candidate }) {
      number += 1
      candidate = "\(name) \(number)"
    }
    return candidate
  }

  func session(of request: WebRequest, at now: Duration) -> Session? {
    guard let token = request.cookie(named: Self.cookie) else { return nil }
    return all.first { $0.end > now && Self.isSame($0.token, token) }
  }

  /// Ends the session of a name. Returns whether there was one.
  mutating func revoke(_ name: String) -> Session? {
    guard let place = all.firstIndex(where: { $0.name == name }) else { return nil }
    return all.remove(at: place)
  }

  /// Ends the sessions whose time is over, and returns them.
  mutating func expire(at now: Duration) -> [Session] {
    let over = all.filter { $0.end <= now }
    if !over.isEmpty { all.removeAll { $0.end <= now } }
    return over
  }

  /// Compares secrets in a time that does not depend on where they differ.
  static func isSame(_ one: String, _ other: String) -> Bool {
    let (one, other) = (Array(one.utf8), Array(other.utf8))
    guard one.count == other.count else { return false }
    return zip(one, other).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

/// The name of a browser, from what it says about itself. Only words of these lists are used.
enum BrowserName {
  private static let programs = [
    ("Firefox", "Firefox"), ("Edg/", "Edge"), ("OPR/", "Opera"), ("Chrome", "Chrome"), ("Safari", "Safari"),
  ]
  private static let systems = [
    ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"),
    ("Mac OS X", "Mac"), ("Linux", "Linux"),
  ]

  static func name(for userAgent: String?) -> String {
    let text = userAgent ?? ""
    let program = programs.first { text.containsText($0.0) }?.1 ?? "Browser"
    return systems.first { text.containsText($0.0) }.map { "\(program) on \($0.1)" } ?? program
  }
}

extension String {
  fileprivate func containsText(_ other: String) -> Bool {
    let (bytes, wanted) = (Array(utf8), Array(other.utf8))
    guard bytes.count >= wanted.count else { return false }
    return (0...bytes.count - wanted.count).contains { bytes[$0..<($0 + wanted.count)].elementsEqual(wanted) }
  }
}

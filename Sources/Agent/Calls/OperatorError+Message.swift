// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import Registry
import Setup
import Varlink

/// The errors of ``OperatorInterface``. A failure that an app gets too is an error of ``SessionInterface``.
extension OperatorError {
  /// Candidates in one reply, and characters of each: as many as an id has.
  private static let listedMax = 32
  private static let candidateCharactersMax = 64

  private var name: OperatorErrorName {
    switch self {
    case .failure: .setupFailed
    case .requestClosed: .requestClosed
    case .notFound: .notFound
    case .invalid: .invalid
    case .setupFailed: .setupFailed
    case .registry: .registryUnavailable
    case .busy: .busy
    case .notDisconnected: .notDisconnected
    }
  }

  /// The message that refuses a call.
  var message: [UInt8] {
    if case .failure(let failure) = self { return failure.message }
    return Message.error(name.rawValue) { json in
      switch self {
      case .failure: break
      case .requestClosed(let request): json.member("request", GatewayError.cut(request))
      case .busy(let request): json.member("request", request.text)
      case .notDisconnected(let accessory, let reason):
        json.member("accessory", accessory.text)
        json.member("reason", reason.rawValue)
      case .notFound(let kind, let name, let candidates):
        json.member("kind", kind.rawValue)
        json.member("name", GatewayError.cut(name))
        json.member("candidates", candidates.prefix(Self.listedMax).map(Self.cutCandidate))
      case .invalid(let field, let reason):
        json.member("field", GatewayError.cut(field))
        json.member("reason", GatewayError.cut(reason))
      case .setupFailed(let failure):
        json.member("failure", failure.code.name)
        json.member("reason", GatewayError.cut(failure.reason))
        json.member("cure", GatewayError.cut(failure.cure))
      case .registry(let sentence): json.member("sentence", GatewayError.cut(sentence))
      }
    }
  }

  private static func cutCandidate(_ text: String) -> String {
    String(text.unicodeScalars.prefix(candidateCharactersMax))
  }
}

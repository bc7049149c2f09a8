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

  /// The message that refuses a call.
  var message: [UInt8] {
    switch self {
    case .failure(let failure): failure.message
    case .requestClosed(let request):
      Self.message(.requestClosed) { $0.member("request", GatewayError.cut(request)) }
    case .busy(let request): Self.message(.busy) { $0.member("request", request.text) }
    case .notDisconnected(let accessory, let reason):
      Self.message(.notDisconnected) { json in
        json.member("accessory", accessory.text)
        json.member("reason", reason.rawValue)
      }
    case .notFound(let kind, let name, let candidates):
      Self.message(.notFound) { json in
        json.member("kind", kind.rawValue)
        json.member("name", GatewayError.cut(name))
        json.member("candidates", candidates.prefix(Self.listedMax).map(Self.cutCandidate))
      }
    case .invalid(let field, let reason):
      Self.message(.invalid) { json in
        json.member("field", GatewayError.cut(field))
        json.member("reason", GatewayError.cut(reason))
      }
    case .setupFailed(let failure):
      Self.message(.setupFailed) { json in
        json.member("failure", failure.code.name)
        json.member("reason", GatewayError.cut(failure.reason))
        json.member("cure", GatewayError.cut(failure.cure))
      }
    case .registry(let sentence):
      Self.message(.registryUnavailable) { $0.member("sentence", GatewayError.cut(sentence)) }
    }
  }

  private static func message(
    _ name: OperatorErrorName, _ parameters: (inout JSONWriter) -> Void
  ) -> [UInt8] { Message.error(name.rawValue, parameters) }

  private static func cutCandidate(_ text: String) -> String {
    String(text.unicodeScalars.prefix(candidateCharactersMax))
  }
}

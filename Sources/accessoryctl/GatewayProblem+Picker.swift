// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import PickerScreen
import Varlink

extension GatewayProblem {
  /// What became of an action that a person decided on.
  func answer(at path: String) -> PickerAnswer {
    guard case .refused(let reply) = self else { return said(path) }
    switch reply.error.flatMap(OperatorErrorName.init) {
    case .requestClosed: return .closed
    case .setupFailed:
      let refusal = Refusal(reply.parameters)
      let cure = refusal.word("cure") ?? ""
      return .failed(refusal.sentence("reason"), cure: cure.isEmpty ? nil : cure)
    case .notFound, .invalid, .registryUnavailable, .busy, nil: return said(path)
    }
  }

  private func said(_ path: String) -> PickerAnswer {
    .failed(failure(at: path).sentence ?? "the agent did not answer", cure: nil)
  }
}

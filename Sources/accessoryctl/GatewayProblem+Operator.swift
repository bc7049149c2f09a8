// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import PickerScreen
import Varlink

extension GatewayProblem {
  /// What the errors of `io.accessoryd.Operator` mean to who asked; nil for any other.
  static func pickerRefusal(_ reply: ReceivedReply) -> Failure? {
    let parameters = Refusal(reply.parameters)
    switch reply.error.flatMap(OperatorErrorName.init) {
    case .requestClosed:
      return .sentence(
        "the request is over: somebody else answered it, or it ended by itself; accessoryctl pick shows what "
          + "waits", .no)
    case .notFound: return notFound(parameters)
    case .invalid:
      return .sentence(
        "\(parameters.text("field")) is not acceptable: \(parameters.sentence("reason"))", .usage)
    case .setupFailed:
      return .sentence(
        "the accessory was not set up (\(parameters.text("failure"))): \(parameters.sentence("reason")); "
          + parameters.sentence("cure"), .no)
    case .registryUnavailable:
      return .registryUnavailable(parameters.word("sentence"))
    case .busy:
      return .sentence(
        "the app has an open request already (\(parameters.text("request"))); answer it with accessoryctl pick, "
          + "or wait until it ends", .temporaryFailure)
    case nil: return nil
    }
  }

  /// Apps and items are the manifest's, and a wrong name is a wrong command line; the others come and go.
  private static func notFound(_ parameters: Refusal) -> Failure {
    let name = parameters.word("name").map(quoted) ?? "it"
    let known = parameters.texts("candidates")
    switch parameters.word("kind") {
    case "app": return .unknown("the manifest has no app \(name)", known: known, .usage)
    case "item": return .unknown("the manifest has no item \(name)", known: known, .usage)
    case "accessory": return .unknown("there is no accessory \(name) any more", known: known, .no)
    case "device": return .unknown("\(name) was not removed from the app", known: known, .no)
    case "candidate": return .unknown("there is no candidate \(name) any more", known: known, .no)
    case _: return .unknown("the agent does not know \(name)", known: known, .no)
    }
  }
}

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

// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import PickerScreen
import Varlink
import VarlinkClient

extension AgentCallError {
  /// The sentence for an error of `io.accessoryd.Operator`; nil for any other.
  static func operatorError(_ reply: ReceivedReply) -> ToolError? {
    let parameters = ErrorParameters(reply.parameters)
    switch reply.error.flatMap(OperatorErrorName.init) {
    case .requestClosed:
      return .sentence(
        "the request is over: another operator answered it, or it ended by itself; accessoryctl pick shows the "
          + "open requests", .no)
    case .notFound: return notFound(parameters)
    case .invalid where parameters.text("field") == "request":
      return .sentence("the request is not at that point: \(parameters.sentence("reason"))", .no)
    case .invalid:
      return .sentence(
        "\(option(ofField: parameters.text("field"))) is not acceptable: \(parameters.sentence("reason"))",
        .usage)
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
    case .notDisconnected where parameters.word("reason") == "refused":
      return .sentence(
        "the kernel did not end the connection in time; try again, and read accessoryctl status",
        .temporaryFailure)
    case .notDisconnected:
      return .sentence("the accessory is not connected; accessoryctl list shows which ones are", .no)
    case nil: return nil
    }
  }

  /// The option of `pick` that gives a parameter; otherwise the parameter.
  private static func option(ofField field: String) -> String {
    switch field {
    case "network", "count": "--\(field)"
    case "usesTouch": "--touch"
    case "takesFirstImmediate": "--first-immediate"
    case "items": "--item"
    case _: field
    }
  }

  private static func notFound(_ parameters: ErrorParameters) -> ToolError {
    let word = parameters.word("name")
    let name = word.map(quoted) ?? "it"
    let reason =
      switch parameters.word("kind") {
      case "app": "the manifest has no app \(name)"
      case "item": "the manifest has no item \(name)"
      case "accessory": "there is no accessory \(name) any more"
      case "device": "\(name) was not removed from the app"
      case "candidate": "there is no candidate \(name) any more"
      case _: "the agent does not know \(name)"
      }
    return .unknown(word, reason, known: parameters.texts("candidates"))
  }
}

extension AgentCallError {
  /// The result of an action, for the picker.
  func answer(at path: String) -> PickerAnswer {
    guard case .refused(let reply) = self else { return failed(path) }
    switch reply.error.flatMap(OperatorErrorName.init) {
    case .requestClosed: return .closed
    case .setupFailed:
      let parameters = ErrorParameters(reply.parameters)
      let cure = parameters.word("cure") ?? ""
      return .failed(parameters.sentence("reason"), cure: cure.isEmpty ? nil : cure)
    case .notFound, .invalid, .registryUnavailable, .busy, .notDisconnected, nil: return failed(path)
    }
  }

  private func failed(_ path: String) -> PickerAnswer {
    .failed(toolError(at: path).sentence ?? "the agent did not answer", cure: nil)
  }
}

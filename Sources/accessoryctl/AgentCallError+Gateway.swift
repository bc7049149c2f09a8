// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Varlink
import VarlinkClient

extension AgentCallError {
  /// The sentence for an error that the agent replied with.
  static func refused(_ reply: ReceivedReply) -> ToolError {
    if let error = operatorError(reply) { return error }
    let parameters = ErrorParameters(reply.parameters)
    switch reply.error {
    case GatewayErrorName.deviceNotInSight.rawValue:
      return .sentence(
        "\(parameters.text("device")) is not in sight; accessoryctl sightings --all lists what is", .no)
    case GatewayErrorName.itemNotFound.rawValue:
      return .unknownItem(parameters.text("item"), known: parameters.texts("items"), isAmbiguous: false)
    case GatewayErrorName.itemAmbiguous.rawValue:
      return .unknownItem(parameters.text("item"), known: parameters.texts("items"), isAmbiguous: true)
    case GatewayErrorName.busy.rawValue:
      return .sentence(
        "the agent allows \(parameters.number("limit")) of these at a time, and all are in use; "
          + "end one, or try again later", .temporaryFailure)
    case GatewayErrorName.tooManyConnections.rawValue:
      let isOfUser = parameters.text("of") == "user"
      let whose = isOfUser ? "your account" : "all programs together"
      let key = isOfUser ? "connections-per-user" : "connections"
      return .sentence(
        "\(whose) may have \(parameters.number("limit")) connections to the agent, and all are in use; "
          + "end a program, or raise \(key) in the manifest's [limits]", .temporaryFailure)
    case "org.varlink.service.PermissionDenied":
      guard parameters.word("reason") != nil else { return permission }
      return .sentence(
        "\(parameters.sentence("reason")); \(parameters.sentence("cure", or: "ask root"))", .noPermission)
    case "org.varlink.service.InvalidParameter":
      return .sentence(
        "the agent does not accept the value of \(parameters.text("parameter")); see --help", .usage)
    case "org.varlink.service.InterfaceNotFound", "org.varlink.service.MethodNotFound",
      "org.varlink.service.MethodNotImplemented", "org.varlink.service.ExpectedMore":
      return .sentence(
        "the agent does not know this call; use the tool and the agent of one version", .protocolError)
    case let other:
      return .sentence("the agent refused: \(shown(other ?? "without a name"))", .protocolError)
    }
  }
}

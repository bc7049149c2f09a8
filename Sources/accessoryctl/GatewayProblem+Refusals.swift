// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Varlink

extension GatewayProblem {
  /// What the agent's errors mean to who asked.
  static func refused(_ reply: ReceivedReply) -> Failure {
    if let failure = pickerRefusal(reply) { return failure }
    let parameters = Refusal(reply.parameters)
    switch reply.error {
    case GatewayErrorName.deviceNotInSight.rawValue:
      return .sentence(
        "\(parameters.text("device")) is not in sight; accessoryctl sightings --all lists what is", .no)
    case GatewayErrorName.notRecognisable.rawValue:
      return .sentence(
        "\(parameters.text("device")) names neither a company nor a service; no item can find it", .no)
    case GatewayErrorName.itemNotFound.rawValue:
      return .unknownItem(parameters.text("item"), known: parameters.texts("items"), isAmbiguous: false)
    case GatewayErrorName.itemAmbiguous.rawValue:
      return .unknownItem(parameters.text("item"), known: parameters.texts("items"), isAmbiguous: true)
    case GatewayErrorName.busy.rawValue:
      return .sentence(
        "as many of these are going on as the agent allows (\(parameters.number("limit"))); "
          + "end one, or try again later", .temporaryFailure)
    case "org.varlink.service.PermissionDenied": return permission
    case "org.varlink.service.InvalidParameter":
      return .sentence(
        "the agent does not take \(parameters.text("parameter")) as it was given; see --help", .usage)
    case "org.varlink.service.InterfaceNotFound", "org.varlink.service.MethodNotFound",
      "org.varlink.service.MethodNotImplemented", "org.varlink.service.ExpectedMore":
      return .sentence(
        "what answers there cannot do this; use tool and agent of one version", .protocolError)
    case let other:
      return .sentence("the agent refused: \(shown(other ?? "without a name"))", .protocolError)
    }
  }
}

// SPDX-License-Identifier: GPL-3.0-or-later

import Varlink

extension GatewayProblem {
  /// What the agent's errors mean to who asked.
  static func refused(_ reply: ReceivedReply) -> Failure {
    if let failure = pickerRefusal(reply) { return failure }
    let parameters = Refusal(reply.parameters)
    switch reply.error {
    case "io.accessoryd.Gateway.DeviceNotInSight":
      return .sentence(
        "\(parameters.text("device")) is not in sight; accessoryctl sightings --all lists what is", .no)
    case "io.accessoryd.Gateway.NotRecognisable":
      return .sentence(
        "\(parameters.text("device")) names neither a company nor a service; no item can find it", .no)
    case "io.accessoryd.Gateway.ItemNotFound":
      return .unknownItem(parameters.text("item"), known: parameters.texts("items"), isAmbiguous: false)
    case "io.accessoryd.Gateway.ItemAmbiguous":
      return .unknownItem(parameters.text("item"), known: parameters.texts("items"), isAmbiguous: true)
    case "io.accessoryd.Gateway.Busy":
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

// SPDX-License-Identifier: GPL-3.0-or-later

/// Decides whether a request is served: by its route, the host that it names, where it comes from, and its session.
struct Admission {
  enum Answer: Equatable {
    case served(Route, Session?)
    case refused(WebResponse)
  }

  /// The hosts that a request may name, in lower case. Any other name may lead here by a trick of DNS; a number leads nowhere
  /// else, so that `*` and a port stand for every numeric address.
  let hosts: Set<String>
  /// What a program that reads metrics shows; nil for none.
  var metricsToken: String?

  func answer(_ request: WebRequest, _ sessions: Sessions, at now: Duration) -> Answer {
    if request.isMalformed { return .refused(.refusal(.malformed, "The request is malformed.")) }
    guard let host = request.host?.lowercased(), isKnown(host) else {
      return .refused(
        .refusal(
          .otherHost,
          "This page has another name. Open it by the link that accessoryctl web prints, "
            + "or start accessory-web with --host NAME."))
    }
    if request.isTooLong { return .refused(.refusal(.tooLong, "The request is too long.")) }
    guard let route = Route(request.method, request.path) else {
      return .refused(Self.withoutRoute(request))
    }
    guard isOwn(request, host, mustSay: request.method == "POST") else {
      return .refused(.refusal(.forbidden, "The request comes from another page."))
    }
    return admit(request, to: route, sessions.session(of: request, at: now))
  }

  private func isKnown(_ host: String) -> Bool {
    guard !hosts.contains(host), let colon = host.lastIndex(of: ":") else { return hosts.contains(host) }
    let address = host[..<colon]
    let isNumeric =
      address.hasPrefix("[") && address.hasSuffix("]")
      ? address.dropFirst().dropLast().allSatisfy { $0 == ":" || $0 == "." || $0.isHexDigit }
      : address.allSatisfy { $0 == "." || $0.isNumber } && address.count { $0 == "." } == 3
    return isNumeric && hosts.contains("*\(host[colon...])")
  }

  private static func withoutRoute(_ request: WebRequest) -> WebResponse {
    let methods = Route.methods(of: request.path)
    guard !methods.isEmpty else { return .refusal(.notFound, "There is nothing here.") }
    return .refusal(
      .otherMethod, "This is asked for in another way.", head: "Allow: \(methods.joined(separator: ", "))\n")
  }

  /// Whether the page itself sends the request. Other pages cannot send JSON without asking first.
  private func isOwn(_ request: WebRequest, _ host: String, mustSay: Bool) -> Bool {
    guard let origin = request.origin?.lowercased() else { return !mustSay }
    guard origin == "https://\(host)" || origin == "http://\(host)" && !request.isSecure else { return false }
    return !mustSay || request.contentType == "application/json"
  }

  private func admit(_ request: WebRequest, to route: Route, _ session: Session?) -> Answer {
    switch route.need {
    case .nothing: return .served(route, session)
    case .metricsToken:
      let isShown = metricsToken.map { Sessions.isSame("Bearer \($0)", request.authorization ?? "") } ?? false
      guard request.isLocal || isShown else {
        return .refused(
          .refusal(.unauthorized, "Metrics need the token of --metrics-token, or the UNIX socket."))
      }
      return .served(route, nil)
    case .role(let role):
      guard let session else {
        return .refused(.refusal(.unauthorized, "You are not logged in. Ask for a link: accessoryctl web"))
      }
      guard session.role.includes(role) else {
        return .refused(
          .refusal(
            .forbidden, "You may look, not change. Ask for an operator's link: accessoryctl web"))
      }
      return .served(route, session)
    }
  }
}

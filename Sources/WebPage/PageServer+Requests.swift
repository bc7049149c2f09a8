// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON

/// What an operator asks for at this machine, with `accessoryctl web`.
public enum Command: Equatable, Sendable {
  /// A code that logs a browser in.
  case link(Role)
  case list
  case revoke(String)
}

/// Names a command until it is answered.
public struct CommandID: Hashable, Sendable {
  public let number: UInt64
  public init(_ number: UInt64) { self.number = number }
}

public enum CommandAnswer: Equatable, Sendable {
  case code(String)
  case browsers([Session])
  /// Whether there was a browser of the name.
  case revoked(Bool)
}

extension PageServer {
  mutating func receive(_ request: WebRequest) {
    switch admission.answer(request, sessions, at: now) {
    case .refused(let response): respond(request, response)
    case .served(let route, let session): serve(request, route, session)
    }
  }

  private mutating func serve(_ request: WebRequest, _ route: Route, _ session: Session?) {
    switch route {
    case .page, .style, .script, .screens: return effects.append(.file(request.id, route))
    case .login: return logIn(request)
    case .metrics: return sendMetrics(request)
    default: break
    }
    guard let session else { preconditionFailure("every other route needs a session") }
    switch route {
    case .logout: logOut(request, session)
    case .events: openTab(request, session, wantsDevices: false)
    case .deviceEvents: openTab(request, session, wantsDevices: true)
    case .manifest: effects.append(.manifest(request.id))
    case .registry: sendRegistry(request)
    case .items: sendItems(request)
    default: serve(request, route, session, body: request.body)
    }
  }

  private mutating func serve(_ request: WebRequest, _ route: Route, _ session: Session, body: [UInt8]) {
    guard case .object(let object)? = try? JSONReader.read(body.span) else {
      return respond(request, .refusal(.malformed, "The request's body is no JSON object."))
    }
    let reader = JSONObjectReader(object)
    do throws(JSONMemberError) {
      switch route {
      case .explain: try explain(request, reader)
      case .history: try sendHistory(request, reader)
      case .suggest: try suggest(request, reader)
      case .record: try record(request, reader, session)
      case .check: try checkDraft(request, reader, keeps: nil)
      case .draft: try checkDraft(request, reader, keeps: session)
      default: try change(request, route, reader, session)
      }
    } catch {
      respond(request, .refusal(.malformed, "The request's member \(error.path) is missing or wrong."))
    }
  }

  // MARK: - Login

  private mutating func logIn(_ request: WebRequest) {
    guard case .object(let object)? = try? JSONReader.read(request.body.span),
      let code = try? JSONObjectReader(object).stringIfPresent("code")
    else { return respond(request, .refusal(.malformed, "The request has no code.")) }
    do throws(Sessions.LoginError) {
      let session = try sessions.logIn(
        code, as: BrowserName.name(for: request.userAgent), entropy(Sessions.tokenByteCount), at: now)
      effects.append(.log(.loggedIn(name: session.name, role: session.role)))
      respond(
        request,
        .object(head: cookie(session.token, seconds: Sessions.life.components.seconds, request)) {
          $0.member("name", session.name)
        })
    } catch {
      effects.append(.log(.wrongCode(isPaused: error == .paused)))
      respond(
        request,
        error == .paused
          ? .refusal(
            .tooMany,
            "Too many wrong codes have come. Wait a minute, and ask for a new link: accessoryctl web")
          : .refusal(
            .unauthorized,
            "This link was used, or is older than two minutes. Ask for a new one: accessoryctl web"))
    }
  }

  private func cookie(_ token: String, seconds: Int64, _ request: WebRequest) -> String {
    "Set-Cookie: \(Sessions.cookie)=\(token); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict"
      // A proxy in front speaks TLS where its page does.
      + (request.isSecure || request.origin?.hasPrefix("https:") == true ? "; Secure\n" : "\n")
  }

  private mutating func logOut(_ request: WebRequest, _ session: Session) {
    end(session)
    respond(request, .object(head: cookie("", seconds: 0, request)))
  }

  private mutating func end(_ session: Session) {
    _ = sessions.revoke(session.name)
    endTabs(of: session)
    effects.append(.log(.loggedOut(name: session.name)))
  }

  // MARK: - Commands

  mutating func answer(_ command: Command, _ id: CommandID) {
    switch command {
    case .link(let role):
      effects.append(
        .answer(id, .code(sessions.issueCode(for: role, entropy(Sessions.codeByteCount), at: now))))
    case .list: effects.append(.answer(id, .browsers(sessions.all.filter { $0.end > now })))
    case .revoke(let name):
      let session = sessions.all.first { $0.name == name }
      if let session { end(session) }
      effects.append(.answer(id, .revoked(session != nil)))
    }
  }
}

extension Session {
  /// For how long it is still good.
  public func rest(at now: Duration) -> Duration { end - now }
}

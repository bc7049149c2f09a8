// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import LinuxSystem
import Manifest
import ManifestFormat
import ToolText

/// The account of a new app, on the command line.
struct AppAccountOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The account that a new app runs as. One that does not exist is created.", valueName: "account"))
  var user: String?

  @Option(help: ArgumentHelp("The group whose members may act as a new app.", valueName: "group"))
  var group: String?

  func validate() throws {
    if user != nil, group != nil { throw ValidationError("--user and --group exclude each other") }
    for (option, word) in [("--user", user), ("--group", group)] { try Self.validate(word, of: option) }
  }

  static func validate(_ name: String?, of option: String) throws {
    guard let name, name.isEmpty || !name.isAccountName else { return }
    throw ValidationError("\(option) takes the name of an account, at most 32 characters without blanks")
  }

  var given: App.Account? { user.map(App.Account.user) ?? group.map(App.Account.group) }
}

/// The account of an app that may be new in the manifest, and may have to be created.
struct AppAccount {
  let account: App.Account
  /// Its name, if it does not exist yet.
  let newUser: String?

  /// Asks for an account that neither the manifest nor the options name. `standard` is what an empty answer means, and
  /// what is taken without a terminal.
  init(
    of app: String, in manifest: GatewayManifest, _ options: AppAccountOptions, _ dialogue: SetupDialogue,
    default standard: String?
  ) throws(ToolError) {
    if let known = manifest.apps.first(where: { $0.name == app })?.account {
      guard options.given == nil || options.given == known else {
        throw .sentence(
          "the manifest gives the app \(quoted(app)) another account; leave out --user and --group, or edit the manifest",
          .usage)
      }
      account = known
    } else if let given = options.given {
      account = given
    } else {
      account = .user(
        try dialogue.ask(
          "Which account does the app run as? It is created if there is none.", [], default: standard,
          option: "--user or --group"
        ) { $0.isAccountName ? nil : "write the name of an account, at most 32 characters without blanks" })
    }
    newUser = try Self.newUser(account)
  }

  private static func newUser(_ account: App.Account) throws(ToolError) -> String? {
    switch account {
    case .user(let name):
      guard Accounts.user(named: name) == .unknown else { return nil }
      guard name.isNewAccountName else {
        throw .sentence(
          "there is no account \(quoted(name)), and none is created with such a name; give one of small letters, digits, "
            + "- and _ with --user, or create it yourself", .usage)
      }
      return name
    case .group(let name):
      guard Accounts.group(named: name) == .unknown else { return nil }
      throw .sentence(
        "there is no group \(quoted(name)); create it (groupadd), or give an account with --user", .usage)
    }
  }

  func create() throws(ToolError) {
    guard let newUser else { return }
    try AgentService.run(
      ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", newUser],
      cure: "create the account yourself, or give another one with --user")
  }

  /// After a later step has failed.
  func sayThatItStays() {
    if let newUser { StandardError.say("the account \(shown(newUser)) was created and stays") }
  }
}

extension String {
  /// Whether it is a name for an account that is created, as every Debian's tools take it: `[a-z_][a-z0-9_-]{0,31}`.
  fileprivate var isNewAccountName: Bool {
    let isFirst = { (byte: UInt8) in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || byte == UInt8(ascii: "_")
    }
    return (1...32).contains(utf8.count) && utf8.first.map(isFirst) == true
      && utf8.allSatisfy {
        isFirst($0) || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: "-")
      }
  }
}

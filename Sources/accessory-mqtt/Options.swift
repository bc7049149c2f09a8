// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeRuntime
import LinuxSystem

/// The command line of `accessory-mqtt`.
struct Options: BridgeOptions {
  enum Command: String {
    case run, check
  }

  enum Name {
    case config, socket, state
  }

  static let options: [(name: Name, option: CommandLineOptions.Option)] = [
    (.config, .init("config", takesValue: true)),
    (.socket, .init("socket", takesValue: true)),
    (.state, .init("state", takesValue: true)),
  ]

  private(set) var command = Command.run
  private(set) var config = "/etc/accessoryd/mqtt.toml"
  private(set) var socket = "/run/accessoryd/io.accessoryd"
  /// The folder with the position in the events.
  private(set) var state = Environment.value(of: "STATE_DIRECTORY") ?? "/var/lib/accessory-mqtt"
  /// The folder with the password; nil without one.
  let credentials = Environment.value(of: "CREDENTIALS_DIRECTORY")

  mutating func set(_ name: Name, _ value: String) {
    switch name {
    case .config: config = value
    case .socket: socket = value
    case .state: state = value
    }
  }

  mutating func finish(_ word: String?) throws(ProgramError) {
    guard let word else { return }
    guard let command = Command(rawValue: word) else {
      throw .usage("there is no command \(word); there are run and check")
    }
    self.command = command
  }

  static let help = """
    usage: accessory-mqtt [run | check] [--config FILE] [--socket PATH] [--state FOLDER]

    Publishes the accessories of this gateway, their values and their events to a broker of MQTT, each event exactly once
    for readers that remove doubles by gateway, epoch and sequence. The manifest of accessoryd says in [bridge.NAME] what
    it may see and do. The command run serves the broker; it is what the service does. The command check reads the
    configuration, and says what is wrong with it.

      --config FILE   the configuration; /etc/accessoryd/mqtt.toml
      --socket PATH   the agent's socket
      --state FOLDER  where the position in the events is
      --version       print the version
      --help          print this text

    SIGHUP reads the configuration again. SIGTERM or Ctrl-C ends it. Exit status: 0, or as in sysexits.h: 64 usage, 65 a
    configuration with errors, 66 no configuration, 71 the system refused a call, 77 the configuration may not be read.

    """
}

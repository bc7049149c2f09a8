// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeRuntime
import LinuxSystem

/// The command line of `accessory-nats`.
struct Options: BridgeOptions {
  enum Command: String {
    case run, check
  }

  enum Name {
    case config, socket
  }

  static let options: [(name: Name, option: CommandLineOptions.Option)] = [
    (.config, .init("config", takesValue: true)),
    (.socket, .init("socket", takesValue: true)),
  ]

  private(set) var command = Command.run
  private(set) var config = "/etc/accessoryd/nats.toml"
  private(set) var socket = "/run/accessoryd/io.accessoryd"
  /// The folder with the password or the keys; nil without any.
  let credentials = Environment.value(of: "CREDENTIALS_DIRECTORY")

  mutating func set(_ name: Name, _ value: String) {
    switch name {
    case .config: config = value
    case .socket: socket = value
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
    usage: accessory-nats [run | check] [--config FILE] [--socket PATH]

    Publishes the events of this gateway to a stream of NATS JetStream, each event exactly once: the stream's last message
    says where a bridge goes on, and the stream refuses doubles by gateway, epoch and sequence. The manifest of accessoryd
    says in [bridge.NAME] what it may see. The command run serves the stream; it is what the service does. The command check
    reads the configuration, and says what is wrong with it.

      --config FILE   the configuration; /etc/accessoryd/nats.toml
      --socket PATH   the agent's socket
      --version       print the version
      --help          print this text

    SIGHUP reads the configuration again. SIGTERM or Ctrl-C ends it. Exit status: 0, or as in sysexits.h: 64 usage, 65 a
    configuration with errors, 66 no configuration, 71 the system refused a call, 77 the configuration may not be read.

    """
}

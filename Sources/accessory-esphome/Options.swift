// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeRuntime
import LinuxSystem
import Values

/// The command line of `accessory-esphome`.
struct Options: BridgeOptions {
  enum Command: String {
    case run, key, enrol
  }

  enum Name {
    case socket, state, runtime, port, name, plaintext
  }

  static let options: [(name: Name, option: CommandLineOptions.Option)] = [
    (.socket, .init("socket", takesValue: true)),
    (.state, .init("state", takesValue: true)),
    (.runtime, .init("runtime", takesValue: true)),
    (.port, .init("port", takesValue: true)),
    (.name, .init("name", takesValue: true)),
    (.plaintext, .init("plaintext", takesValue: false)),
  ]

  /// Clients keep no longer name.
  private static let nameBytesMax = 63

  private(set) var command = Command.run
  private(set) var socket = "/run/accessoryd/io.accessoryd"
  /// The folder with the key.
  private(set) var state = Environment.value(of: "STATE_DIRECTORY") ?? "/var/lib/accessory-esphome"
  /// The folder with the socket of the commands.
  private(set) var runtime = Environment.value(of: "RUNTIME_DIRECTORY") ?? "/run/accessory-esphome"
  private(set) var port: UInt16 = 6053
  private(set) var name: String?
  private(set) var isPlaintext = false

  var keyPath: String { "\(state)/key" }
  var controlPath: String { "\(runtime)/control" }

  mutating func set(_ name: Name, _ value: String) throws(ProgramError) {
    switch name {
    case .socket: socket = value
    case .state: state = value
    case .runtime: runtime = value
    case .port:
      guard let port = UInt16(value), port > 0 else { throw .usage("a port is a number from 1 to 65535") }
      self.port = port
    case .name:
      guard (1...Self.nameBytesMax).contains(value.utf8.count),
        !value.unicodeScalars.contains(where: \.isInvisible)
      else { throw .usage("a name is 1 to \(Self.nameBytesMax) bytes of printable characters") }
      self.name = value
    case .plaintext: isPlaintext = true
    }
  }

  mutating func finish(_ word: String?) throws(ProgramError) {
    guard let word else { return }
    guard let command = Command(rawValue: word) else {
      throw .usage("there is no command \(word); there are run, key and enrol")
    }
    self.command = command
  }

  static let help = """
    usage: accessory-esphome [run | key | enrol] [--port N] [--name NAME] [--plaintext] [--socket PATH]
      [--state FOLDER] [--runtime FOLDER]

    Lets Home Assistant use this accessory gateway as an ESPHome Bluetooth proxy: it gets what the gateway's accessories
    send, and sets accessories up. The manifest of accessoryd says in [bridge.NAME] what it may see and do. The command
    run serves Home Assistant; it is what the service does. The command key prints the key that Home Assistant asks for,
    as text, and on a terminal as a QR code. The command enrol lets Home Assistant give the gateway its own key, for ten
    minutes.

      --port N          the TCP port; 6053
      --name NAME       how Home Assistant calls the gateway; Gateway HOST
      --plaintext       serve without a key
      --socket PATH     the agent's socket
      --state FOLDER    where the key is
      --runtime FOLDER  where the socket of enrol is
      --version         print the version
      --help            print this text

    SIGHUP reads the key again. SIGTERM or Ctrl-C ends it. Exit status: 0, or as in sysexits.h: 64 usage, 65 a key that is
    not valid, 66 no key, 69 no service, 71 the system refused a call, 73 the port or a file cannot be had, 77 the key may
    not be read.

    """
}

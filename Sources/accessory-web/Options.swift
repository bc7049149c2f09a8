// SPDX-License-Identifier: GPL-3.0-or-later

import BridgeRuntime
import LinuxSystem

/// The command line of `accessory-web`.
struct Options: BridgeOptions {
  enum Name {
    case socket, state, runtime, port, listen, host, frame, certificate, key, manifest, metricsToken
  }

  static let options: [(name: Name, option: CommandLineOptions.Option)] = [
    (.socket, .init("socket", takesValue: true)),
    (.state, .init("state", takesValue: true)),
    (.runtime, .init("runtime", takesValue: true)),
    (.port, .init("port", takesValue: true)),
    (.listen, .init("listen", takesValue: true)),
    (.host, .init("host", takesValue: true)),
    (.frame, .init("frame", takesValue: true)),
    (.certificate, .init("certificate", takesValue: true)),
    (.key, .init("key", takesValue: true)),
    (.manifest, .init("manifest", takesValue: true)),
    (.metricsToken, .init("metrics-token", takesValue: true)),
  ]

  /// A place in the network, which is served by TLS only.
  struct Place: Equatable {
    let address: String
    let port: UInt16

    /// As it stands in a link.
    var host: String { "\(address.contains(":") ? "[\(address)]" : address):\(port)" }
    /// All addresses of the host.
    var isWildcard: Bool { address == "0.0.0.0" || address == "::" }
  }

  private(set) var socket = "/run/accessoryd/io.accessoryd"
  /// The folder with the certificate that the program makes.
  private(set) var state = Environment.value(of: "STATE_DIRECTORY") ?? "/var/lib/accessory-web"
  /// The folder with the sockets of the page and of `accessoryctl web`, and the drafts.
  private(set) var runtime = Environment.value(of: "RUNTIME_DIRECTORY") ?? "/run/accessory-web"
  /// The port of the loopback addresses; 0 for none.
  private(set) var port: UInt16 = 8484
  private(set) var places: [Place] = []
  /// Further names by which browsers reach the page, such as that of a proxy.
  private(set) var hosts: [String] = []
  /// The origin of the pages in whose frame the page may stand.
  private(set) var frame: String?
  private(set) var certificate: String?
  private(set) var key: String?
  private(set) var manifest = "/etc/accessoryd/accessoryd.toml"
  private(set) var metricsToken: String?

  var pagePath: String { "\(runtime)/page" }
  var controlPath: String { "\(runtime)/control" }
  var draftsPath: String { "\(runtime)/drafts" }

  mutating func finish(_ word: String?) throws(ProgramError) {
    if let word { throw .usage("there is no command \(word)") }
    guard (certificate == nil) == (key == nil) else {
      throw .usage("--certificate and --key belong together: give both, or none")
    }
    if certificate != nil, places.isEmpty {
      throw .usage("--certificate is for the network: give --listen ADDRESS:PORT, too")
    }
  }

  mutating func set(_ name: Name, _ value: String) throws(ProgramError) {
    switch name {
    case .socket: socket = value
    case .state: state = value
    case .runtime: runtime = value
    case .port:
      guard let port = UInt16(value) else { throw .usage("a port is a number from 0 to 65535") }
      self.port = port
    case .listen: places.append(try Self.place(value))
    case .host: hosts.append(try Self.host(value))
    case .frame: frame = try Self.frame(value)
    case .certificate: certificate = value
    case .key: key = value
    case .manifest: manifest = value
    case .metricsToken: metricsToken = value
    }
  }

  private static func place(_ text: String) throws(ProgramError) -> Place {
    let cut = text.lastIndex(of: ":")
    guard let cut, let port = UInt16(text[text.index(after: cut)...]), port > 0 else {
      throw .usage("--listen takes an address and a port, such as 192.168.1.2:8443 or [::]:8443")
    }
    let address = text[..<cut].drop { $0 == "[" }.prefix { $0 != "]" }
    guard !address.isEmpty, address.allSatisfy({ $0.isHexDigit || $0 == "." || $0 == ":" }) else {
      throw .usage("--listen takes a numeric address, such as 192.168.1.2; 0.0.0.0 means all")
    }
    return Place(address: String(address), port: port)
  }

  private static func host(_ text: String) throws(ProgramError) -> String {
    guard !text.isEmpty, text.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "/") }) else {
      throw .usage("--host takes the name that browsers use, such as gateway.example or gateway.example:8443")
    }
    return text.lowercased()
  }

  private static func frame(_ text: String) throws(ProgramError) -> String {
    guard let scheme = ["https://", "http://"].first(where: text.hasPrefix) else { throw .noOrigin }
    let host = text.dropFirst(scheme.utf8.count)
    guard !host.isEmpty,
      host.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || ".:-[]".contains($0)) })
    else { throw .noOrigin }
    return text
  }

  static let help = """
    usage: accessory-web [--port N] [--listen ADDRESS:PORT] [--host NAME] [--frame ORIGIN]
      [--certificate FILE --key FILE] [--metrics-token FILE] [--manifest FILE] [--socket PATH] [--state FOLDER] [--runtime FOLDER]

    Serves the page of this accessory gateway: what apps ask for, the accessories, and why a device is not found. A browser
    is let in by the link that accessoryctl web prints. The program acts as an operator, so that its account has to be in
    the group accessory.

      --port N               the port at 127.0.0.1 and ::1; 8484. 0 for none
      --listen ADDRESS:PORT  also serve the network there, by TLS; may be given again
      --host NAME            a further name by which browsers reach the page, as a proxy gives it; may be given again
      --frame ORIGIN         the pages in whose frame the page may stand, such as https://home.example:8123
      --certificate FILE     the certificate for --listen, and its key (PEM). Without them the program makes its own,
      --key FILE             whose fingerprint accessoryctl web prints
      --metrics-token FILE   what a program has to show for /metrics: Authorization: Bearer TOKEN
      --manifest FILE        the manifest that the page shows
      --socket PATH          the agent's socket
      --state FOLDER         where the certificate is kept
      --runtime FOLDER       where the sockets "page" and "control" are, and drafts
      --version              print the version
      --help                 print this text

    SIGTERM or Ctrl-C ends it, and SIGHUP makes it read the token again. Exit status: 0, or as in sysexits.h: 64 usage, 65 a
    certificate that is none, 66 a file cannot be read, 69 no service, 71 the system refused a call, 73 a port or a file
    cannot be had, 77 a file may not be read.

    """
}

extension ProgramError {
  fileprivate static let noOrigin = usage(
    "--frame takes the beginning of an address, such as https://home.example:8123")
}

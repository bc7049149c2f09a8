// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import LinuxSystem
import Testing

/// The error message and exit status of each reason for which the agent cannot start.
@Suite("Errors at the start of the agent")
struct StartErrorTests {
  /// A start that fails. In arguments and sentences `@` stands for the test's folder.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let arguments: [String]
    let status: Int32
    /// The last line on standard error.
    let sentence: String
    var prepare: @Sendable (Folder) throws -> Void = { _ in }

    var testDescription: String { name }
  }

  private static let usual = ["--manifest", "@/manifest.toml", "--socket", "@/s"]

  private static let usage: [Case] = [
    Case(
      name: "no manifest named", arguments: [], status: 64,
      sentence: "a manifest is needed: --manifest FILE; see accessoryd --help"),
    Case(
      name: "an unknown option", arguments: usual + ["--loud"], status: 64,
      sentence: "there is no option \"--loud\"; see accessoryd --help"),
    Case(
      name: "a value is missing", arguments: ["--manifest"], status: 64,
      sentence: "the option \"--manifest\" needs a value; see accessoryd --help"),
    Case(
      name: "an unexpected argument", arguments: usual + ["now"], status: 64,
      sentence: "the argument \"now\" belongs to no option; see accessoryd --help"),
    Case(
      name: "no path for the socket", arguments: ["--manifest", "m", "--socket", ""], status: 64,
      sentence: "the socket needs a path: --socket PATH; see accessoryd --help"),
    Case(
      name: "no folder for the state", arguments: ["--manifest", "m", "--state", ""], status: 64,
      sentence: "the state needs a folder: --state FOLDER; see accessoryd --help"),
    Case(
      name: "no radio", arguments: usual + ["--radio", "tea\u{1B}"], status: 64,
      sentence:
        #"--radio: "tea\u{1B}" is not a radio; write any, hci0, an address, btsnoop:FILE or h4:PATH; "#
        + "see accessoryd --help"),
    Case(
      name: "a simulated radio", arguments: usual + ["--radio", "virtual:scene.toml"], status: 64,
      sentence:
        #"--radio: the agent simulates no radio; run "virtual-controller scene.toml --socket PATH" and write "#
        + #""h4:PATH" here; see accessoryd --help"#),
    Case(
      name: "no level", arguments: usual + ["--log-level", "9"], status: 64,
      sentence:
        #"--log-level: "9" is not a level; write error, warning, notice, info or debug; see accessoryd --help"#
    ),
  ]

  private static let files: [Case] = [
    Case(
      name: "no such manifest", arguments: ["--manifest", "@/none", "--socket", "@/s"], status: 66,
      sentence:
        "cannot read the manifest \"@/none\": there is no such file; check the name, or the directory the "
        + "agent was started in"),
    Case(
      name: "the manifest is a folder", arguments: ["--manifest", "@", "--socket", "@/s"], status: 66,
      sentence: "cannot read the manifest \"@\": it is a directory; name a file in it"),
    Case(
      name: "the manifest is a pipe", arguments: ["--manifest", "@/pipe", "--socket", "@/s"], status: 66,
      sentence: "cannot read the manifest \"@/pipe\": it is a pipe or a device; name an ordinary file"
    ) {
      // Holds: the call only reads the path.
      try #require(unsafe mkfifo($0("pipe"), 0o600) == 0)
    },
    Case(
      name: "others may write the manifest", arguments: usual, status: 77,
      sentence:
        "cannot trust the manifest \"@/manifest.toml\": others may write the file (mode 0666); chmod go-w it"
    ) { _ = try $0.file("manifest.toml", Folder.manifest, mode: 0o666) },
    Case(
      name: "the manifest is wrong", arguments: usual, status: 65,
      sentence: "the manifest \"@/manifest.toml\" has 2 errors; correct them and start again"
    ) { _ = try $0.file("manifest.toml", "schema = 1\n[gateway]\nradio = 3\nscan = 4\n") },
    Case(
      name: "the manifest is too large", arguments: usual, status: 65,
      sentence:
        "cannot read the manifest \"@/manifest.toml\": it is larger than the 16 MiB that the agent reads; "
        + "make it smaller"
    ) { _ = try $0.file("manifest.toml", [UInt8](repeating: 35, count: 16 << 20 + 1)) },
    Case(
      name: "no board profile", arguments: usual, status: 66,
      sentence: "there is no profile of the board \"toaster\"; searched for @/board/toaster.toml, "
        + "@/../Board/toaster.toml, /usr/share/accessoryd/board/toaster.toml; copy Board/generic.toml to one of "
        + "these paths, or leave out `board` in the manifest"
    ) { _ = try $0.file("manifest.toml", "schema = 1\n[gateway]\nboard = \"toaster\"\n") },
    Case(
      name: "others may read the identity keys", arguments: usual, status: 77,
      sentence:
        "cannot trust the identity keys \"@/keys\": others may read the keys (mode 0644); chmod 600 the file"
    ) {
      _ = try $0.file("keys", "schema = 1\n")
      _ = try $0.file("manifest.toml", "schema = 1\n[gateway]\nidentity-keys = \"\($0("keys"))\"\n")
    },
  ]

  private static let sockets: [Case] = [
    Case(
      name: "no folder for the socket", arguments: ["--manifest", "@/manifest.toml", "--socket", "@/no/s"],
      status: 73,
      sentence: "cannot create the socket \"@/no/s\": there is no folder \"@/no\"; create it first"),
    Case(
      name: "something else has the socket's name", arguments: usual, status: 73,
      sentence:
        "cannot create the socket \"@/s\": another kind of file has that name; remove it, or choose another "
        + "path with --socket"
    ) { _ = try $0.file("s", "precious") },
    Case(
      name: "the socket's path is too long",
      arguments: ["--manifest", "@/manifest.toml", "--socket", "/tmp/" + String(repeating: "x", count: 100)],
      status: 73,
      sentence: "cannot create the socket \"/tmp/" + String(repeating: "x", count: 100)
        + "\": a socket's path has at most 103 bytes; choose a shorter one"),
  ]

  @Test("Without a descriptor for the socket it names the limit, not the socket's path")
  func noDescriptorForSocket() throws {
    let folder = try Folder()
    let shell = #"ulimit -n 4; exec "$0" "$@""#
    let arguments = ["--manifest", folder("manifest.toml"), "--socket", folder("s")]
    let program = try Program("/bin/sh", ["-c", shell, Program.path("accessoryd")] + arguments, in: folder)
    #expect(program.wait() == 71)
    #expect(program.errors.contains("raise the limit (ulimit -n)"))
  }

  @Test("Each error has one sentence and its exit status", arguments: usage + files + sockets)
  func sentence(of failure: Case) throws {
    let folder = try Folder()
    try failure.prepare(folder)
    let arguments = failure.arguments.map { $0.replacing("@", with: folder.path) }
    let program = try Program("accessoryd", arguments, in: folder)
    #expect(program.wait() == failure.status)
    let lines = program.errors.split(separator: "\n")
    #expect(lines.last == "accessoryd: \(failure.sentence.replacing("@", with: folder.path))")
    #expect(lines.count == 1 || failure.status == 65)
  }

  @Test("A manifest with a simulated radio is refused with the program to run instead")
  func simulatedRadio() throws {
    let folder = try Folder()
    let manifest = try folder.file("manifest.toml", "schema = 1\n[gateway]\nradio = \"virtual:scene.toml\"\n")
    let program = try Program("accessoryd", ["--manifest", manifest, "--socket", folder("s")], in: folder)
    #expect(program.wait() == 65)
    #expect(
      program.errors.contains(
        "manifest.toml:3: gateway.radio: the agent simulates no radio; "
          + #"run "virtual-controller scene.toml --socket PATH" and write "h4:PATH" here"#))
  }

  @Test("A second agent at the same socket is refused, and the first continues")
  func secondAgent() throws {
    let agent = try RunningAgent(Folder())
    let second = try Program(
      "accessoryd", ["--manifest", agent.folder("manifest.toml"), "--socket", agent.socket], in: agent.folder)
    #expect(second.wait() == 69)
    #expect(second.errors.hasPrefix("accessoryd: another agent serves \"\(agent.socket)\"; end it first"))
    _ = try UnixConnection.open(path: agent.socket)
    #expect(agent.end() == 0)
  }

  @Test("A socket at which another program listens is not replaced")
  func otherProgram() throws {
    let folder = try Folder()
    let listener = try UnixListener(path: folder("s"), mode: 0o600)
    let program = try Program(
      "accessoryd", ["--manifest", folder("manifest.toml"), "--socket", folder("s")], in: folder)
    #expect(program.wait() == 69)
    #expect(program.errors.hasPrefix("accessoryd: another program listens at "))
    _ = consume listener
  }

  @Test(
    "A descriptor limit that leaves none for a client ends the start with the limit to set",
    arguments: [8, 19])
  func noDescriptors(limit: Int) throws {
    let folder = try Folder()
    let command = "ulimit -n \(limit); " + #"exec "$0" "$@""#
    let program = try Program(
      "/bin/sh",
      [
        "-c", command, Program.path("accessoryd"), "--manifest", folder("manifest.toml"), "--socket",
        folder("s"),
      ], in: folder)
    #expect(program.wait() == 71)
    #expect(
      program.errors
        == "accessoryd: the process may open only \(limit) descriptors, too few to serve any client; "
        + "raise the limit to 135 (LimitNOFILE of the unit, or ulimit -n)\n")
  }

  @Test("With the smallest limit that it accepts, it serves a client")
  func fewestDescriptors() throws {
    let agent = try RunningAgent(Folder(), shell: "ulimit -n 20")
    try agent.expectRadio("on")
    _ = try agent.expectLog("holds 0 accessories")
    let status = #"{"method":"io.accessoryd.Gateway.Status"}"#
    #expect(try TestClient(agent.socket).call(status)?.contains(#""version":"#) == true)
    #expect(agent.end() == 0)
  }

  @Test(
    "An account that may not write the socket's folder gets an error with the cure",
    .enabled(if: getuid() == 0, "only root can give up what root may"))
  func permission() throws {
    let folder = try Folder()
    let place = folder("private")
    try FileManager.default.createDirectory(
      atPath: place, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    // Holds: the call only reads the path.
    try #require(unsafe chown(place, 1, 1) == 0)
    let program = try Program(
      "/bin/sh",
      [
        "-c", Program.withoutCapabilities, Program.path("accessoryd"), "--manifest", folder("manifest.toml"),
        "--socket", place + "/s",
      ], in: folder)
    #expect(program.wait() == 77)
    let sentence = "the agent's account may not write \"\(place)\"; give it the folder, or use another"
    #expect(program.errors == "accessoryd: cannot create the socket \"\(place)/s\": \(sentence)\n")
  }
}

// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import HCI
import LinuxSystem
import TestSupport
import Testing

/// The agent with each kind of radio, as programs.
@Suite("The agent and its radios")
struct RadioProgramTests {
  @Test("A controller that is pulled out and put back is found again")
  func unplugged() throws {
    let folder = try Folder()
    let fault = "[[controller.fault]]\nat = \"1s\"\ndoes = \"unplug\"\nfor = \"500ms\"\n"
    _ = try folder.file("scene.toml", Folder.scene.replacing("schema = 1\n", with: "schema = 1\n\(fault)"))
    let agent = try RunningAgent(folder)
    try agent.expectRadio("on")
    try agent.expectRadio("absent")
    try agent.expectRadio("on")
    #expect(agent.program.errors.contains("warning: radio absent: the controller hung up"))
    #expect(agent.end() == 0)
  }

  @Test("A controller behind a socket is used whichever kind the socket is", arguments: [[], ["--packets"]])
  func h4(kind: [String]) throws {
    let folder = try Folder()
    let controller = try Program(
      "virtual-controller", [folder("scene.toml"), "--socket", folder("h4")] + kind, in: folder)
    let agent = try RunningAgent(folder, radio: "h4:" + folder("h4"))
    try agent.expectRadio("on")
    controller.send(SIGTERM)
    #expect(controller.wait() == 0)
    try agent.expectRadio("absent")
    #expect(
      agent.program.errors.contains(
        "radio absent: the controller hung up; start the program behind its socket again, and the agent reconnects"
      ))
    let other = try Program(
      "virtual-controller", [folder("scene.toml"), "--socket", folder("h4")] + kind, in: folder)
    try agent.expectRadio("on")
    #expect(agent.end() == 0)
    other.send(SIGTERM)
    #expect(other.wait() == 0)
  }

  @Test("The agent ends its controller's scan before it closes the channel")
  func endsScan() throws {
    let folder = try Folder()
    let server = try Program("/usr/bin/python3", ["-c", Self.controller, folder("h4")], in: folder)
    let agent = try RunningAgent(folder, radio: "h4:" + folder("h4"))
    try agent.expectRadio("on")
    #expect(agent.end() == 0)
    #expect(server.wait() == 0)
    #expect(server.errors == "scan 0\n")
  }

  /// A controller that accepts every command, and prints at its end whether it still scans.
  private static let controller = """
    import socket, sys
    returned = {0x1001: bytes([11, 0, 0, 11, 0xF1, 5, 0, 0]), 0x1002: bytes([255] * 64),
                0x1009: bytes(range(1, 7)), 0x2003: bytes(8)}
    server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    server.bind(sys.argv[1])
    server.listen()
    host, _ = server.accept()
    scan = None
    while command := host.recv(512):
        opcode = command[1] | command[2] << 8
        if opcode == 0x200C: scan = command[4]
        answer = bytes([1]) + command[1:3] + bytes(1) + returned.get(opcode, b"")
        host.send(bytes([4, 14, len(answer)]) + answer)
    print("scan", scan, file=sys.stderr)
    """

  @Test("The agent waits for a controller that is not there yet, and is ready meanwhile")
  func absent() throws {
    let folder = try Folder()
    let agent = try RunningAgent(folder, radio: "h4:h4")
    #expect(
      agent.program.errors.contains(
        "there is no radio: no controller listens at \"h4\"; start the program that serves this socket, and the agent "
          + "connects (virtual-controller SCENE.toml --socket PATH simulates a controller)"))
    let controller = try Program(
      "virtual-controller", [folder("scene.toml"), "--socket", folder("h4")], in: folder)
    try agent.expectRadio("on")
    #expect(agent.end() == 0)
    controller.send(SIGTERM)
    #expect(controller.wait() == 0)
  }

  @Test("A program that speaks no H4 is no controller, and the log says what to name instead")
  func noH4() throws {
    let folder = try Folder()
    let server = try Program("/usr/bin/python3", ["-c", Self.chatter, folder("h4")], in: folder)
    let agent = try RunningAgent(folder, radio: "h4:h4")
    let log = try agent.expectLog("radio absent")
    #expect(
      log.contains(
        "radio absent: the controller's socket does not carry H4: no packet begins with 0x48; name in h4:PATH the socket "
          + "of a program that speaks H4, such as virtual-controller"))
    #expect(agent.end() == 0)
    server.send(SIGTERM)
  }

  /// Greets each client, in HTTP.
  private static let chatter = """
    import socket, sys
    server = socket.socket(socket.AF_UNIX)
    server.bind(sys.argv[1])
    server.listen()
    while True:
        client, _ = server.accept()
        client.sendall(b"HTTP/1.1 400 Bad Request\\r\\n")
        client.recv(1)
    """

  @Test("A program that says nothing is no controller, and the log says what to name instead")
  func silentSocket() throws {
    let folder = try Folder()
    let server = try Program("/usr/bin/python3", ["-c", Self.silence, folder("h4")], in: folder)
    let agent = try RunningAgent(folder, radio: "h4:h4")
    let log = try agent.expectLog("the radio was not initialized")
    #expect(
      log.contains("; name in h4:PATH the socket of a program that speaks H4, such as virtual-controller"))
    #expect(agent.end() == 0)
    server.send(SIGTERM)
  }

  private static let silence = """
    import socket, sys
    server = socket.socket(socket.AF_UNIX)
    server.bind(sys.argv[1])
    server.listen()
    clients = []
    while True: clients.append(server.accept())
    """

  @Test("A file that is no socket is no controller")
  func noSocket() throws {
    let agent = try RunningAgent(Folder(), radio: "h4:scene.toml")
    try agent.expectRadio("absent")
    #expect(agent.program.errors.contains("no controller listens at \"scene.toml\"; start the program"))
    #expect(agent.end() == 0)
  }

  @Test("A recording is played to its end, which is said", arguments: ["", "?pace=flat-out"])
  func recording(pace: String) throws {
    let folder = try Folder()
    _ = try folder.file("capture", Captures.everyKind(.h4).bytes)
    let agent = try RunningAgent(folder, radio: "btsnoop:capture" + pace)
    try agent.expectRadio("off")
    #expect(agent.program.errors.contains("radio off: the recording has ended after 9 records"))
    #expect(agent.end() == 0)
  }

  @Test(
    "A file that cannot be played is said to be the radio's, and the agent goes on",
    arguments: [
      ("btsnoop:none", "absent", "cannot read \"none\": there is no such file"),
      ("btsnoop:scene.toml", "absent", "it is not a btsnoop capture"),
    ])
  func broken(radio: String, state: String, sentence: String) throws {
    let agent = try RunningAgent(Folder(), radio: radio)
    try agent.expectRadio(state)
    #expect(agent.program.errors.contains(sentence))
    #expect(agent.end() == 0)
  }

  @Test("An adapter that is not there is no reason to end", arguments: ["hci4095", "C0:FF:EE:00:00:01"])
  func missingAdapter(radio: String) throws {
    let agent = try RunningAgent(Folder(), radio: radio)
    try agent.expectRadio("absent")
    let sentences = ["there is no adapter \(radio)", "this kernel has no Bluetooth"]
    #expect(sentences.contains { agent.program.errors.contains("there is no radio: " + $0) })
    #expect(agent.end() == 0)
  }
}

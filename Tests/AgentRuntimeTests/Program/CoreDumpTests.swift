// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

@Suite("The memory of the agent")
struct CoreDumpTests {
  /// Starts an agent that may write core dumps of any size, and ends it by a signal that asks for one.
  private static let script = """
    import os, resource, signal, socket, sys
    path, program = sys.argv[1], sys.argv[2:]
    # The thread that started this program may block the signal.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    # The agent says when it is ready (sd_notify).
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(path)
    os.environ["NOTIFY_SOCKET"] = path
    # Otherwise Swift's own handler may take the signal, and the agent goes on.
    os.environ["SWIFT_BACKTRACE"] = "enable=no"
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CORE, (most, most))
        os.execv(program[0], program)
    manager.settimeout(60)
    while b"READY=1" not in manager.recv(4096):
        pass
    with open(f"/proc/{child}/limits") as limits:
        print(next(" ".join(line.split()[4:6]) for line in limits if line.startswith("Max core file size")))
    os.kill(child, signal.SIGABRT)
    _, status = os.waitpid(child, 0)
    print(os.WTERMSIG(status), os.WCOREDUMP(status))
    """

  @Test("Is in no core dump, whatever limit the agent is started with")
  func noCoreDump() throws {
    let folder = try Folder()
    try folder.serveScene()
    let output = try folder.file("output.txt", "")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c", Self.script, folder("manager"), Program.path("accessoryd"), "--manifest",
      folder("manifest.toml"), "--socket", folder("socket"), "--state", folder("state"),
    ]
    process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(try folder.text("output.txt") == "0 0\n6 False\n")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(!files.contains { $0.hasPrefix("core") })
  }
}

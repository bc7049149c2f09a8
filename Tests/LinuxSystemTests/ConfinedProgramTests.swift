// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import LinuxSystem
import TestSupport
import Testing

@Suite(
  "Programs that run with the least rights",
  .enabled(
    if: ConfinedProgram.Account.unprivileged().isPossible, "only root can run a program under another account"
  ))
struct ConfinedProgramTests {
  /// A folder that any account may enter, with a pipe that any account may write: the programs cannot write files.
  private final class Stage {
    let path = NSTemporaryDirectory() + "confined-" + UUID().uuidString.prefix(8)
    let pipe: Int32

    init() throws {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
      // Holds: the calls only read the path, here and below.
      try #require(unsafe mkfifo(path + "/pipe", 0o600) == 0)
      try #require(unsafe chmod(path + "/pipe", 0o666) == 0)
      pipe = unsafe open(path + "/pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    }

    deinit {
      close(pipe)
      try? FileManager.default.removeItem(atPath: path)
    }

    func script(_ text: String, mode: String = "755") throws -> String {
      let file = path + "/script"
      try ProgramFile.writeScript(text, to: file, mode: mode)
      return file
    }

    /// Reads the pipe until no process has it open for writing.
    func said() throws -> String {
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        let ready = try Polling.wait([Polling.Entry(pipe, .readable)], until: .now().advanced(seconds: 30))
        try #require(!ready[0].isEmpty, "the program keeps the pipe open")
        // Holds: the buffer is the array's own, for as long as the call.
        let count = unsafe read(pipe, &buffer, buffer.count)
        guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
        bytes += buffer[..<count]
      }
    }
  }

  private let stage: Stage

  init() throws { stage = try Stage() }

  private func ending(of program: ConfinedProgram) throws -> ConfinedProgram.Ending? {
    _ = try Polling.wait(
      [Polling.Entry(program.descriptor.number, .readable)], until: .now().advanced(seconds: 30))
    return try program.end()
  }

  private func run(_ script: String, _ words: String...) throws -> ConfinedProgram.Ending? {
    try ending(of: ConfinedProgram([stage.script(script)] + words, as: .unprivileged()))
  }

  @Test("It has its words, the root folder, PATH, a mask, and limits")
  func surroundings() throws {
    let script = """
      exec >"${0%/*}/pipe"
      printf '%s\\n' "$*" "$PWD" "$(umask)" "$(ulimit -n) $(ulimit -t) $(ulimit -f) $(ulimit -c)"
      tr '\\0' '\\n' </proc/$$/environ
      """
    #expect(try run(script, "success", "a b", "$(id)") == .exited(status: 0))
    #expect(
      try stage.said().split(separator: "\n") == [
        "success a b $(id)", "/", "0077", "16 5 0 0", "PATH=/usr/local/bin:/usr/bin:/bin",
      ])
  }

  @Test("It has no descriptor of the parent but /dev/null, even if the parent forgot to close it")
  func descriptors() throws {
    let forgotten = dup(stage.pipe)
    defer { close(forgotten) }
    let script = """
      exec >"${0%/*}/pipe"
      ls -l /proc/$$/fd
      :
      """
    #expect(try run(script) == .exited(status: 0))
    let links = try stage.said().split(separator: "\n").dropFirst().map { line in
      line.split(separator: " ").suffix(3).joined(separator: " ")
    }
    let own = [
      "0 -> /dev/null", "1 -> \(stage.path)/pipe", "2 -> /dev/null", "10 -> \(stage.path)/script",
    ]
    #expect(Set(links) == Set(own))
  }

  @Test("It leads a session, ignores and blocks no signal, and cannot gain rights")
  func rights() throws {
    let script = """
      exec >"${0%/*}/pipe"
      # The shell itself reads, since it blocks signals while it starts and awaits others.
      read -r process name state parent group session rest </proc/$$/stat
      echo "$process $session"
      while read -r line; do
        case $line in
          Uid:* | SigBlk:* | SigIgn:* | CapPrm:* | CapEff:* | CapAmb:* | NoNewPrivs:*) echo "$line" ;;
        esac
      done </proc/$$/status
      """
    let before = signal(SIGPIPE, SIG_IGN)
    defer { signal(SIGPIPE, before) }
    #expect(try run(script) == .exited(status: 0))
    let lines = try stage.said().split(separator: "\n").map { $0.split(whereSeparator: \.isWhitespace) }
    let (ids, facts) = (try #require(lines.first), lines.dropFirst())
    #expect(ids.count == 2 && ids[0] == ids[1])
    #expect(facts.count == 7)
    for fact in facts {
      switch fact[0] {
      case "Uid:":
        let user = Substring("\(ConfinedProgram.Account.unprivileged().user)")
        #expect(Array(fact.dropFirst()) == [user, user, user, user])
      case "NoNewPrivs:": #expect(fact[1] == "1")
      default: #expect(fact[1].allSatisfy { $0 == "0" }, "\(fact)")
      }
    }
  }

  @Test("It writes no file, and is ended when it tries")
  func writing() throws {
    let file = stage.path + "/written"
    #expect(FileManager.default.createFile(atPath: file, contents: Data("kept".utf8)))
    // Holds: the call only reads the path.
    try #require(unsafe chmod(file, 0o666) == 0)
    #expect(try run(#"echo more >>"${0%/*}/written""#) == .killed(signal: SIGXFSZ))
    #expect(FileManager.default.contents(atPath: file) == Data("kept".utf8))
  }

  @Test(
    "It makes, removes, renames, links and cuts nothing in any folder",
    .enabled(if: ConfinedProgram.landlockVersion >= 3, "this kernel knows too little of Landlock"))
  func folders() throws {
    let file = stage.path + "/open"
    #expect(FileManager.default.createFile(atPath: file, contents: Data("kept".utf8)))
    // Holds, here and below: the calls only read the paths.
    try #require(unsafe chmod(file, 0o666) == 0 && chmod(stage.path, 0o777) == 0)
    let script = #"""
      folder=${0%/*}
      exec >"$folder/pipe" 2>/dev/null
      for act in ': >"$folder/new"' 'mkdir "$folder/new"' 'mkfifo "$folder/new"' 'ln -s / "$folder/new"' \
        'ln "$folder/open" "$folder/new"' 'mv "$folder/open" "$folder/new"' 'rm "$folder/open"' ': >"$folder/open"' \
        ': >/tmp/confined-new'; do
        (eval "$act") && echo "$act"
      done
      read -r line <"$folder/open"
      echo "$line"
      """#
    #expect(try run(script) == .exited(status: 0))
    #expect(try stage.said() == "kept\n")
    let left = try FileManager.default.contentsOfDirectory(atPath: stage.path)
    #expect(Set(left) == ["open", "pipe", "script"])
  }

  @Test("Its end is a status, a signal, or why it could not run")
  func endings() throws {
    #expect(try run("exit 3") == .exited(status: 3))
    #expect(try run("kill -TERM $$") == .killed(signal: SIGTERM))
    let missing = try ConfinedProgram([stage.path + "/none"], as: .unprivileged())
    #expect(try ending(of: missing) == .notRun(SystemError(.execve, code: ENOENT)))
    let closed = try ConfinedProgram([stage.script("exit 0", mode: "644")], as: .unprivileged())
    #expect(try ending(of: closed) == .notRun(SystemError(.execve, code: EACCES)))
  }

  @Test("It is killed with all that it began, and leaves no zombie")
  func killing() throws {
    let script = """
      exec >"${0%/*}/pipe"
      sleep 1000 &
      echo $$
      wait
      """
    let program = try ConfinedProgram([stage.script(script)], as: .unprivileged())
    _ = try Polling.wait([Polling.Entry(stage.pipe, .readable)], until: .now().advanced(seconds: 30))
    #expect(try program.end() == nil)
    program.kill()
    #expect(try ending(of: program) == .killed(signal: SIGKILL))
    let process = try #require(Int32(stage.said().dropLast()))
    #expect(Glibc.kill(process, 0) == -1 && errno == ESRCH)
  }

  @Test("What it leaves behind ends with it, and it ends with its owner")
  func leftovers() throws {
    #expect(try run(#"exec >"${0%/*}/pipe"; sleep 1000 & exit 0"#) == .exited(status: 0))
    #expect(try stage.said() == "")
    let other = try Stage()
    var program: ConfinedProgram? = try ConfinedProgram(
      [other.script(#"exec >"${0%/*}/pipe"; echo ready; sleep 1000"#)], as: .unprivileged())
    _ = try Polling.wait([Polling.Entry(other.pipe, .readable)], until: .now().advanced(seconds: 30))
    #expect(program != nil)
    program = nil
    #expect(try other.said() == "ready\n")
  }

  /// Starts, in a new session each, processes whose parents end at once and that keep the pipe open.
  private static let daemons = #"""
    exec >"${0%/*}/pipe"
    for number in 1 2 3; do
      setsid sh -c 'setsid sh -c "setsid sleep 1000 & exec sleep 1000" & exit 0' &
    done
    """#

  @Test("Processes that left its session end with it")
  func daemons() throws {
    #expect(try run(Self.daemons + "\nwait; exit 4") == .exited(status: 4))
    #expect(try stage.said() == "")
  }

  @Test("Processes that left its session are killed with it, and a chain that is just growing")
  func killedDaemons() throws {
    let chain = "chain() { [ $1 = 0 ] || { (chain $(($1 - 1)); exec sleep 1000) & }; }; chain 100"
    let program = try ConfinedProgram(
      [stage.script(Self.daemons + "\n\(chain)\necho ready\nexec sleep 1000")], as: .unprivileged())
    _ = try Polling.wait([Polling.Entry(stage.pipe, .readable)], until: .now().advanced(seconds: 30))
    program.kill()
    #expect(try ending(of: program) == .killed(signal: SIGKILL))
    #expect(try stage.said() == "ready\n")
  }

  @Test("When the thread that started it ends, as it does when the agent is killed, everything ends")
  func orphaned() throws {
    let script = try stage.script(Self.daemons + "\necho ready; exec sleep 1000")
    let (pipe, orphan) = (stage.pipe, Orphan())
    try BackgroundThread.start {
      // As if it were killed: the thread does not release the program.
      orphan.program = try? ConfinedProgram([script], as: .unprivileged())
      _ = try? Polling.wait([Polling.Entry(pipe, .readable)], until: .now().advanced(seconds: 30))
    }
    #expect(try stage.said() == "ready\n")
    // A child that nothing waits for would keep the test runner busy for ever.
    #expect(try ending(of: try #require(orphan.program)) == .killed(signal: SIGKILL))
  }

  /// A program that outlives the thread which started it; used by one thread at a time.
  private final class Orphan: @unchecked Sendable {
    var program: ConfinedProgram?
  }

  @Test("It is ended by the clock even if its owner never does that", .timeLimit(.minutes(30)))
  func deadline() throws {
    let program = try ConfinedProgram(
      [stage.script(#"exec >"${0%/*}/pipe"; exec sleep 1000"#)], as: .unprivileged())
    #expect(try stage.said() == "")
    #expect(try ending(of: program) == .killed(signal: SIGKILL))
  }
}

// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import TestSupport
import Testing

@Suite struct CheckTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func theExampleIsGood() throws {
    let path = try folder.file("good.toml", Array(Data(contentsOf: example)))
    let run = try Tool.shell(#"chmod 644 "$1" && "$TOOL" check "$1""#, path)
    #expect(run.status == 0)
    #expect(run.text == "\(path): nothing is wrong\n")
    let json = try Tool.run("check", "--json", path)
    #expect(json.status == 0 && json.lines.isEmpty)
    try expectValid(json.output, "check")
  }

  @Test func aManifestWithoutFindingsIsGood() throws {
    let path = try folder.file("good.toml", "schema = 1\n")
    let run = try Tool.run("check", path)
    #expect(run.status == 0 && run.text == "\(path): nothing is wrong\n")
    let json = try Tool.run("check", "--json", path)
    #expect(json.status == 0 && json.output.isEmpty)
  }

  @Test("--system names the services that may open Bluetooth sockets themselves")
  func services() throws {
    let shown = """
      Id=accessoryd.service\nUser=accessory\nRestrictAddressFamilies=AF_UNIX AF_BLUETOOTH\nActiveState=active\n
      Id=lamps.service\nUser=lights\nActiveState=active\nUnitFileState=enabled\n
      Id=later.service\nUser=daemon\nRestrictAddressFamilies=~AF_NETLINK\nActiveState=inactive\nUnitFileState=enabled\n
      Id=old.service\nUser=daemon\nActiveState=inactive\nUnitFileState=disabled\n
      Id=web.service\nUser=www-data\nRestrictAddressFamilies=AF_UNIX AF_INET\nActiveState=active\n
      Id=forbidden.service\nUser=games\nRestrictAddressFamilies=~AF_BLUETOOTH\nActiveState=active\n
      Id=none.service\nUser=games\nRestrictAddressFamilies=\nActiveState=active\n
      Id=alone.service\nUser=games\nPrivateNetwork=yes\nActiveState=active\n
      Id=cron.service\nActiveState=active\n
      Id=passing.service\nDynamicUser=yes\nActiveState=active\n
      Id=timed.service\nUser=daemon\nActiveState=inactive\nUnitFileState=static\n
      Id=along.service\nUser=daemon\nActiveState=inactive\nUnitFileState=indirect\n
      Id=made.service\nUser=daemon\nActiveState=inactive\nUnitFileState=generated\n
      Id=hidden.service\nUser=daemon\nActiveState=inactive\nUnitFileState=masked\n
      Id=broken.service\nUser=daemon\nActiveState=inactive\nUnitFileState=bad\n
      """
    // systemd has loaded these only if they are asked for.
    let unloaded = """
      \n
      Id=bus.service\nUser=daemon\nActiveState=inactive\nUnitFileState=linked\n
      Id=cron.service\nActiveState=active\n
      """
    let files = """
      bus.service linked enabled\nold.service disabled enabled\nhidden.service masked enabled
      of@.service static -\ncron.service alias -\n
      """
    let programs = folder.path + "/programs"
    try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: false)
    let list = try folder.file("shown", shown)
    let more = try folder.file("unloaded", unloaded)
    let listed = try folder.file("files", files)
    try ProgramFile.writeScript(
      """
      #!/bin/sh
      case "$*" in
        list-unit-files*) exec cat \(listed) ;;
        "show "*" -- *.service bus.service cron.service") exec cat \(list) \(more) ;;
        *) exit 1 ;;
      esac

      """, to: programs + "/systemctl")
    func check(_ more: String) throws -> Tool.Run {
      try Tool.shell(#"PATH="$1:$PATH" exec "$TOOL" check --system $2"#, programs, more)
    }
    let run = try check("")
    let cure =
      "it may open Bluetooth sockets itself, past the agent; give it RestrictAddressFamilies= without AF_BLUETOOTH"
    #expect(
      run.text == """
        along.service: warning: as daemon \(cure) (systemctl edit along.service)
        bus.service: warning: as daemon \(cure) (systemctl edit bus.service)
        lamps.service: warning: as lights \(cure) (systemctl edit lamps.service)
        later.service: warning: as daemon \(cure) (systemctl edit later.service)
        made.service: warning: as daemon \(cure) (systemctl edit made.service)
        passing.service: warning: as a dynamic user \(cure) (systemctl edit passing.service)
        timed.service: warning: as daemon \(cure) (systemctl edit timed.service)
        7 services of other accounts may open Bluetooth sockets themselves; as root, which may do anything, these may: cron.service

        """)
    #expect(run.status == 1)
    let json = try check("--json")
    #expect(json.status == 1 && json.lines.count == 7)
    try expectValid(json.output, "check")
    try ProgramFile.writeScript("#!/bin/sh\nexit 1\n", to: programs + "/systemctl")
    let silent = try check("")
    #expect(silent.status == 69 && silent.errorOutput.contains("systemd does not answer"))
    #expect(try Tool.run("check").status == 64)
  }

  @Test func aButtonOnABoardThatListensATenthIsNamed() throws {
    let manifest = """
      schema = 1
      [gateway]
      board = "tenth"
      [app.lights]
      user = "daemon"
      supports = ["Bluetooth"]
      bluetooth-company-identifiers = ["0x0EEE"]
      [[app.lights.item]]
      name = "Button"
      descriptor.bluetooth-company-identifier = "0x0EEE"
      descriptor.bluetooth-manufacturer-data-blob = "0001"
      gate.lost-ms = 86400000
      gate.lost-max-ms = 86400000
      """
    let path = try folder.file("buttons.toml", manifest)
    let sentence = "sends only when pressed; this board listens 10 % of the time"
    #expect(try !Tool.run("check", path).text.contains(sentence))
    let board = "schema = 1\nname = \"tenth\"\n[scan]\nlow = { window-ms = 30, interval-ms = 300 }\n"
    try FileManager.default.createDirectory(atPath: folder.path + "/board", withIntermediateDirectories: true)
    _ = try folder.file("board/tenth.toml", board)
    let run = try Tool.run("check", path)
    #expect(run.status == 0 && run.text.contains(sentence), "\(run.text)")
  }

  private var example: URL { URL(fileURLWithPath: Package.path("Config/accessoryd.toml")) }

  @Test func everyProblemIsALine() throws {
    let manifest = """
      schema = 1
      [gateway]
      radio = "hci\\u001b"
      skan = "auto"
      [app.lights]
      user = "daemon"
      """
    let path = try folder.file("bad.toml", manifest)
    let text = try Tool.run("check", path)
    let json = try Tool.run("check", "--json", path)
    #expect(text.status == 1)
    #expect(json.status == 1)
    #expect(text.lines.count == json.lines.count)
    #expect(text.lines.allSatisfy { $0.hasPrefix("\(path):") })
    #expect(!text.output.contains(0x1B) && !json.output.contains(0x1B))
    try expectValid(json.output, "check")
  }

  @Test func identityKeysAreCheckedToo() throws {
    let agent = try StandInAgent([], ["Sightings": Replies.devices([(0x7081_940D_FBAA, "Tag")])])
    let keys = folder.path + "/keys.toml"
    let path = try folder.file(
      "good.toml", Array("schema = 1\n[gateway]\nidentity-keys = \"\(keys)\"\n".utf8))
    for (key, status, sentence) in [
      (
        "9b7d390aa610103405adc857a33402ec", 0, "only with its bytes in the reverse order; reverse them in irk"
      ),
      (
        "b7d390aa610103405adc857a33402ec", 1,
        "keys.toml:5: identity[0].irk: the key has 31 hexadecimal digits"
      ),
      ("ec0234a357c8ad05341010a60a397d9b", 0, "good.toml: nothing is wrong"),
    ] {
      let text = """
        schema = 1
        [[identity]]
        address = "C0:11:22:33:44:55"
        address-type = "random"
        irk = "\(key)"
        """
      _ = try folder.file("keys.toml", text)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: keys)
      let run = try Tool.run("check", path, "--socket", agent.path)
      #expect(run.status == status && run.text.contains(sentence) && run.lines.count == 1, "\(run.text)")
      try expectValid(try Tool.run("check", path, "--json", "--socket", agent.path).output, "check")
    }
  }

  @Test func identityKeysWithWhichNoAgentStartsAreRefused() throws {
    let keys = folder.path + "/keys.toml"
    let path = try folder.file(
      "good.toml", Array("schema = 1\n[gateway]\nidentity-keys = \"\(keys)\"\n".utf8))
    let missing = try Tool.run("check", path)
    #expect(
      missing.status == 1 && missing.text.hasPrefix("\(keys): this cannot be read: "), "\(missing.text)")
    _ = try folder.file("keys.toml", "schema = 1\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: keys)
    let open = try Tool.run("check", path)
    #expect(open.status == 1 && open.text.contains("chmod 600"), "\(open.text)")
  }

  @Test func theBoardsProfileIsCheckedToo() throws {
    let path = try folder.file("good.toml", "schema = 1\n[gateway]\nboard = \"rasberry\"\n")
    // Without any profile it is a manifest for another machine.
    let elsewhere = try Tool.run("check", path)
    #expect(elsewhere.status == 0)
    #expect(
      elsewhere.text.hasPrefix("\(path):3: gateway.board: ")
        && elsewhere.text.contains("could not be checked"),
      "\(elsewhere.text)")
    let plain = try folder.file("plain.toml", "schema = 1\n[gateway]\nboard = \"generic\"\n")
    #expect(try Tool.run("check", plain).text.contains("could not be checked") == false)
    try FileManager.default.createDirectory(
      atPath: folder.path + "/board", withIntermediateDirectories: false)
    _ = try folder.file("board/raspberry.toml", "schema = 1\n")
    let misspelt = try Tool.run("check", path)
    #expect(misspelt.status == 1)
    #expect(
      misspelt.text
        == "\(path):3: gateway.board: there is no profile of the board \"rasberry\"; did you mean raspberry? There are: "
        + "generic, raspberry; name one of them, or leave out board\n")
    let other = try folder.file("other.toml", "schema = 1\n[gateway]\nboard = \"nonesuch\"\n")
    let unknown = try Tool.run("check", other)
    #expect(
      unknown.status == 1
        && unknown.text.hasSuffix(
          "there is no profile of the board \"nonesuch\"; there are: generic, raspberry; name one of them, or leave out "
            + "board\n"),
      "\(unknown.text)")
    _ = try folder.file("board/rasberry.toml", "schema = 1\nrssi-ofset = 3\n")
    let faulty = try Tool.run("check", path)
    #expect(
      faulty.status == 1 && faulty.text.contains("/board/rasberry.toml:2: rssi-ofset: "), "\(faulty.text)")
  }

  @Test func aFileThatOthersMayWriteIsRefused() throws {
    let path = try folder.file("open.toml", Array(Data(contentsOf: example)))
    let run = try Tool.shell(#"chmod 666 "$1" && "$TOOL" check --json "$1""#, path)
    #expect(run.status == 77)
    try expectValid(run.output, "check")
  }

  @Test(arguments: [
    "replay C", "sightings --capture C", "explain C4:64:E3:12:34:56 --capture C", "try x --capture C",
  ])
  func everyCommandRefusesIt(command: String) throws {
    let path = try folder.file("open.toml", Array(Data(contentsOf: example)))
    let capture = try folder.file("C", Captures.chain)
    let run = try Tool.shell(
      #"chmod 666 "$1" && cd "$(dirname "$2")" && "$TOOL" \#(command) --manifest "$1""#, path, capture)
    #expect(run.status == 77)
    #expect(run.output.isEmpty)
    #expect(
      run.errorOutput == "accessoryctl: \(path): others may write the file (mode 0666); chmod go-w it\n")
  }

  @Test func whatIsNoFileIsNoInput() throws {
    let run = try Tool.run("check", "/dev/null")
    #expect(run.status == 66)
    #expect(run.text.contains("not a regular file"))
    let replay = try Tool.run("replay", "/dev/null", "--manifest", "/dev/null")
    #expect(replay.status == 66)
  }
}

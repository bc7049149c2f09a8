// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import TestSupport
import Testing
import VirtualRadio

@Suite("The name substring")
struct NameClauseTests {
  private func holds(_ substring: String, _ options: CompareOptions = [], on name: [UInt8]) -> Bool {
    var matcher = CompiledMatcher(.company(Sample.company).named(substring, options))
    let payload = AdvertisingPayload.testCompany([]).structure(.completeName, name)
    return matcher.find(payload.bytes) == .items(0)
  }

  private func holds(_ substring: String, _ options: CompareOptions = [], on name: String) -> Bool {
    holds(substring, options, on: Array(name.utf8))
  }

  @Test("It may stand at the start, in the middle, at the end, or be the whole name")
  func anywhere() {
    for name in ["Lumo strip", "My Lumo 2", "The Lumo", "Lumo"] {
      #expect(holds("Lumo", on: name), "\(name)")
    }
    for name in ["", "Lum", "lumo", "Lu mo"] { #expect(!holds("Lumo", on: name), "\(name)") }
  }

  @Test("A shortened name counts as a complete one does")
  func shortenedName() {
    var matcher = CompiledMatcher(.company(Sample.company).named("Lumo"))
    #expect(matcher.find(AdvertisingPayload.testCompany([]).shortenedName("My Lumo").bytes) == .items(0))
    #expect(matcher.find(AdvertisingPayload.testCompany([]).shortenedName("My Lum").bytes) == .nothing)
  }

  @Test("Any of several names may hold it")
  func severalNames() {
    var matcher = CompiledMatcher(.company(Sample.company).named("Lumo"))
    let payload = AdvertisingPayload.testCompany([]).shortenedName("L").name("Lumo")
    #expect(matcher.find(payload.bytes) == .items(0))
  }

  @Test("A payload without a name does not hold it")
  func noName() {
    var matcher = CompiledMatcher(.company(Sample.company).named("Lumo"))
    #expect(matcher.find(AdvertisingPayload.testCompany(Array("Lumo".utf8)).bytes) == .nothing)
  }

  @Test("Bytes are compared: composed and decomposed letters differ")
  func bytes() {
    #expect(holds("\u{E9}", on: "caf\u{E9}"))
    #expect(!holds("\u{E9}", on: "cafe\u{301}"))
    #expect(holds("caf", on: [0xFF] + Array("caf".utf8) + [0xC3]))
  }

  @Test("Zeros at the end are not part of the name")
  func zeros() {
    #expect(holds("mo", [.anchored, .backwards], on: Array("Lumo\0\0".utf8)))
    #expect(!holds("mo", [.anchored, .backwards], on: Array("Lumo\0x".utf8)))
    for options: CompareOptions in [[], .anchored, [.anchored, .backwards]] {
      #expect(holds("Lumo", options, on: Array("Lumo\0\0".utf8)))
      for wanted in ["Lumo\0", "\0"] {
        #expect(!holds(wanted, options, on: Array("Lumo\0\0".utf8)))
        #expect(!holds(wanted, options, on: [0, 0]))
        var matcher = CompiledMatcher(DiscoveryDescriptor().named(wanted, options))
        #expect(matcher.find(AdvertisingPayload().name("Lumo\0\0").bytes) == .nothing)
      }
    }
  }

  @Test("A name without a company or service is found wherever it is sent")
  func nameAlone() {
    var matcher = CompiledMatcher(
      DiscoveryDescriptor().named("GVH5075_", .anchored), DiscoveryDescriptor().named("GVH5", .anchored),
      DiscoveryDescriptor().named("gvh", [.anchored, .caseInsensitive]), DiscoveryDescriptor().named("_4"),
      .company(Sample.company).named("GVH", .anchored))
    let name = AdvertisingPayload().name("GVH5075_4F2A").bytes
    #expect(matcher.find(name) == .items(0, 1, 2, 3))
    #expect(matcher.find([], response: name) == .items(0, 1, 2, 3))
    #expect(matcher.find(AdvertisingPayload.testCompany([]).bytes, response: name) == .items(0, 1, 2, 3, 4))
    #expect(matcher.find(AdvertisingPayload().shortenedName("GVH50").bytes) == .items(1, 2))
    #expect(matcher.find(AdvertisingPayload().name("xGVH5075_4").bytes) == .items(3))
    #expect(matcher.find(AdvertisingPayload().name("GVH").bytes) == .items(2))
  }

  @Test("literal changes nothing")
  func literal() {
    #expect(holds("mo", .literal, on: "Lumo"))
    #expect(!holds("MO", .literal, on: "Lumo"))
  }

  @Test("anchored asks for the start of the name")
  func anchored() {
    #expect(holds("Lu", .anchored, on: "Lumo"))
    #expect(holds("Lumo", .anchored, on: "Lumo"))
    #expect(!holds("mo", .anchored, on: "Lumo"))
    #expect(!holds("Lumo", .anchored, on: "Lum"))
  }

  @Test("backwards alone finds the substring anywhere")
  func backwards() {
    #expect(holds("um", .backwards, on: "Lumo"))
    #expect(!holds("mu", .backwards, on: "Lumo"))
  }

  @Test("anchored and backwards ask for the end of the name")
  func suffix() {
    let suffix: CompareOptions = [.anchored, .backwards]
    #expect(holds("-tag", suffix, on: "cat-tag"))
    #expect(holds("-tag", suffix, on: "-tag-tag"))
    #expect(!holds("-tag", suffix, on: "-tags"))
    #expect(!holds("-tag", suffix, on: "tag"))
  }

  @Test("caseInsensitive folds letters of every script, one scalar to one")
  func caseInsensitive() {
    #expect(holds("LUMO", .caseInsensitive, on: "my lumo"))
    #expect(holds("\u{C9}T\u{C9}", .caseInsensitive, on: "l'\u{E9}t\u{E9}"))
    #expect(holds("\u{3A3}", .caseInsensitive, on: "\u{3C2}"))  // Greek sigma and its final form
    #expect(holds("k", .caseInsensitive, on: "\u{212A}"))  // the Kelvin sign has three bytes
    #expect(!holds("ss", .caseInsensitive, on: "\u{DF}"))  // that would be full folding
  }

  @Test("Folding goes with each anchor, also where forms have other lengths")
  func foldedAnchors() {
    let suffix: CompareOptions = [.anchored, .backwards, .caseInsensitive]
    #expect(holds("-TAG", suffix, on: "cat-tag"))
    #expect(holds("1k", suffix, on: "271\u{212A}"))
    #expect(!holds("1k", suffix, on: "1\u{212A}m"))
    #expect(holds("\u{212A}e", [.anchored, .caseInsensitive], on: "Kelvin"))
    #expect(!holds("\u{212A}e", [.anchored, .caseInsensitive], on: "a Kelvin"))
  }

  @Test("Ill-formed bytes of a name stand for themselves and hide nothing around them")
  func illFormed() {
    let torn = hex("E2 84") + Array("Lumo".utf8) + hex("C3 80 FF")
    #expect(holds("lumo", .caseInsensitive, on: torn))
    #expect(holds("\u{E0}", .caseInsensitive, on: torn))  // C3 80 is the upper case of it
    #expect(!holds("\u{E0}", [.anchored, .backwards, .caseInsensitive], on: torn))
  }

  @Test("Folded text is found at scalars, not inside one")
  func scalarBorders() {
    var matcher = CompiledMatcher(.company(Sample.company).named([0xA9], .caseInsensitive))
    #expect(matcher.find(AdvertisingPayload.testCompany([]).name("caf\u{E9}").bytes) == .nothing)
  }
}

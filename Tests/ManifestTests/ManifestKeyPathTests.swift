// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import Testing

@Suite("Key paths")
struct ManifestKeyPathTests {
  @Test("A path is written as in TOML, with places in brackets")
  func text() {
    let path = ManifestKeyPath().appending("app").appending("my lights").appending("item").appending(index: 2)
    #expect(path.description == "app.\"my lights\".item[2]")
    #expect(ManifestKeyPath().description == "")
  }

  @Test("What a terminal would act on is escaped, and long keys are cut")
  func hostile() {
    let path = ManifestKeyPath().appending("a\u{1B}[2J\n\u{202E}b")
    #expect(path.description == "\"a\\u{1B}[2J\\u{A}\\u{202E}b\"")
    let long = ManifestKeyPath().appending(String(repeating: "x", count: 1000))
    #expect(long.description == "\"\(String(repeating: "x", count: 64))…\"")
  }

  @Test("What is above a path is one step shorter, up to the whole manifest")
  func parents() {
    let app = ManifestKeyPath().appending("app").appending("a")
    #expect(app.appending(index: 0).parent == app)
    #expect(app.parent?.parent == ManifestKeyPath())
    #expect(ManifestKeyPath().parent == nil)
  }
}

// SPDX-License-Identifier: GPL-3.0-or-later

import ManifestEdits
import Testing

@Suite("The tables of apps in a manifest")
struct AppSectionsTests {
  private static let manifest = """
    # A comment.
    schema = 1
    [gateway]
    radio = "any"
    [app.lights]
    user = "lights"
    [[app.lights.item]]
    name = "Bulb"

    """

  private static func difference(_ draft: String) -> Int? {
    AppSections.firstOtherDifference(of: Array(draft.utf8), from: Array(manifest.utf8))
  }

  @Test(
    "Changes of apps, comments and empty lines are none",
    arguments: [
      manifest, manifest + "[app.climate]\nuser = \"climate\"\n",
      "schema = 1\n\n  [gateway]\r\nradio = \"any\"\n",
      "schema = 1\n[gateway]\nradio = \"any\"\n[app.lights]\nuser = \"root\"\n[[app.lights.item]]\nname = 5\n",
    ])
  func apps(draft: String) { #expect(Self.difference(draft) == nil) }

  @Test(
    "Any other change is found, with its line",
    arguments: [
      ("schema = 2\n[gateway]\nradio = \"any\"\n", 1), ("schema = 1\n[gateway]\nradio = \"hci1\"\n", 3),
      (manifest + "[limits]\nconnections = 4\n", 9), (manifest + " [ gateway ]\n", 9),
      (manifest + "[\"gateway\"]\non-touch = \"/x\"\n", 9), ("schema = 1\n[gateway]\n", 3),
      // A string that looks like the table of an app.
      ("schema = 1\n[gateway]\nradio = \"any\"\non-touch = '''\n[app.x]\n'''\n", 4),
      ("app.x.user = \"root\"\nschema = 1\n[gateway]\nradio = \"any\"\n", 1),
      ("schema = 1\n[application]\n", 2),
    ])
  func others(draft: String, line: Int) { #expect(Self.difference(draft) == line) }
}

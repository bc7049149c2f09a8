// SPDX-License-Identifier: Apache-2.0

import JSON
import Testing
import Varlink

@Suite("Parameters against their description")
struct CheckTests {
  private static let sound = """
    {"truth":true,"whole":-3,"half":0.5,"name":"n","payload":{"any":[1]},"way":"east","place":{"x":1,"y":2},
     "list":["a","b"],"table":{"one":1},"set":{"s":{}},"other":"two","more_deeply_nested":[{"k":["one"]}]}
    """

  /// The place that does not fit, or nil.
  private static func misfit(_ text: String, in structure: String = "Everything") throws -> String? {
    let description = try Descriptions.everything()
    guard case .type(.structure(let fields))? = description.members[structure],
      case .object(let object) = try JSONReader.read(Array(text.utf8).span)
    else {
      Issue.record("no structure or no object")
      return nil
    }
    do {
      try description.check(object, fields)
      return nil
    } catch {
      return error.path
    }
  }

  @Test("What fits passes, optional fields absent, null or there")
  func sound() throws {
    #expect(try Self.misfit(Self.sound) == nil)
    for more in [#""maybe":null"#, #""maybe":"m","places":[{"x":1,"y":1}]"#, #""places":[]"#] {
      #expect(try Self.misfit("{\(more),\(Self.sound.dropFirst())") == nil)
    }
    #expect(
      try Self.misfit(#"{"value":1,"children":[{"value":2,"children":[]}],"parent":null}"#, in: "Tree") == nil
    )
  }

  @Test(
    "What does not fit is named",
    arguments: [
      (#""truth":true"#, #""truth":1"#, "truth"), (#""truth":true"#, #""truth":null"#, "truth"),
      (#""whole":-3"#, #""whole":-3.0"#, "whole"), (#""whole":-3"#, #""whole":9007199254740992"#, "whole"),
      (#""whole":-3"#, #""whole":"3""#, "whole"), (#""half":0.5"#, #""half":"0.5""#, "half"),
      (#""name":"n""#, #""name":"n\u0000""#, "name"), (#""name":"n""#, #""name":{}"#, "name"),
      (#""name":"n","#, "", "name"), (#""name":"n""#, #""name":"n","maybe":5"#, "maybe"),
      (#""payload":{"any":[1]}"#, #""payload":[]"#, "payload"), (#""way":"east""#, #""way":"East""#, "way"),
      (#""way":"east""#, #""way":1"#, "way"), (#""y":2"#, #""y":"2""#, "place.y"),
      (#","y":2"#, "", "place.y"),
      (#""y":2"#, #""y":2,"z":3"#, "place.z"), (#""b""#, "2", "list[1]"),
      (#""one":1"#, #""one":true"#, "table.one"),
      (#""s":{}"#, #""s":true"#, "set.s"), (#""s":{}"#, #""s":{"t":1}"#, "set.s.t"),
      (#""other":"two""#, #""other":"four""#, "other"),
      (#"["one"]"#, #"["one","x"]"#, "more_deeply_nested[0].k[1]"),
      (#""truth":true"#, #""truth":true,"Truth":true"#, "Truth"),
      (#""truth":true"#, #""truth":true,"":0"#, ""),
    ])
  func misfits(part: String, replacement: String, place: String) throws {
    let text = Self.sound.split(separator: part, maxSplits: 1, omittingEmptySubsequences: false)
      .joined(separator: replacement)
    #expect(text != Self.sound)
    #expect(try Self.misfit(text) == place)
  }
}

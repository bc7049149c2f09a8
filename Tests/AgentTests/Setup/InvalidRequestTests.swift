// SPDX-License-Identifier: GPL-3.0-or-later

import VarlinkClient
import Agent
import JSON
import Setup
import Testing
import Varlink

@Suite("Invalid requests name the field at fault", .overEveryTransport)
struct InvalidRequestTests {
  @Test(
    "The error names the field, what is wrong and what to do",
    arguments: [
      (#""items":[]"#, "items"),
      (#""items":[{"item":"lamp"}]"#, "items[0].item"),
      (#""items":[{"name":"Mine","descriptor":{}}]"#, "items[0].descriptor"),
      (
        #""items":[{"item":"bulb"},{"name":"Mine","descriptor":{"bluetoothServiceUUID":"180F"}}]"#,
        "items[1].descriptor.bluetoothServiceUUID"
      ),
      (
        #""items":[{"name":"Mine","descriptor":{"bluetoothCompanyIdentifier":76}}]"#,
        "items[0].descriptor.bluetoothCompanyIdentifier"
      ),
      (
        #""items":[{"name":"Mine","descriptor":{"bluetoothCompanyIdentifier":3822},"setupOptions":8}]"#,
        "items[0].setupOptions"
      ),
      (#""settings":{"discoveryTimeout":"0"}"#, "settings.discoveryTimeout"),
      (#""settings":{"discoveryTimeout":"soon"}"#, "settings.discoveryTimeout"),
      (#""settings":{"options":2}"#, "settings.options"),
    ])
  func fields(parameters: String, field: String) {
    let scenario = SetupScenario(.lights { _ in })
    let app = scenario.app()
    let reply = app.call("ShowPicker", parameters).replies.first
    #expect(reply?.error == "io.accessoryd.Session.InvalidRequest")
    #expect(reply?.text("field") == field)
    #expect(reply?.integer("code") == 450)
    #expect(reply?.text("reason") != "" && reply?.text("cure") != "")
    #expect(scenario.harness.setupCore.requests.isEmpty)
  }
}

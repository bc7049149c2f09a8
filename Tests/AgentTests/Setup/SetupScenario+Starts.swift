// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import VirtualRadio

/// How scenarios begin. The lines until then are removed.
extension SetupScenario {
  /// The app's picker is open with these settings, and an operator sees the devices of the scene.
  static func choosing(
    _ manifest: GatewayManifest = .lights { _ in }, scene: [SceneDevice] = [.bulb(1)], settings: String = ""
  ) -> (SetupScenario, ScenarioApp, ScenarioOperator) {
    let scenario = SetupScenario(manifest, scene: scene)
    let (app, anna) = (scenario.app(), scenario.watcher())
    app.call("ShowPicker", settings.isEmpty ? "" : #""settings":{\#(settings)}"#, wait: 1)
    _ = scenario.takeLines()
    return (scenario, app, anna)
  }

  /// The same for an app with one item.
  static func choosing(
    _ change: (inout DisplayItem) -> Void
  ) -> (SetupScenario, ScenarioApp, ScenarioOperator) {
    choosing(.lights(change))
  }

  /// The accessory that the operator chose awaits its app, which has to confirm it, for a second.
  static func confirming(
    _ change: (inout DisplayItem) -> Void = { $0.setupOptions = .confirmAuthorization }
  ) -> (SetupScenario, ScenarioApp, ScenarioOperator) {
    let (scenario, app, anna) = choosing(change)
    anna.choose(wait: 1)
    _ = scenario.takeLines()
    return (scenario, app, anna)
  }

  /// The app has the accessory that the operator chose: the first candidate, with `more` parameters of the choice.
  static func owning(
    _ manifest: GatewayManifest = .lights { _ in }, scene: [SceneDevice] = [.bulb(1)],
    choosing more: String = ""
  ) -> (SetupScenario, ScenarioApp, ScenarioOperator) {
    let (scenario, app, anna) = choosing(manifest, scene: scene)
    anna.choose(1, more, wait: 1)
    _ = scenario.takeLines()
    return (scenario, app, anna)
  }
}

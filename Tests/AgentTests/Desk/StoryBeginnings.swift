// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import VirtualRadio

/// How stories begin. What is told until then is taken already.
extension DeskStory {
  /// The app's picker is open, and an operator sees what is in the scene.
  static func choosing(
    _ manifest: GatewayManifest = .lights { _ in }, scene: [SceneDevice] = [.bulb(1)]
  ) -> (DeskStory, StoryApp, StoryOperator) {
    let story = DeskStory(manifest, scene: scene)
    let (app, anna) = (story.app(), story.watcher())
    app.call("ShowPicker")
    story.run(seconds: 1)
    _ = story.takeLines()
    return (story, app, anna)
  }

  /// The same, of an app with one item.
  static func choosing(
    _ change: (inout DisplayItem) -> Void
  ) -> (DeskStory, StoryApp, StoryOperator) {
    choosing(.lights(change))
  }

  /// The app has what the operator chose: the first that was found, with `more` that the choice says.
  static func owning(
    _ manifest: GatewayManifest = .lights { _ in }, scene: [SceneDevice] = [.bulb(1)],
    choosing more: String = ""
  ) -> (DeskStory, StoryApp, StoryOperator) {
    let (story, app, anna) = choosing(manifest, scene: scene)
    anna.choose(1, more)
    story.run(seconds: 1)
    _ = story.takeLines()
    return (story, app, anna)
  }
}

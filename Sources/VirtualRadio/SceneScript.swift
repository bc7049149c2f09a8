// SPDX-License-Identifier: GPL-3.0-or-later

/// A scene as a file describes it: who advertises, through which controller it is heard, and what goes wrong.
public struct SceneScript: Sendable {
  /// Decides everything that is left to chance.
  public var seed: UInt64 = 1
  /// After this time what the devices do begins anew, for ever; nil plays it once.
  public var periodMicroseconds: Int64?
  public var controller = ControllerScript()
  public var devices: [SceneDevice] = []

  public init() {}
}

extension VirtualController {
  /// The controller of a scene. Another seed gives another run of the same script.
  public init(_ scene: SceneScript, seed: UInt64? = nil) {
    self.init(
      scene.controller, scene: scene.devices, seed: seed ?? scene.seed,
      periodMicroseconds: scene.periodMicroseconds)
  }
}

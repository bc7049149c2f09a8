// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

/// A scene as a file describes it: the devices, the controller that receives them, and its faults.
public struct SceneScript: Sendable {
  /// Decides everything that is left to chance.
  public var seed: UInt64 = 1
  /// The devices' scripts restart after this time, for ever; nil plays them once.
  public var periodMicroseconds: Int64?
  public var controller = ControllerScript()
  public var devices: [SceneDevice] = []

  public init() {}
}

extension VirtualController {
  /// The controller of a scene. Another `seed` gives another run of the same script.
  public init(_ scene: SceneScript, seed: UInt64? = nil) {
    self.init(
      scene.controller, scene: scene.devices, seed: seed ?? scene.seed,
      periodMicroseconds: scene.periodMicroseconds)
  }
}

/// The identity, the features and the faults of a virtual controller.
public struct ControllerScript: Equatable, Sendable {
  /// The public address, in the low 48 bits; all clear or all set for a controller without one.
  public var address: UInt64 = 0x00E0_4C00_0001
  /// The version that it reports: 8 is 4.2, 9 is 5.0, 10 is 5.1. It changes nothing else.
  public var version: UInt8 = 10
  /// The company identifier that it reports; by default one that is assigned to no company.
  public var manufacturer: UInt16 = 0xFFFF
  public var hasExtendedAdvertising = true
  public var hasCodedPHY = true
  /// From a command to its answer.
  public var answerMicroseconds: Int64 = 1000
  /// In how many of a thousand cases a report that follows another within 2 ms joins its event.
  public var batchPerMille = 200
  public var faults: [ControllerFault] = []

  public init() {}

  /// A Raspberry Pi's built-in chip: it reports 5.0 and has no extended advertising.
  public static var pi: Self {
    var script = Self()
    script.version = 9
    script.manufacturer = 0x000F
    script.hasExtendedAdvertising = false
    script.hasCodedPHY = false
    return script
  }

  var hasPublicAddress: Bool { address != 0 && address != 1 << 48 - 1 }

  /// The LE features that it reports (Core Specification 5.4, Volume 6, Part B, 4.6).
  var features: LEFeatures {
    var features = LEFeatures.encryption.union(.dataLengthExtension).union(.le2M)
    if hasExtendedAdvertising { features = features.union(.extendedAdvertising) }
    if hasCodedPHY { features = features.union(.codedPHY) }
    return features
  }
}

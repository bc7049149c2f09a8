// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
public import ManifestFormat
public import VirtualRadio

/// Reads a scene.
///
///     schema = 1
///     repeat = "80s"
///
///     [[device]]
///     name     = "bulb"
///     address  = "C4:A1:00:00:1E:27"
///     address-type = "static"
///     interval = "100ms"
///     payload  = [{ flags = 6 }, { company = "0x0EEE", data = "a55a" }]
///     path     = [{ at = "10s", dbm = -75 }, { at = "12s", dbm = -38 }]
public enum SceneReader {
  static let schema: Int64 = 1

  /// Pure: any bytes give a scene or diagnostics.
  public static func read(text: [UInt8], fileName: String) -> Reading<SceneScript> {
    DocumentReader.read(text: text, fileName: fileName, schema: schema) { root, log in
      (SceneScript(TableReader<SceneKey>(root, at: ManifestKeyPath(), log: log)), [])
    }
  }
}

extension SceneScript {
  fileprivate init(_ table: TableReader<SceneKey>) {
    self.init()
    table.require(.schema)
    _ = table.integer(.schema, in: SceneReader.schema...SceneReader.schema)
    seed = UInt64(table.integer(.seed, in: 0...Int64.max) ?? 1)
    periodMicroseconds = table.duration(.period, in: 1_000_000...86_400_000_000)
    if table.node(.controller) != nil { controller.read(table.table(.controller)) }
    let usual = SignalModel(usual: table.table(.signal))
    devices = table.tables(.device).compactMap { SceneDevice($0, usual: usual) }
  }
}

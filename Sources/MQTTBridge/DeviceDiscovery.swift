// SPDX-License-Identifier: GPL-3.0-or-later

import BrokerFeed
import Interfaces
import JSON
import SensorFormats

/// An accessory as a device of Home Assistant (its documentation, "MQTT", "Device discovery payload").
struct DeviceDiscovery {
  let topics: MQTTTopics
  let version: String
  let showsAddresses: Bool

  func payload(of line: AccessoryLine, values: [SensorValue]) -> [UInt8] {
    let device = "accessoryd_\(line.identifier)"
    let components = values.compactMap { Component($0) }
    return JSONText.object { json in
      json.object("dev") { json in
        json.member("ids", [device])
        json.member("name", line.displayName)
        if let address = line.address?.text, showsAddresses {
          json.member("cns", [["bluetooth", address]])
        }
      }
      json.object("o") { json in
        json.member("name", "accessoryd")
        json.member("sw", version)
      }
      json.member("avty_t", topics.availability)
      json.member("stat_t", topics.state(line.identifier))
      json.object("cmps") { json in
        Component.inSight.write(as: device, topic: nil, to: &json)
        Component.level.write(as: device, topic: nil, to: &json)
        for component in components {
          component.write(as: device, topic: topics.values(line.identifier), to: &json)
        }
      }
    }
  }
}

extension DeviceDiscovery {
  /// An entity of a device: a sensor, or a binary sensor.
  struct Component: Equatable, Sendable {
    private var platform = "sensor"
    private let key: String
    private let name: String
    private var deviceClass: String?
    private var stateClass: String?
    private var unit: String?
    private let template: String
    private var isDiagnostic = false
    /// Whether Home Assistant shows it without being asked to.
    private var isEnabled = true

    private init(key: String, name: String, template: String) {
      (self.key, self.name, self.template) = (key, name, template)
    }

    static let inSight = {
      var component = Component(
        key: "in_sight", name: "In sight", template: "{{ 'ON' if value_json.isInSight else 'OFF' }}")
      component.platform = "binary_sensor"
      component.deviceClass = "connectivity"
      component.isDiagnostic = true
      return component
    }()

    static let level = {
      var component = Component(
        key: "signal_strength", name: "Signal strength", template: "{{ value_json.filteredRSSI }}")
      component.deviceClass = "signal_strength"
      component.stateClass = "measurement"
      component.unit = "dBm"
      component.isDiagnostic = true
      return component
    }()

    /// The entity of a value; nil for one that is no state.
    init?(_ value: SensorValue) {
      let kind = String(value.kind)
      let label = Self.label(of: value.name)
      switch value.content {
      case .number:
        self.init(key: value.name, name: label, template: "{{ value_json.\(value.name) }}")
        unit = value.unit
        deviceClass = Self.numberClasses[kind]
        stateClass = Self.totals.contains(kind) ? "total_increasing" : "measurement"
        if kind == "direction" || kind == "timestamp" { stateClass = nil }
      case .flag:
        let (on, off) = kind == "safe" ? ("OFF", "ON") : ("ON", "OFF")
        self.init(
          key: value.name, name: label, template: "{{ '\(on)' if value_json.\(value.name) else '\(off)' }}")
        platform = "binary_sensor"
        deviceClass = Self.flagClasses[kind]
      case .text:
        self.init(key: value.name, name: label, template: "{{ value_json.\(value.name) }}")
        isDiagnostic = true
        isEnabled = false
      case .event: return nil
      }
      if Self.diagnostics.contains(kind) { (isDiagnostic, isEnabled) = (true, false) }
      if kind == "battery" || kind == "voltage" || kind == "battery_low" { isDiagnostic = true }
    }

    func write(as device: String, topic: String?, to json: inout JSONWriter) {
      json.object(key) { json in
        json.member("p", platform)
        json.member("uniq_id", "\(device)_\(key)")
        json.member("name", name)
        json.member("dev_cla", deviceClass)
        json.member("stat_cla", stateClass)
        json.member("unit_of_meas", unit)
        json.member("stat_t", topic)
        json.member("val_tpl", template)
        if isDiagnostic { json.member("ent_cat", "diagnostic") }
        if !isEnabled { json.member("en", false) }
      }
    }

    /// A value's name for readers.
    private static func label(of name: String) -> String {
      let words = name.split(separator: "_").map { abbreviations[String($0)] ?? String($0) }
      let label = words.joined(separator: " ")
      return label.prefix(1).uppercased() + label.dropFirst()
    }

    private static let abbreviations = [
      "co2": "CO2", "pm1": "PM1", "pm25": "PM2.5", "pm10": "PM10", "uuid": "UUID", "voc": "VOC", "nox": "NOx",
      "tx": "TX",
    ]
    /// What Home Assistant calls a kind of number.
    private static let numberClasses = [
      "temperature": "temperature", "dew_point": "temperature", "humidity": "humidity",
      "pressure": "pressure",
      "illuminance": "illuminance", "battery": "battery", "voltage": "voltage", "current": "current",
      "power": "power", "energy": "energy", "gas": "gas", "water": "water", "mass": "weight",
      "moisture": "moisture", "co2": "carbon_dioxide", "pm25": "pm25", "pm10": "pm10",
      "voc": "volatile_organic_compounds", "speed": "speed", "distance": "distance", "duration": "duration",
      "uptime": "duration", "conductivity": "conductivity", "precipitation": "precipitation",
      "volume_storage": "volume_storage", "volume_flow_rate": "volume_flow_rate",
      "tx_power": "signal_strength", "measured_power": "signal_strength",
    ]
    /// What Home Assistant calls a kind of flag.
    private static let flagClasses = [
      "battery_low": "battery", "battery_charging": "battery_charging", "carbon_monoxide": "carbon_monoxide",
      "cold": "cold", "connectivity": "connectivity", "door": "door", "garage_door": "garage_door",
      "gas_detected": "gas", "heat": "heat", "light": "light", "unlocked": "lock",
      "moisture_detected": "moisture", "motion": "motion", "moving": "moving", "occupancy": "occupancy",
      "opening": "opening", "plug": "plug", "power_on": "power", "presence": "presence", "problem": "problem",
      "running": "running", "safe": "safety", "smoke": "smoke", "sound": "sound", "tamper": "tamper",
      "vibration": "vibration", "window": "window",
    ]
    /// Kinds that only grow.
    private static let totals: Set<String> = ["energy", "gas", "water", "advertisement_count"]
    /// Kinds that only an expert wants to see.
    private static let diagnostics: Set<String> = [
      "tx_power", "measured_power", "movement_count", "sequence", "advertisement_count", "uptime",
      "device_type",
      "settings_revision", "major", "minor", "acceleration_x", "acceleration_y", "acceleration_z",
      "timestamp",
    ]
  }
}

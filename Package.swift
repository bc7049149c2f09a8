// swift-tools-version: 6.2
// SPDX-License-Identifier: GPL-3.0-or-later

import PackageDescription

/// Settings every Swift target is built with.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableExperimentalFeature("Lifetimes"),
  .treatAllWarnings(as: .error),
]

/// What the agent runs seldom is optimised for size. Not the data path, and not what the library for apps links, because a
/// package may not use unsafe flags of another.
let compact = strict + [.unsafeFlags(["-Osize"], .when(configuration: .release))]

let package = Package(
  name: "accessory-gateway",
  products: [
    // Apache-2.0, with everything it links.
    .library(name: "AccessorySetupKit", targets: ["AccessorySetupKit"]),
    .library(name: "AccessoryCoreBluetooth", targets: ["CoreBluetooth"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2")
  ],
  targets: [
    // Times, addresses, identifiers, and the words that both the rules and the wire use. Apache-2.0.
    .target(name: "Values", swiftSettings: strict),
    // The data path: pure, no allocation, compiled as Embedded Swift by every check.
    .target(name: "HCI", dependencies: ["Values"], swiftSettings: strict),
    .target(name: "Discovery", dependencies: ["Values", "HCI"], swiftSettings: strict),

    // The rules and their formats.
    .target(name: "Controller", dependencies: ["HCI"], swiftSettings: strict),
    .target(name: "Wireless", dependencies: ["Values", "HCI"], swiftSettings: compact),
    .target(name: "Manifest", dependencies: ["Values", "HCI", "Discovery"], swiftSettings: strict),
    .target(
      name: "Registry", dependencies: ["Values", "HCI", "Discovery", "Manifest"], swiftSettings: compact),
    .target(name: "DBus", swiftSettings: compact),
    // What sensors advertise in open formats, as values. Apache-2.0.
    .target(name: "SensorFormats", swiftSettings: strict),
    .target(
      name: "Pairing", dependencies: ["Values", "HCI", "Controller", "DBus", "Registry"],
      swiftSettings: compact),
    .target(
      name: "Setup", dependencies: ["Values", "HCI", "Discovery", "Manifest", "Registry", "Pairing"],
      swiftSettings: strict),
    .target(
      name: "CToml", cxxSettings: [.unsafeFlags(["-Os"], .when(configuration: .release))]),
    .target(
      name: "ManifestFormat", dependencies: ["HCI", "Discovery", "LinuxSystem", "Manifest", "CToml"],
      swiftSettings: compact),

    // JSON and Varlink, which the client library uses too.
    .target(name: "JSON", dependencies: ["Values"], swiftSettings: strict),
    .target(name: "Varlink", dependencies: ["JSON"], swiftSettings: strict),
    // Reads the definitions of interfaces, for the generator and tests.
    .target(name: "InterfaceDefinition", dependencies: ["Varlink"], swiftSettings: strict),
    // The client's side, for apps, the tool and whatever else calls the agent.
    .target(name: "VarlinkClient", dependencies: ["JSON", "Varlink"], swiftSettings: strict),
    .target(name: "CInterfaces"),
    .target(
      name: "Interfaces", dependencies: ["JSON", "SensorFormats", "Values", "Varlink", "CInterfaces"],
      swiftSettings: strict,
      // Rounding of numbers that were read back.
      linkerSettings: [.linkedLibrary("m")]),

    // Writes the values of Interfaces from Config/*.varlink; run by Scripts/steps/interfaces.
    .executableTarget(
      name: "interface-generator", dependencies: ["InterfaceDefinition", "Varlink"],
      path: "Scripts/interface-generator", swiftSettings: strict),

    // The library for apps. Nothing that it depends on is under the GPL.
    .target(
      name: "SessionClient", dependencies: ["Interfaces", "JSON", "Values", "Varlink", "VarlinkClient"],
      swiftSettings: strict),
    .target(name: "CSocketWatch"),
    .target(
      name: "AccessorySetupKit",
      dependencies: ["Values", "Interfaces", "JSON", "SensorFormats", "SessionClient", "CSocketWatch"],
      exclude: ["README.md"],
      swiftSettings: strict),
    // The Attribute Protocol's client, for the library for apps.
    .target(name: "GATT", swiftSettings: strict),
    .target(name: "CoreBluetooth", dependencies: ["AccessorySetupKit", "GATT"], swiftSettings: strict),

    // System calls, without policy; the text that the tool prints.
    .target(name: "CLinux"),
    .target(name: "CBluetooth"),
    .target(name: "LinuxSystem", dependencies: ["CBluetooth", "CLinux"], swiftSettings: strict),
    // System calls that the tool and bridges make, and the agent does not.
    .target(name: "CTool"),
    .target(name: "ToolSystem", dependencies: ["CLinux", "CTool", "LinuxSystem"], swiftSettings: strict),
    // Networks: libiw, and the kernel's generic netlink. Linked statically, because nothing else needs the library.
    .target(name: "CWireless", linkerSettings: [.linkedLibrary(":libiw.a"), .linkedLibrary("m")]),
    .target(
      name: "KernelNetworks", dependencies: ["CWireless", "HCI", "LinuxSystem", "Wireless"],
      swiftSettings: compact),
    // The networks in the stores of NetworkManager, wpa_supplicant and iwd.
    .target(name: "KnownNetworks", dependencies: ["LinuxSystem"], swiftSettings: strict),
    // The devices that bluetoothd knows.
    .target(
      name: "BlueZ", dependencies: ["DBus", "HCI", "LinuxSystem", "Manifest"],
      swiftSettings: compact),
    // The bonds that bluetoothd has stored, and which items match the devices it knows, for the tool.
    .target(
      name: "BondFiles", dependencies: ["BlueZ", "Discovery", "HCI", "LinuxSystem", "Manifest", "Registry"],
      swiftSettings: strict),
    // The check of a manifest, and changes in its text.
    .target(
      name: "ManifestEdits", dependencies: ["HCI", "Discovery", "Manifest", "ManifestFormat"],
      swiftSettings: strict),
    // An iOS app's Info.plist.
    .target(name: "PropertyList", dependencies: ["HCI", "Manifest", "ManifestEdits"], swiftSettings: strict),
    // Devices and events of the tables, as lines.
    .target(
      name: "DeviceLines", dependencies: ["HCI", "Discovery", "Manifest", "Interfaces", "JSON"],
      swiftSettings: compact),
    // Why a device matches an item or not.
    .target(
      name: "Explanation",
      dependencies: ["HCI", "DeviceLines", "Discovery", "Manifest", "Interfaces", "JSON"],
      swiftSettings: strict),
    // Which item would find a device.
    .target(
      name: "Suggestions",
      dependencies: [
        "HCI", "DeviceLines", "Discovery", "Explanation", "Manifest", "ManifestEdits", "ManifestFormat",
        "Interfaces", "JSON",
      ],
      swiftSettings: strict),
    .target(
      name: "ToolText",
      dependencies: [
        "Captures", "HCI", "DeviceLines", "Discovery", "Explanation", "Interfaces", "Manifest", "JSON",
        "Suggestions",
      ],
      swiftSettings: strict),

    // The screen on which an operator chooses an accessory (pure), and the terminal that shows it.
    .target(
      name: "PickerScreen", dependencies: ["HCI", "Interfaces", "JSON", "ToolText"], swiftSettings: strict),
    .target(name: "CCurses", linkerSettings: [.linkedLibrary("ncursesw"), .linkedLibrary("tinfo")]),
    .target(name: "Terminal", dependencies: ["CCurses", "PickerScreen"], swiftSettings: strict),

    // The registry as rows of text, in lines and on disk.
    .target(
      name: "RegistryFormat", dependencies: ["Manifest", "Registry", "HCI", "JSON"],
      swiftSettings: compact),
    // Linked statically: 300 kB less of it are resident than of the shared library.
    .target(name: "CSQLite", linkerSettings: [.linkedLibrary(":libsqlite3.a"), .linkedLibrary("m")]),
    .target(
      name: "RegistryStore",
      dependencies: ["Manifest", "Registry", "CSQLite", "LinuxSystem", "RegistryFormat"],
      swiftSettings: compact),

    // Captures as the tool, scenes and tests write them.
    .target(name: "Captures", dependencies: ["HCI"], swiftSettings: strict),

    // Simulated devices and their scene, for tests and demonstrations.
    .target(name: "VirtualRadio", dependencies: ["Captures", "HCI"], swiftSettings: strict),
    .target(
      name: "SceneFormat", dependencies: ["HCI", "Manifest", "ManifestFormat", "VirtualRadio"],
      swiftSettings: strict),
    .executableTarget(
      name: "make-demo-capture",
      dependencies: ["VirtualRadio", "HCI", "LinuxSystem", "ManifestFormat", "SceneFormat", "ToolSystem"],
      path: "Scripts/demo-capture", swiftSettings: strict),

    // The agent: its decisions and replies (pure), and the loop that reads and writes file descriptors.
    .target(
      name: "Agent",
      dependencies: [
        "HCI", "Discovery", "Controller", "Manifest", "Registry", "Pairing", "Setup", "JSON", "Varlink",
        "Interfaces", "RegistryFormat", "DeviceLines", "Wireless",
      ],
      swiftSettings: strict),
    .target(
      name: "AgentRuntime",
      dependencies: [
        "BlueZ", "HCI", "Controller", "Manifest", "Registry", "Pairing", "Setup", "Agent", "JSON", "Varlink",
        "Interfaces", "KernelNetworks", "LinuxSystem", "ManifestFormat", "RegistryStore", "Wireless",
      ],
      swiftSettings: compact),
    .executableTarget(
      name: "accessoryd", dependencies: ["AgentRuntime"], swiftSettings: strict),
    .executableTarget(
      name: "virtual-controller",
      dependencies: [
        "Manifest", "HCI", "LinuxSystem", "ManifestFormat", "SceneFormat", "VirtualRadio",
      ],
      swiftSettings: strict),

    // A controller for a real kernel, for Scripts/lab.
    .target(
      name: "LaboratoryRadio", dependencies: ["HCI", "VirtualRadio"],
      path: "Scripts/laboratory/LaboratoryRadio", swiftSettings: strict),
    .executableTarget(
      name: "vhci-scene",
      dependencies: [
        "HCI", "LaboratoryRadio", "LinuxSystem", "ManifestFormat", "SceneFormat", "VirtualRadio",
      ],
      path: "Scripts/laboratory/VhciScene", swiftSettings: strict),
    // What both sources of networks deliver.
    .executableTarget(
      name: "network-list", dependencies: ["KernelNetworks", "LinuxSystem", "Wireless"],
      path: "Scripts/laboratory/NetworkList", swiftSettings: strict),
    // An app that reads, writes and subscribes to what a scenario names.
    .executableTarget(
      name: "link-probe", dependencies: ["AccessorySetupKit", "CoreBluetooth"],
      path: "Scripts/laboratory/LinkProbe",
      swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),

    .executableTarget(
      name: "accessoryctl",
      dependencies: [
        "BlueZ", "BondFiles", "Captures", "HCI", "DeviceLines", "Discovery", "Explanation", "Interfaces",
        "KnownNetworks",
        "Manifest",
        "ManifestEdits", "ManifestFormat", "Registry",
        "PropertyList", "QRCode", "RegistryFormat", "Suggestions",
        "ToolSystem", "ToolText", "JSON", "LinuxSystem", "Varlink", "VarlinkClient", "PickerScreen",
        "Terminal",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),

    // A bridge's side of its connections to the agent.
    .target(
      name: "BridgeClient", dependencies: ["Interfaces", "JSON", "Varlink", "VarlinkClient"],
      swiftSettings: strict),
    // The gateway as an ESPHome device, for Home Assistant.
    .target(name: "CSodium", linkerSettings: [.linkedLibrary(":libsodium.a")]),
    .target(
      name: "ESPHome",
      dependencies: [
        "BridgeClient", "CSodium", "DBus", "GATT", "Interfaces", "JSON", "Values", "VarlinkClient",
      ],
      swiftSettings: compact),
    // Sockets and files of bridges. The agent has no code for networks.
    .target(name: "CNetwork"),
    .target(
      name: "BridgeRuntime",
      dependencies: ["BridgeClient", "CNetwork", "Interfaces", "LinuxSystem", "ToolSystem"],
      swiftSettings: compact),
    .target(name: "CQRencode", linkerSettings: [.linkedLibrary("qrencode")]),
    .target(name: "QRCode", dependencies: ["CQRencode"], swiftSettings: compact),
    .executableTarget(
      name: "accessory-esphome",
      dependencies: [
        "BridgeClient", "BridgeRuntime", "DBus", "ESPHome", "Interfaces", "LinuxSystem", "QRCode",
        "ToolSystem", "Values",
      ],
      swiftSettings: compact),

    // The page for operators' browsers.
    .target(
      name: "CMicrohttpd", linkerSettings: [.linkedLibrary("microhttpd"), .linkedLibrary("gnutls")]),
    .target(
      name: "WebPage",
      dependencies: [
        "BridgeClient", "Captures", "Discovery", "Explanation", "HCI", "Interfaces", "JSON", "Manifest",
        "ManifestEdits",
        "ManifestFormat", "Suggestions", "Values", "VarlinkClient",
      ],
      swiftSettings: compact),
    .executableTarget(
      name: "accessory-web",
      dependencies: [
        "BridgeClient", "BridgeRuntime", "CMicrohttpd", "Interfaces", "JSON", "LinuxSystem", "Manifest",
        "ManifestEdits", "ManifestFormat", "Values", "WebPage",
      ],
      exclude: ["Page"], swiftSettings: compact),

    // What bridges to brokers have in common: the gateway's events as payloads, and parts of their configurations.
    .target(
      name: "BrokerFeed",
      dependencies: ["BridgeClient", "Interfaces", "JSON", "SensorFormats", "VarlinkClient"],
      swiftSettings: compact),
    .target(
      name: "BrokerFormat", dependencies: ["BrokerFeed", "Manifest", "ManifestFormat"],
      swiftSettings: compact),

    // The gateway for a broker of MQTT.
    .target(
      name: "MQTTBridge",
      dependencies: [
        "BridgeClient", "BrokerFeed", "Interfaces", "JSON", "SensorFormats", "Values", "VarlinkClient",
      ],
      swiftSettings: compact),
    .target(name: "CMosquitto", linkerSettings: [.linkedLibrary("mosquitto")]),
    .target(
      name: "MQTTFormat",
      dependencies: ["BrokerFeed", "BrokerFormat", "MQTTBridge", "Manifest", "ManifestFormat"],
      swiftSettings: compact),
    .executableTarget(
      name: "accessory-mqtt",
      dependencies: [
        "BridgeClient", "BridgeRuntime", "BrokerFeed", "CMosquitto", "Interfaces", "LinuxSystem",
        "ManifestFormat", "MQTTBridge", "MQTTFormat",
      ],
      swiftSettings: compact),

    // The gateway for servers of NATS.
    .target(
      name: "NATSBridge",
      dependencies: ["BridgeClient", "BrokerFeed", "Interfaces", "JSON"],
      swiftSettings: compact),
    .target(name: "CNats", linkerSettings: [.linkedLibrary("nats")]),
    .target(
      name: "NATSFormat",
      dependencies: ["BrokerFeed", "BrokerFormat", "NATSBridge", "Manifest", "ManifestFormat"],
      swiftSettings: compact),
    .executableTarget(
      name: "accessory-nats",
      dependencies: [
        "BridgeClient", "BridgeRuntime", "BrokerFeed", "CNats", "Interfaces", "LinuxSystem",
        "ManifestFormat", "NATSBridge", "NATSFormat",
      ],
      swiftSettings: compact),

    .target(
      name: "TestSupport", dependencies: ["Captures", "HCI", "Varlink"], path: "Tests/Support",
      swiftSettings: strict),
    .target(
      name: "FilterSupport", dependencies: ["Manifest"], path: "Tests/FilterSupport", swiftSettings: strict),
    .target(
      name: "BusSupport", dependencies: ["LinuxSystem"], path: "Tests/BusSupport", swiftSettings: strict),
    .target(
      name: "GateTrials", dependencies: ["Manifest", "Discovery", "HCI", "Setup", "VirtualRadio"],
      path: "Scripts/gate-tables/GateTrials", swiftSettings: strict),
    .executableTarget(
      name: "gate-tables", dependencies: ["GateTrials", "VirtualRadio"],
      path: "Scripts/gate-tables/GateTables", swiftSettings: strict),

    .testTarget(
      name: "WirelessTests", dependencies: ["HCI", "TestSupport", "Wireless"], swiftSettings: strict),
    .testTarget(
      name: "KernelNetworksTests", dependencies: ["HCI", "KernelNetworks", "TestSupport", "Wireless"],
      swiftSettings: strict),
    .testTarget(name: "HCITests", dependencies: ["Captures", "HCI", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "TestDataTests",
      dependencies: [
        "Captures", "FilterSupport", "Manifest", "Discovery", "HCI", "ManifestFormat", "TestSupport",
        "VirtualRadio",
      ],
      swiftSettings: strict),
    // Counts instructions and allocations; run by Scripts/bench.
    .target(name: "CAllocations", path: "Scripts/benchmark/CAllocations"),
    .executableTarget(
      name: "benchmark",
      dependencies: [
        "Captures", "HCI", "Discovery", "JSON", "LinuxSystem", "Manifest", "Setup", "ToolSystem",
        "VirtualRadio",
        "CAllocations",
      ],
      path: "Scripts/benchmark/Benchmark", swiftSettings: strict),
    .executableTarget(
      name: "benchmark-delivery",
      dependencies: [
        "Agent", "Manifest", "Setup", "CAllocations", "HCI", "Varlink", "VarlinkClient", "VirtualRadio",
      ],
      path: "Scripts/benchmark/Delivery", swiftSettings: strict),
    // An app that does nothing; run by Scripts/bench.
    .executableTarget(
      name: "idle-client", dependencies: ["AccessorySetupKit"], path: "Scripts/benchmark/IdleClient",
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),

    .testTarget(
      name: "VirtualRadioTests", dependencies: ["VirtualRadio", "HCI", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "LaboratoryTests",
      dependencies: ["LaboratoryRadio", "HCI", "TestSupport", "VirtualRadio"], swiftSettings: strict),
    .testTarget(
      name: "DemoCaptureTests",
      dependencies: [
        "make-demo-capture", "Discovery", "HCI", "LinuxSystem", "Manifest", "ManifestFormat", "SceneFormat",
        "TestSupport", "VirtualRadio",
      ],
      swiftSettings: strict),
    // The core that Scripts/steps/aarch64 replays on two processors; Scripts/embedded builds it again.
    .target(
      name: "ReplayCore", dependencies: ["HCI", "Discovery"], path: "Scripts/embedded/Sources/ReplayCore",
      swiftSettings: strict + [.enableExperimentalFeature("Extern")]),
    .executableTarget(
      name: "replay-core", dependencies: ["ReplayCore"], path: "Scripts/replay-core", swiftSettings: strict),
    .testTarget(
      name: "MatcherTests",
      dependencies: [
        "FilterSupport", "Manifest", "Setup", "Discovery", "HCI", "TestSupport", "VirtualRadio",
      ],
      swiftSettings: strict),
    .testTarget(name: "GateTests", dependencies: ["GateTrials"], swiftSettings: strict),
    .testTarget(
      name: "DiscoveryTests",
      dependencies: ["Discovery", "HCI", "Manifest", "Setup", "VarlinkClient", "VirtualRadio"],
      swiftSettings: strict),
    .testTarget(
      name: "LinuxSystemTests", dependencies: ["LinuxSystem", "TestSupport", "ToolSystem"],
      swiftSettings: strict),
    .testTarget(
      name: "BridgeClientTests",
      dependencies: ["BridgeClient", "Interfaces", "JSON", "Varlink", "VarlinkClient", "VirtualRadio"],
      swiftSettings: strict),
    .testTarget(
      name: "ESPHomeTests",
      dependencies: [
        "BridgeClient", "BusSupport", "DBus", "ESPHome", "GATT", "GATTSupport", "Interfaces", "JSON",
        "QRCode",
        "TestSupport", "Values", "Varlink", "VarlinkClient", "VirtualRadio",
      ],
      swiftSettings: strict),
    // An agent whose events the tests of bridges to brokers make.
    .target(
      name: "BrokerSupport", dependencies: ["BridgeClient", "Interfaces", "JSON", "Values", "Varlink"],
      path: "Tests/BrokerSupport", swiftSettings: strict),
    .testTarget(
      name: "MQTTBridgeTests",
      dependencies: [
        "BridgeClient", "BrokerFeed", "BrokerSupport", "Interfaces", "JSON", "MQTTBridge", "MQTTFormat",
        "ManifestFormat", "VirtualRadio",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "NATSBridgeTests",
      dependencies: [
        "BridgeClient", "BrokerFeed", "BrokerSupport", "JSON", "ManifestFormat", "NATSBridge", "NATSFormat",
        "VirtualRadio",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "WebPageTests",
      dependencies: [
        "BridgeClient", "Interfaces", "JSON", "ManifestEdits", "Varlink", "VarlinkClient", "WebPage",
      ],
      swiftSettings: strict),
    .testTarget(name: "DBusTests", dependencies: ["BusSupport", "DBus"], swiftSettings: strict),
    .testTarget(
      name: "SensorFormatsTests", dependencies: ["SensorFormats", "TestSupport"], swiftSettings: strict),
    .testTarget(name: "KnownNetworksTests", dependencies: ["KnownNetworks"], swiftSettings: strict),
    .testTarget(
      name: "BlueZTests",
      dependencies: [
        "BlueZ", "BondFiles", "BusSupport", "DBus", "HCI", "LinuxSystem", "Manifest", "Registry",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "PropertyListTests", dependencies: ["HCI", "PropertyList"], swiftSettings: strict),
    .testTarget(
      name: "SceneFormatTests",
      dependencies: ["SceneFormat", "Controller", "HCI", "ManifestFormat", "TestSupport", "VirtualRadio"],
      exclude: ["Fixtures"], swiftSettings: strict),
    .testTarget(
      name: "ControllerTests",
      dependencies: ["AdapterSupport", "Controller", "Manifest", "HCI", "VirtualRadio", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "PairingTests",
      dependencies: [
        "AdapterSupport", "BusSupport", "Controller", "HCI", "LinuxSystem", "Pairing", "Registry",
      ],
      swiftSettings: strict),
    .target(name: "CCrashDisk", dependencies: ["CSQLite"], path: "Tests/CCrashDisk"),
    .target(
      name: "RegistrySupport",
      dependencies: [
        "Manifest", "Registry", "CCrashDisk", "HCI", "LinuxSystem", "RegistryStore", "VirtualRadio",
      ],
      path: "Tests/RegistrySupport", swiftSettings: strict),
    .target(
      name: "AdapterSupport", dependencies: ["Controller", "HCI", "Pairing"], path: "Tests/AdapterSupport",
      swiftSettings: strict),
    .target(
      name: "AgentSupport",
      dependencies: ["AdapterSupport", "Agent", "Pairing", "Registry", "Setup", "Varlink"],
      path: "Tests/AgentSupport", swiftSettings: strict),
    .testTarget(
      name: "ManifestTests", dependencies: ["HCI", "Discovery", "Manifest", "VirtualRadio"],
      swiftSettings: strict),
    .testTarget(
      name: "RegistryTests", dependencies: ["HCI", "Manifest", "Registry", "RegistrySupport"],
      swiftSettings: strict),
    .testTarget(
      name: "SetupTests",
      dependencies: ["HCI", "Manifest", "Pairing", "Registry", "RegistrySupport", "Setup"],
      swiftSettings: strict),
    .testTarget(
      name: "RegistryStoreTests",
      dependencies: [
        "RegistryStore", "Manifest", "Registry", "Setup", "CCrashDisk", "CSQLite", "HCI", "JSON",
        "LinuxSystem",
        "RegistrySupport", "RegistryFormat", "ToolSystem", "VirtualRadio",
      ],
      exclude: ["Fixtures"], swiftSettings: strict),
    .testTarget(
      name: "ManifestEditsTests",
      dependencies: ["ManifestEdits", "ManifestFormat", "Manifest", "HCI", "Discovery"],
      swiftSettings: strict),
    .testTarget(
      name: "ManifestFormatTests", dependencies: ["ManifestFormat", "Manifest", "Setup", "HCI", "Discovery"],
      exclude: ["Fixtures"], swiftSettings: strict),
    // A GATT server and a link, in virtual time.
    .target(
      name: "GATTSupport", dependencies: ["GATT", "VirtualRadio"], path: "Tests/GATTSupport",
      swiftSettings: strict),
    .testTarget(
      name: "GATTTests", dependencies: ["GATT", "GATTSupport", "TestSupport", "VirtualRadio"],
      exclude: ["Fixtures"], swiftSettings: strict),
    // Code in the forms of iOS apps, as such an app compiles it.
    .target(
      name: "CoreBluetoothForms", dependencies: ["AccessorySetupKit", "CoreBluetooth"],
      path: "Tests/CoreBluetoothForms",
      swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),
    .testTarget(
      name: "CoreBluetoothTests",
      dependencies: [
        "AccessorySetupKit", "CoreBluetooth", "CoreBluetoothForms", "GATT", "GATTSupport", "JSON",
        "SessionSupport", "Varlink",
      ],
      swiftSettings: strict),
    .testTarget(name: "JSONTests", dependencies: ["JSON", "TestSupport"], swiftSettings: strict),
    .executableTarget(
      name: "varlink-peer", dependencies: ["InterfaceDefinition", "Varlink", "JSON", "TestSupport"],
      path: "Tests/VarlinkPeer",
      swiftSettings: strict),
    .testTarget(
      name: "VarlinkTests",
      dependencies: [
        "InterfaceDefinition", "Varlink", "VarlinkClient", "JSON", "TestSupport", "varlink-peer",
      ],
      exclude: ["Fixtures", "conformance.py"], swiftSettings: strict),
    .testTarget(
      name: "InterfacesTests",
      dependencies: ["InterfaceDefinition", "Interfaces", "JSON", "SensorFormats", "TestSupport", "Varlink"],
      swiftSettings: strict),
    .testTarget(
      name: "SessionClientTests",
      dependencies: ["Interfaces", "JSON", "SessionClient", "SessionSupport", "Varlink", "VarlinkClient"],
      swiftSettings: strict),
    // Code in the forms of iOS apps, compiled in both language modes as an app would be.
    .target(
      name: "AppForms", dependencies: ["AccessorySetupKit"], path: "Tests/AppForms",
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
    .target(
      name: "AppFormsInSwift5", dependencies: ["AccessorySetupKit"], path: "Tests/AppFormsInSwift5",
      swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),
    .executableTarget(
      name: "lamp", dependencies: ["AccessorySetupKit"], path: "Scripts/examples/guide/lamp",
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
    // Apps with each kind of main function.
    .target(
      name: "MainQueueApp", dependencies: ["AccessorySetupKit"], path: "Tests/MainQueue/App",
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
    .executableTarget(
      name: "plain-main", dependencies: ["AccessorySetupKit", "MainQueueApp"], path: "Tests/MainQueue/Plain",
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
    .executableTarget(
      name: "async-main", dependencies: ["MainQueueApp"], path: "Tests/MainQueue/Async",
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
    // Thousands of sessions in one process, for the test of leaks.
    .executableTarget(
      name: "session-soak", dependencies: ["AccessorySetupKit"], path: "Tests/SessionSoak",
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
    // The example apps, which are packages of their own too.
    .executableTarget(
      name: "dice", dependencies: ["AccessorySetupKit", "CoreBluetooth"],
      path: "Scripts/examples/dice/Sources/dice",
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
    .executableTarget(
      name: "lock", dependencies: ["AccessorySetupKit", "CoreBluetooth"],
      path: "Scripts/examples/lock/Sources/lock",
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
    .executableTarget(
      name: "sensor", dependencies: ["AccessorySetupKit", "CoreBluetooth"],
      path: "Scripts/examples/sensor/Sources/sensor",
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
    .executableTarget(
      name: "devices", dependencies: ["AccessorySetupKit", "CoreBluetooth"],
      path: "Scripts/examples/devices/Sources/devices",
      swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]),
    .testTarget(
      name: "ExampleTests",
      dependencies: [
        "AccessorySetupKit", "GATT", "GATTSupport", "JSON", "SessionSupport", "Varlink", "devices", "dice",
      ],
      swiftSettings: strict),
    // An agent at a socket whose replies a test scripts.
    .target(
      name: "SessionSupport", dependencies: ["AccessorySetupKit", "Varlink"], path: "Tests/SessionSupport",
      swiftSettings: strict),
    .testTarget(
      name: "AccessorySetupKitTests",
      dependencies: [
        "AccessorySetupKit", "AppForms", "AppFormsInSwift5", "Interfaces", "JSON", "SessionClient",
        "SessionSupport", "Varlink", "async-main", "lamp", "plain-main", "session-soak",
      ],
      exclude: ["Refused"], swiftSettings: strict),
    .testTarget(
      name: "ExplanationTests",
      dependencies: [
        "DeviceLines", "Explanation", "Discovery", "HCI", "Interfaces", "JSON", "Manifest", "ManifestEdits",
        "ManifestFormat",
        "Suggestions",
        "TestSupport", "ToolText", "VirtualRadio",
      ],
      swiftSettings: strict),
    // Tests that connect as several users.
    .target(name: "CPeer", path: "Tests/CPeer"),
    .testTarget(
      name: "AgentTests",
      dependencies: [
        "AdapterSupport", "Agent", "AgentRuntime", "AgentSupport", "Controller", "Manifest", "Registry",
        "Pairing",
        "CPeer", "Setup",
        "DeviceLines", "Discovery", "FilterSupport", "HCI", "Explanation", "InterfaceDefinition",
        "Interfaces", "JSON",
        "LinuxSystem", "RegistryFormat",
        "RegistryStore", "RegistrySupport",
        "TestSupport", "ToolSystem", "Varlink", "VarlinkClient", "VirtualRadio", "Wireless",
        "virtual-controller",
      ],
      swiftSettings: strict),
    .target(
      name: "AgentSimulation",
      dependencies: [
        "Agent", "AgentSupport", "Controller", "Interfaces", "Manifest", "Registry", "Setup", "Discovery",
        "HCI",
        "JSON", "TestSupport",
        "Varlink", "VarlinkClient",
        "VirtualRadio", "Wireless",
      ],
      path: "Scripts/simulation/AgentSimulation", swiftSettings: strict),
    .executableTarget(
      name: "simulate", dependencies: ["AgentSimulation"], path: "Scripts/simulation/Simulate",
      swiftSettings: strict),
    // Session clients of the library for apps with the real agent.
    .target(
      name: "SessionSimulation",
      dependencies: [
        "Agent", "Discovery", "HCI", "Interfaces", "JSON", "Manifest", "Registry", "SessionClient", "Setup",
        "Varlink", "VarlinkClient", "VirtualRadio",
      ],
      path: "Scripts/simulation/SessionSimulation", swiftSettings: strict),
    .executableTarget(
      name: "simulate-sessions", dependencies: ["SessionSimulation"],
      path: "Scripts/simulation/SimulateSessions", swiftSettings: strict),
    .testTarget(name: "SimulationTests", dependencies: ["AgentSimulation"], swiftSettings: strict),
    .testTarget(
      name: "SessionSimulationTests",
      dependencies: [
        "Agent", "HCI", "Interfaces", "JSON", "SessionClient", "SessionSimulation", "VirtualRadio",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "AgentRuntimeTests",
      dependencies: [
        "AgentRuntime", "Captures", "Controller", "Manifest", "Registry", "Setup", "Agent", "HCI",
        "LinuxSystem",
        "Pairing",
        "RegistryStore",
        "TestSupport",
        "VirtualRadio",
        "accessoryd", "virtual-controller",
      ],
      exclude: ["exhausted.py", "hostile.py", "killed.py", "peer.py"], swiftSettings: strict),
    .testTarget(
      name: "VirtualControllerTests",
      dependencies: ["virtual-controller", "HCI", "LinuxSystem", "VirtualRadio"], swiftSettings: strict),
    .testTarget(
      name: "ToolTextTests",
      dependencies: [
        "DeviceLines", "Explanation", "Interfaces", "ToolText", "HCI", "Discovery", "Manifest", "JSON",
        "ManifestFormat", "Suggestions", "TestSupport", "VirtualRadio",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "PickerScreenTests",
      dependencies: ["PickerScreen", "HCI", "Interfaces", "JSON", "ToolText", "VirtualRadio"],
      exclude: ["Fixtures"],
      swiftSettings: strict),
    .testTarget(
      name: "ToolTests",
      dependencies: [
        "accessoryctl", "accessoryd", "Captures", "DeviceLines", "HCI", "Interfaces", "JSON", "LinuxSystem",
        "SessionSupport", "TestSupport", "ToolText",
        "Varlink",
        "VirtualRadio", "devices", "dice", "interface-generator", "virtual-controller",
      ],
      exclude: ["Fixtures", "metrics.py"],
      swiftSettings: strict),
  ],
  cxxLanguageStandard: .cxx17
)

// Scripts/check builds some targets again with a sanitizer, in folders of their own: the library for apps with its tests,
// and the fuzzers, which are all parsers. One switch leaves only these targets and what they depend on.
switch Context.environment["ACCESSORY_SANITIZE"] {
case "address":
  keep("AccessorySetupKitTests", "GATTTests")
case "thread": keep("AccessorySetupKitTests", "CoreBluetoothTests", "ExampleTests", "SessionClientTests")
case "fuzzers":
  // libFuzzer follows only what an input reaches, so one program holds all fuzz targets.
  package.targets += [
    .target(name: "CLibFuzzer", path: "Scripts/fuzzers/CLibFuzzer"),
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "AdapterSupport", "BlueZ", "BondFiles", "BridgeClient", "BusSupport", "Captures", "CLibFuzzer",
        "Controller",
        "DBus",
        "Discovery", "ESPHome", "GATT", "HCI", "InterfaceDefinition", "JSON",
        "KernelNetworks", "KnownNetworks", "MQTTBridge", "MQTTFormat", "Manifest", "ManifestEdits",
        "ManifestFormat", "NATSBridge", "NATSFormat", "Pairing",
        "PropertyList", "Registry",
        "RegistryFormat",
        "RegistryStore", "RegistrySupport", "SceneFormat", "SensorFormats", "SessionClient", "TestSupport",
        "Varlink",
        "VarlinkClient",
        "VirtualRadio",
        "WebPage",
        "Wireless",
      ],
      path: "Scripts/fuzzers/fuzz", swiftSettings: strict,
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]),
  ]
  keep("fuzz")
  let fuzzed: [SwiftSetting] = [.unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library"])]
  for target in package.targets {
    target.swiftSettings = target.swiftSettings.map { $0 + fuzzed }
    let instrumented = ["-fsanitize=fuzzer-no-link,address"]
    if target.name == "CToml" { target.cxxSettings = [.unsafeFlags(instrumented)] }
    if target.name == "CWireless" { target.cSettings = [.unsafeFlags(instrumented)] }
  }
default: break
}

// .ci/run compiles without information for debuggers, which takes less work.
if Context.environment["ACCESSORY_DEBUG_INFO"] == "none" {
  for target in package.targets {
    target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-gnone"])]
  }
}

/// Removes all other targets, except for what these depend on.
@MainActor func keep(_ names: String...) {
  let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
  var kept: Set<String> = []
  var wanted = names
  while let name = wanted.popLast() {
    guard let target = targets[name], kept.insert(name).inserted else { continue }
    for case .byNameItem(let dependency, _) in target.dependencies { wanted.append(dependency) }
  }
  package.targets.removeAll { !kept.contains($0.name) }
  package.products = []
  package.dependencies = []
}

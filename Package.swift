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

/// A tenth less to load: nothing is exported, as nothing is loaded that would look for it, and relocations are packed.
let lean: [LinkerSetting] = [
  .unsafeFlags(
    ["-use-ld=lld"]
      + ["--no-export-dynamic", "--icf=safe", "-zpack-relative-relocs", "-O2"].flatMap { ["-Xlinker", $0] },
    .when(platforms: [.linux], configuration: .release))
]

let package = Package(
  name: "accessory-gateway",
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2")
  ],
  targets: [
    // The data path: pure, no allocation, compiled as Embedded Swift by every check.
    .target(name: "HCI", swiftSettings: strict),
    .target(name: "Discovery", dependencies: ["HCI"], swiftSettings: strict),

    // The rules and their formats.
    .target(name: "AgentCore", dependencies: ["HCI", "Discovery"], swiftSettings: strict),
    .target(name: "CToml"),
    .target(name: "ManifestFormat", dependencies: ["AgentCore", "CToml"], swiftSettings: strict),

    // What programs read and write; the client library uses it too.
    .target(name: "JSON", swiftSettings: strict),
    .target(name: "Varlink", dependencies: ["JSON"], swiftSettings: strict),

    // System calls, without policy; what people and programs read.
    .target(name: "CLinux"),
    .target(name: "CBluetooth"),
    .target(name: "LinuxSystem", dependencies: ["CBluetooth", "CLinux"], swiftSettings: strict),
    .target(
      name: "Rendering", dependencies: ["HCI", "Discovery", "AgentCore", "JSON"], swiftSettings: strict,
      // Rounding of numbers that were read back.
      linkerSettings: [.linkedLibrary("m")]),

    // What people see while they choose an accessory (pure), and the terminal that shows it.
    .target(name: "PickerScreen", dependencies: ["HCI", "JSON", "Rendering"], swiftSettings: strict),
    .target(name: "CCurses", linkerSettings: [.linkedLibrary("ncursesw"), .linkedLibrary("tinfo")]),
    .target(name: "Terminal", dependencies: ["CCurses", "PickerScreen"], swiftSettings: strict),

    // Grants as values with names, in lines and on disk.
    .target(name: "RegistryText", dependencies: ["AgentCore", "HCI", "JSON"], swiftSettings: strict),
    // As a part of the program: 300 kB less of it are resident than as a shared library.
    .target(name: "CSQLite", linkerSettings: [.linkedLibrary(":libsqlite3.a"), .linkedLibrary("m")]),
    .target(
      name: "RegistryStore",
      dependencies: ["AgentCore", "CSQLite", "HCI", "JSON", "LinuxSystem", "RegistryText"],
      swiftSettings: strict),

    // What tests and the demonstration hear.
    .target(name: "VirtualRadio", dependencies: ["HCI"], swiftSettings: strict),
    .target(
      name: "RoomFormat", dependencies: ["HCI", "AgentCore", "ManifestFormat", "VirtualRadio"],
      swiftSettings: strict),
    .executableTarget(
      name: "make-demo-capture",
      dependencies: ["VirtualRadio", "HCI", "LinuxSystem", "ManifestFormat", "RoomFormat"],
      path: "Scripts/demo-capture", swiftSettings: strict),

    // The agent: what it decides and answers (pure), and what it does with descriptors.
    .target(name: "CInterfaces"),
    .target(
      name: "AgentService",
      dependencies: [
        "HCI", "Discovery", "AgentCore", "JSON", "Varlink", "RegistryText", "Rendering", "CInterfaces",
      ],
      swiftSettings: strict),
    .target(
      name: "AgentRuntime",
      dependencies: [
        "HCI", "Discovery", "AgentCore", "AgentService", "JSON", "Varlink", "Rendering", "LinuxSystem",
        "ManifestFormat", "RegistryStore",
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "accessoryd", dependencies: ["AgentRuntime"], swiftSettings: strict, linkerSettings: lean),
    .executableTarget(
      name: "virtual-controller",
      dependencies: ["AgentCore", "HCI", "LinuxSystem", "ManifestFormat", "RoomFormat", "VirtualRadio"],
      swiftSettings: strict, linkerSettings: lean),

    // A controller in front of a real kernel, for Scripts/lab.
    .target(
      name: "LaboratoryRadio", dependencies: ["HCI", "VirtualRadio"],
      path: "Scripts/laboratory/LaboratoryRadio", swiftSettings: strict),
    .executableTarget(
      name: "vhci-room",
      dependencies: [
        "HCI", "LaboratoryRadio", "LinuxSystem", "ManifestFormat", "RoomFormat", "VirtualRadio",
      ],
      path: "Scripts/laboratory/VhciRoom", swiftSettings: strict),

    .executableTarget(
      name: "accessoryctl",
      dependencies: [
        "HCI", "AgentCore", "ManifestFormat", "RegistryText", "Rendering", "JSON", "LinuxSystem", "Varlink",
        "PickerScreen", "Terminal",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),

    .target(name: "TestSupport", dependencies: ["HCI"], path: "Tests/Support", swiftSettings: strict),
    .target(
      name: "GateTrials", dependencies: ["AgentCore", "Discovery", "HCI", "VirtualRadio"],
      path: "Scripts/gate-tables/GateTrials", swiftSettings: strict),
    .executableTarget(
      name: "gate-tables", dependencies: ["GateTrials", "VirtualRadio"],
      path: "Scripts/gate-tables/GateTables", swiftSettings: strict),

    .testTarget(name: "HCITests", dependencies: ["HCI", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "TestDataTests",
      dependencies: ["AgentCore", "Discovery", "HCI", "ManifestFormat", "TestSupport", "VirtualRadio"],
      swiftSettings: strict),
    // Counts instructions and allocations; run by Scripts/bench.
    .target(name: "CAllocations", path: "Scripts/benchmark/CAllocations"),
    .executableTarget(
      name: "benchmark", dependencies: ["HCI", "Discovery", "AgentCore", "VirtualRadio", "CAllocations"],
      path: "Scripts/benchmark/Benchmark", swiftSettings: strict),
    .executableTarget(
      name: "benchmark-delivery",
      dependencies: ["AgentService", "AgentCore", "CAllocations", "HCI", "Varlink", "VirtualRadio"],
      path: "Scripts/benchmark/Delivery", swiftSettings: strict),

    .testTarget(
      name: "VirtualRadioTests", dependencies: ["VirtualRadio", "HCI", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "LaboratoryTests",
      dependencies: ["LaboratoryRadio", "HCI", "TestSupport", "VirtualRadio"], swiftSettings: strict),
    .testTarget(
      name: "DemoCaptureTests",
      dependencies: [
        "make-demo-capture", "HCI", "LinuxSystem", "ManifestFormat", "RoomFormat", "TestSupport",
        "VirtualRadio",
      ],
      swiftSettings: strict),
    // The core that Scripts/aarch64 replays on two processors; Scripts/embedded builds it again.
    .target(
      name: "ReplayCore", dependencies: ["HCI", "Discovery"], path: "Scripts/embedded/Sources/ReplayCore",
      swiftSettings: strict + [.enableExperimentalFeature("Extern")]),
    .executableTarget(
      name: "replay-core", dependencies: ["ReplayCore"], path: "Scripts/replay-core", swiftSettings: strict),
    .testTarget(
      name: "MatcherTests",
      dependencies: ["AgentCore", "Discovery", "HCI", "TestSupport", "VirtualRadio"],
      swiftSettings: strict),
    .testTarget(name: "GateTests", dependencies: ["GateTrials"], swiftSettings: strict),
    .testTarget(
      name: "DiscoveryTests", dependencies: ["Discovery", "HCI", "AgentCore", "VirtualRadio"],
      swiftSettings: strict),
    .testTarget(
      name: "LinuxSystemTests", dependencies: ["LinuxSystem", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "RoomFormatTests",
      dependencies: ["RoomFormat", "AgentCore", "HCI", "ManifestFormat", "TestSupport", "VirtualRadio"],
      exclude: ["Fixtures"], swiftSettings: strict),
    .testTarget(
      name: "BringupTests", dependencies: ["AgentCore", "HCI", "VirtualRadio", "TestSupport"],
      swiftSettings: strict),
    .target(name: "CPowerDisk", dependencies: ["CSQLite"], path: "Tests/CPowerDisk"),
    .target(
      name: "RegistrySupport",
      dependencies: ["AgentCore", "CPowerDisk", "HCI", "LinuxSystem", "RegistryStore", "VirtualRadio"],
      path: "Tests/RegistrySupport", swiftSettings: strict),
    .target(
      name: "AdapterSupport", dependencies: ["AgentCore", "HCI"], path: "Tests/AdapterSupport",
      swiftSettings: strict),
    .testTarget(
      name: "AgentCoreTests", dependencies: ["AdapterSupport", "AgentCore", "HCI", "RegistrySupport"],
      swiftSettings: strict),
    .testTarget(
      name: "RegistryStoreTests",
      dependencies: [
        "RegistryStore", "AgentCore", "CPowerDisk", "CSQLite", "HCI", "JSON", "LinuxSystem",
        "RegistrySupport", "RegistryText",
      ],
      exclude: ["Fixtures"], swiftSettings: strict),
    .testTarget(
      name: "ManifestFormatTests", dependencies: ["ManifestFormat", "AgentCore", "HCI", "Discovery"],
      exclude: ["Fixtures"], swiftSettings: strict),
    .testTarget(name: "JSONTests", dependencies: ["JSON", "TestSupport"], swiftSettings: strict),
    .executableTarget(
      name: "varlink-peer", dependencies: ["Varlink", "JSON"], path: "Tests/VarlinkPeer",
      swiftSettings: strict),
    .testTarget(
      name: "VarlinkTests", dependencies: ["Varlink", "JSON", "TestSupport", "varlink-peer"],
      exclude: ["Fixtures", "conformance.py"], swiftSettings: strict),
    // Tests that connect as several users.
    .target(name: "CPeer", path: "Tests/CPeer"),
    .testTarget(
      name: "AgentServiceTests",
      dependencies: [
        "AdapterSupport", "AgentService", "AgentRuntime", "AgentCore", "CPeer", "Discovery", "HCI", "JSON",
        "LinuxSystem", "RegistryStore", "RegistrySupport", "Rendering", "TestSupport", "Varlink",
        "VirtualRadio", "virtual-controller",
      ],
      swiftSettings: strict),
    .target(
      name: "AgentSimulation",
      dependencies: [
        "AgentService", "AgentCore", "Discovery", "HCI", "JSON", "TestSupport", "Varlink", "VirtualRadio",
      ],
      path: "Scripts/simulation/AgentSimulation", swiftSettings: strict),
    .executableTarget(
      name: "simulate", dependencies: ["AgentSimulation"], path: "Scripts/simulation/Simulate",
      swiftSettings: strict),
    .testTarget(name: "SimulationTests", dependencies: ["AgentSimulation"], swiftSettings: strict),
    .testTarget(
      name: "AgentRuntimeTests",
      dependencies: [
        "AgentRuntime", "AgentCore", "AgentService", "HCI", "LinuxSystem", "RegistryStore", "TestSupport",
        "VirtualRadio",
        "accessoryd", "virtual-controller",
      ],
      exclude: ["exhausted.py", "hostile.py", "peer.py"], swiftSettings: strict),
    .testTarget(
      name: "VirtualControllerTests",
      dependencies: ["virtual-controller", "HCI", "LinuxSystem", "VirtualRadio"], swiftSettings: strict),
    .testTarget(
      name: "RenderingTests",
      dependencies: [
        "Rendering", "HCI", "Discovery", "AgentCore", "JSON", "ManifestFormat", "TestSupport",
        "VirtualRadio",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "PickerScreenTests",
      dependencies: ["PickerScreen", "HCI", "JSON", "Rendering", "VirtualRadio"], exclude: ["Fixtures"],
      swiftSettings: strict),
    .testTarget(
      name: "ToolTests",
      dependencies: [
        "accessoryctl", "accessoryd", "HCI", "JSON", "LinuxSystem", "Rendering", "TestSupport", "Varlink",
        "VirtualRadio", "virtual-controller",
      ],
      exclude: ["Fixtures", "metrics.py"],
      swiftSettings: strict),
  ],
  cxxLanguageStandard: .cxx17
)

// What reads octets, its tests, and nothing else: Scripts/check builds that once more, with AddressSanitizer.
if Context.environment["ACCESSORY_PARSERS_ONLY"] != nil {
  let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
  var kept: Set<String> = []
  var wanted = ["HCITests", "JSONTests", "TestDataTests", "VarlinkTests"]
  while let name = wanted.popLast() {
    guard let target = targets[name], kept.insert(name).inserted else { continue }
    for case .byNameItem(let dependency, _) in target.dependencies { wanted.append(dependency) }
  }
  package.targets.removeAll { !kept.contains($0.name) }
  package.dependencies = []
}

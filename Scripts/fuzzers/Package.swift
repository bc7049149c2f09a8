// swift-tools-version: 6.2
// SPDX-License-Identifier: GPL-3.0-or-later

// Every border that strangers' bytes cross, once more, under libFuzzer and AddressSanitizer. One program holds all
// targets: they share what is compiled, and libFuzzer follows only what an input reaches.

import PackageDescription

let fuzzed: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableExperimentalFeature("Lifetimes"),
  .treatAllWarnings(as: .error),
  .unsafeFlags(["-sanitize=fuzzer,address", "-parse-as-library"]),
]

let package = Package(
  name: "fuzzers",
  targets: [
    .target(name: "HCI", swiftSettings: fuzzed),
    .target(name: "Discovery", dependencies: ["HCI"], swiftSettings: fuzzed),
    .target(name: "AgentCore", dependencies: ["HCI", "Discovery"], swiftSettings: fuzzed),
    .target(name: "CToml", cxxSettings: [.unsafeFlags(["-fsanitize=fuzzer-no-link,address"])]),
    .target(name: "ManifestFormat", dependencies: ["AgentCore", "CToml"], swiftSettings: fuzzed),
    .target(name: "VirtualRadio", dependencies: ["HCI"], swiftSettings: fuzzed),
    .target(
      name: "RoomFormat", dependencies: ["HCI", "AgentCore", "ManifestFormat", "VirtualRadio"],
      swiftSettings: fuzzed),
    .target(name: "JSON", swiftSettings: fuzzed),
    .target(name: "Varlink", dependencies: ["JSON"], swiftSettings: fuzzed),
    .target(name: "TestSupport", dependencies: ["HCI"], swiftSettings: fuzzed),
    .target(name: "CLinux"),
    .target(name: "CBluetooth"),
    .target(name: "LinuxSystem", dependencies: ["CBluetooth", "CLinux"], swiftSettings: fuzzed),
    .target(name: "RegistryText", dependencies: ["AgentCore", "HCI", "JSON"], swiftSettings: fuzzed),
    .target(name: "CSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(
      name: "RegistryStore",
      dependencies: ["AgentCore", "CSQLite", "HCI", "JSON", "LinuxSystem", "RegistryText"],
      swiftSettings: fuzzed),
    .target(name: "CPowerDisk", dependencies: ["CSQLite"]),
    .target(
      name: "RegistrySupport",
      dependencies: ["AgentCore", "CPowerDisk", "HCI", "LinuxSystem", "RegistryStore", "VirtualRadio"],
      swiftSettings: fuzzed),
    .target(name: "CLibFuzzer"),
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "HCI", "Discovery", "AgentCore", "ManifestFormat", "RoomFormat", "VirtualRadio", "JSON", "Varlink",
        "TestSupport", "CLibFuzzer", "RegistryStore", "RegistrySupport", "RegistryText",
      ],
      swiftSettings: fuzzed,
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])]),
  ],
  cxxLanguageStandard: .cxx17
)

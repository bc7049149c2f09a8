// swift-tools-version: 6.2
// SPDX-License-Identifier: GPL-3.0-or-later

// The data path once more, as Embedded Swift in which nothing may allocate: the compiler is the proof.

import PackageDescription

// Words are text, which may allocate when it is compared; the data path never does that.
let words: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableExperimentalFeature("Lifetimes"),
  .enableExperimentalFeature("Embedded"),
  .treatAllWarnings(as: .error),
  // Each function in a section of its own, so that the linker shows whether anything in use allocates.
  .unsafeFlags(["-wmo", "-Xfrontend", "-function-sections"]),
]
let embedded = words + [.unsafeFlags(["-no-allocations"])]

let package = Package(
  name: "data-path",
  targets: [
    .target(name: "Values", exclude: ["Control"], swiftSettings: words),
    .target(name: "HCI", dependencies: ["Values"], swiftSettings: embedded),
    .target(name: "Discovery", dependencies: ["HCI"], exclude: ["Reload"], swiftSettings: embedded),
    .target(
      name: "ReplayCore", dependencies: ["HCI", "Discovery"],
      swiftSettings: embedded + [.enableExperimentalFeature("Extern")]),
  ]
)

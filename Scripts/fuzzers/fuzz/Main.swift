// SPDX-License-Identifier: GPL-3.0-or-later

import CLibFuzzer
import Glibc
import TestSupport

/// `fuzz TARGET [libFuzzer's options] [corpus folders]` fuzzes; `fuzz --list` names the targets; `fuzz --seeds
/// TARGET FOLDER` writes a target's seeds.
///
/// The package manager calls a program's entry by the program's name, so libFuzzer's own main is not used.
@_cdecl("fuzz_main")
public func fuzzMain(
  _ argc: CInt, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> CInt {
  let arguments = (0..<Int(argc)).map { unsafe argv[$0].map { unsafe String(cString: $0) } ?? "" }
  switch arguments.dropFirst().first {
  case "--list": return list()
  case "--seeds" where arguments.count == 4: return writeSeeds(of: arguments[2], into: arguments[3])
  case let name?: return unsafe fuzz(name, argc, argv)
  case nil: return usage()
  }
}

/// libFuzzer starts this program again with its own arguments, so the target is kept in the environment too.
private let targetVariable = "ACCESSORY_FUZZ_TARGET"

/// Set once, before libFuzzer runs, and read by its callback, which takes no context.
nonisolated(unsafe) private var target = FuzzTarget.canary

private func fuzz(
  _ name: String, _ argc: CInt, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> CInt {
  var count = argc
  var rest: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe argv
  if let named = FuzzTarget(rawValue: name) {
    unsafe setenv(targetVariable, name, 1)
    unsafe target = named
    // The program's name takes the target's place, so that libFuzzer sees only what is for it.
    unsafe argv[1] = argv[0]
    unsafe rest = argv + 1
    count -= 1
  } else {
    let inherited = unsafe getenv(targetVariable).map { unsafe String(cString: $0) }
    guard let named = inherited.flatMap(FuzzTarget.init) else { return usage() }
    unsafe target = named
  }
  return unsafe LLVMFuzzerRunDriver(&count, &rest) { data, byteCount in
    // Holds: libFuzzer lends `byteCount` bytes until this returns.
    unsafe target.run(RawSpan(_unsafeStart: UnsafeRawPointer(data ?? noBytes), byteCount: byteCount))
    return 0
  }
}

/// What an empty input points to.
nonisolated(unsafe) private let noBytes = unsafe UnsafePointer(
  UnsafeMutablePointer<UInt8>.allocate(capacity: 1))

private func list() -> CInt {
  for target in FuzzTarget.allCases { print(target.rawValue) }
  return 0
}

private func writeSeeds(of name: String, into folder: String) -> CInt {
  guard let target = FuzzTarget(rawValue: name) else { return usage() }
  for (index, seed) in target.seeds.enumerated() {
    guard let file = unsafe fopen("\(folder)/seed-\(index)", "w") else { return EXIT_FAILURE }
    let written = unsafe fwrite(seed, 1, seed.count, file)
    guard unsafe fclose(file) == 0, written == seed.count else { return EXIT_FAILURE }
  }
  return 0
}

private func usage() -> CInt {
  print("usage: fuzz TARGET [OPTION…] [FOLDER…] | fuzz --list | fuzz --seeds TARGET FOLDER")
  return 64
}

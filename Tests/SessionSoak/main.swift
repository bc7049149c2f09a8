// SPDX-License-Identifier: GPL-3.0-or-later

// session-soak COUNT: opens this many sessions one after the other, each with a picker, with the agent at
// ACCESSORYD_SOCKET. Every second one is invalidated while its picker is open; the others are let go. Prints how many
// descriptors are open and how many kB are resident after a tenth of them and at the end. An extra argument keeps every
// session, so that tests can show that a leak is noticed.
//
// session-soak exhausted: uses up its descriptors, prints why two calls fail, and ends.
//
// session-soak exhausted first: uses up its descriptors before its first session is activated, prints after 30 s why a call
// that waits for the session fails, lets the descriptors go, and ends when the session is active.

import AccessorySetupKit
import Glibc

/// Opens one session after the other.
final class Soak: @unchecked Sendable {
  private let queue = DispatchQueue(label: "app")
  private let count: Int
  private let isLeaking: Bool
  private var done = 0
  private var session: ASAccessorySession?
  private var leaked: [ASAccessorySession] = []

  init(count: Int, isLeaking: Bool) {
    self.count = count
    self.isLeaking = isLeaking
  }

  func start() { queue.async { self.openNext() } }

  private func openNext() {
    if done == count / 10 || done == count { report() }
    guard done < count else { exit(0) }
    done += 1
    let session = ASAccessorySession()
    self.session = session
    session.activate(on: queue) { [weak self] event in
      // The agent's picker stays open until the session ends.
      if event.eventType == .pickerDidPresent { self?.end() }
    }
    let descriptor = ASDiscoveryDescriptor()
    descriptor.bluetoothCompanyIdentifier = ASBluetoothCompanyIdentifier(0x0EEE)
    let item = ASPickerDisplayItem(name: "Bulb", productImage: UIImage(), descriptor: descriptor)
    session.showPicker(for: [item]) { error in
      guard (error as? ASError)?.code == .invalidated else { exit(1) }
      self.openNext()
    }
  }

  private func end() {
    if isLeaking, let session { leaked.append(session) }
    if isLeaking || done.isMultiple(of: 2) { session?.invalidate() }
    session = nil
  }

  private func report() {
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")[1]
    let resident = (pages.flatMap { Int($0) } ?? 0) * sysconf(Int32(_SC_PAGESIZE)) / 1024
    FileHandle.standardOutput.write(Data("\(descriptors) \(resident)\n".utf8))
  }
}

/// A session of a program that has no descriptor free.
final class Exhaustion: @unchecked Sendable {
  private let session = ASAccessorySession()
  private var held: [Int32] = []

  func start() {
    session.activate(on: DispatchQueue(label: "app")) { event in
      guard event.eventType == .activated else { return }
      // Dispatch opens what it needs for the time of the first call.
      self.session.finishPickerDiscovery { _ in self.rename() }
    }
  }

  func startWithoutDescriptors() {
    fill()
    session.activate(on: .main) { event in
      FileHandle.standardOutput.write(Data("event \(event.eventType.rawValue)\n".utf8))
      if event.eventType == .activated { exit(0) }
    }
    session.finishPickerDiscovery { error in
      self.report(error)
      for descriptor in self.held { close(descriptor) }
    }
  }

  private func fill() {
    while case let descriptor = open("/dev/null", O_RDONLY), descriptor >= 0 { held.append(descriptor) }
  }

  private func rename() {
    fill()
    session.renameAccessory(session.accessories[0]) { error in
      // The connection of the call before was closed too late to be filled up.
      guard error != nil else { return self.rename() }
      self.report(error)
      self.connect()
    }
  }

  private func connect() {
    fill()
    // The call's socket takes it, so that none is left for the accessory's.
    if let last = held.popLast() { close(last) }
    session.connect(to: session.accessories[0]) { result in
      guard case .failure(let error) = result else { return self.connect() }
      self.report(error)
      exit(0)
    }
  }

  private func report(_ error: (any Error)?) {
    let code = (error as? ASError)?.code.rawValue ?? 0
    FileHandle.standardOutput.write(Data("\(code): \(error?.localizedDescription ?? "")\n".utf8))
  }
}

/// LeakSanitizer cannot see the pointer from a live object to the counts of its weak references, which is encoded.
@_cdecl("__lsan_default_suppressions")
func leakSuppressions() -> UnsafePointer<UInt8> { StaticString("leak:formWeakReference\n").utf8Start }

let arguments = CommandLine.arguments
if arguments.count > 1, arguments[1] == "exhausted" {
  let exhaustion = Exhaustion()
  if arguments.count > 2 {
    // dispatchMain needs a descriptor too.
    DispatchQueue.main.async { exhaustion.startWithoutDescriptors() }
  } else {
    exhaustion.start()
  }
  dispatchMain()
}
guard arguments.count > 1, let count = Int(arguments[1]), count >= 10 else {
  print("usage: session-soak COUNT [leaking]\n       session-soak exhausted [first]")
  exit(64)
}
let soak = Soak(count: count, isLeaking: arguments.count > 2)
soak.start()
dispatchMain()

// SPDX-License-Identifier: GPL-3.0-or-later

public import BridgeClient
public import Interfaces
import JSON
import SensorFormats

/// The payloads of what happens. With gateway, epoch and sequence a reader removes doubles.
public struct EventPayload: Sendable {
  let gateway: String
  let showsAddresses: Bool

  public init(gateway: String, showsAddresses: Bool) {
    (self.gateway, self.showsAddresses) = (gateway, showsAddresses)
  }

  /// An event. Without addresses, the raw data is left out, too, because several formats repeat the address in it.
  public func event(_ event: EventLine, of accessory: AccessoryLine?) -> [UInt8] {
    let values = SensorPayload(event.data).values
    return JSONText.object { json in
      json.member("gateway", gateway)
      json.member("epoch", event.epoch)
      json.member("sequence", event.sequence)
      if event.passed > 0 { json.member("passed", event.passed) }
      json.member("time", event.time)
      json.member("event", event.event.rawValue)
      json.member("app", event.app)
      json.member("item", event.item)
      json.member("accessory", accessory?.identifier)
      json.member("displayName", accessory?.displayName)
      json.member("rssi", event.rssi)
      json.member("filteredRSSI", event.filteredRSSI)
      json.member("pathLoss", event.pathLoss)
      json.member("samples", event.samples)
      json.member("reason", event.reason.rawValue)
      if event.skipped > 0 { json.member("skipped", event.skipped) }
      if !values.isEmpty { json.object("values") { AccessoryReadings.write(values, to: &$0) } }
      guard showsAddresses else { return }
      json.members(event.address)
      json.member("data", Hex(event.data))
    }
  }

  /// The agent began a new run, whose events count from 0. `last` is the position in the one before, if it is known.
  public func reset(to new: EventCursor, from last: EventCursor?) -> [UInt8] {
    JSONText.object { json in
      json.member("gateway", gateway)
      json.member("epoch", new.epoch)
      json.member("sequence", new.sequence)
      guard let last else { return }
      json.object("last") { json in
        json.member("epoch", last.epoch)
        json.member("sequence", last.sequence)
      }
    }
  }

  /// Events were overwritten before the bridge could read them: as many as `count`, from `first` on.
  public func missed(_ count: UInt64, from first: EventCursor) -> [UInt8] {
    JSONText.object { json in
      json.member("gateway", gateway)
      json.member("epoch", first.epoch)
      json.member("sequence", first.sequence)
      json.member("missed", count)
    }
  }

  public func status(_ status: StatusLine, bridge version: String) -> [UInt8] {
    JSONText.object { json in
      json.member("gateway", gateway)
      json.member("bridge", version)
      json.member("agent", status.version)
      json.member("epoch", status.epoch)
      json.member("manifestDigest", status.manifestDigest)
      json.object("radio") { json in
        json.member("state", status.radio.state.rawValue)
        json.member("detail", shown(status.radio.detail))
        json.member("scan", status.radio.scan?.rawValue)
      }
      json.objects("problems", status.problems) { json, problem in
        json.member("kind", problem.kind)
        json.member("sentence", shown(problem.sentence))
      }
    }
  }

  /// What takes the place of the status while the agent is away.
  public func absence(bridge version: String) -> [UInt8] {
    JSONText.object { json in
      json.member("gateway", gateway)
      json.member("bridge", version)
      json.member("isAway", true)
    }
  }

  /// A sentence of the agent, which may name a device by its address.
  func shown(_ sentence: String) -> String { showsAddresses ? sentence : AddressRedaction.redact(sentence) }
}

/// Takes addresses out of sentences.
enum AddressRedaction {
  private static let byteCount = "AA:BB:CC:DD:EE:FF".utf8.count

  static func redact(_ sentence: String) -> String {
    var (text, rest) = ([UInt8](), Array(sentence.utf8)[...])
    while let byte = rest.first {
      if isAddress(rest.prefix(byteCount)) {
        text += "(address)".utf8
        rest = rest.dropFirst(byteCount)
      } else {
        text.append(byte)
        rest = rest.dropFirst()
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func isAddress(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.count == byteCount
      && bytes.enumerated().allSatisfy { index, byte in
        index % 3 == 2 ? byte == UInt8(ascii: ":") : Character(UnicodeScalar(byte)).isHexDigit
      }
  }
}

// SPDX-License-Identifier: Apache-2.0

public import JSON

/// A change of the radio's state: an event of `io.accessoryd.Gateway`, and in a line of `watch --json`
/// (`Config/schema/watch.schema.json`).
public struct RadioChangeLine: Equatable, ReadableLine {
  /// Since the agent started.
  public let time: Seconds
  public let state: RadioLine.State
  /// What the radio is doing, as a sentence for operators.
  public let detail: String
  /// How long it did not scan; nil unless it scans again.
  public let gap: Seconds?
  /// Whether it paused so that the kernel could pair a device.
  public let isForPairing: Bool

  public init(time: Seconds, state: RadioLine.State, detail: String, gap: Seconds?, isForPairing: Bool) {
    self.time = time
    self.state = state
    self.detail = detail
    self.gap = gap
    self.isForPairing = isForPairing
  }

  public func writeMembers(to json: inout JSONWriter) {
    json.member("time", time)
    json.member("state", state.rawValue)
    json.member("detail", detail)
    if let gap { json.member("gap", gap) }
    if isForPairing { json.member("isForPairing", true) }
  }

  public init(reading line: JSONObjectReader) throws(JSONMemberError) {
    self.init(
      time: try line.seconds("time"),
      state: try line.value("state", of: RadioLine.State.allCases, \.rawValue),
      detail: try line.string("detail"), gap: try line.secondsIfPresent("gap"),
      isForPairing: try line.boolIfPresent("isForPairing") ?? false)
  }
}

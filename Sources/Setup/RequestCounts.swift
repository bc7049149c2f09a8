// SPDX-License-Identifier: GPL-3.0-or-later

/// The requests for which devices are looked for: what the radio is wanted for.
public struct RequestCounts: Equatable, Sendable {
  public var open: Int
  /// Those for which a device has to be held at the gateway.
  public var immediate: Int
  /// Those whose apps are told what devices say.
  public var filtered: Int

  public init(open: Int = 0, immediate: Int = 0, filtered: Int = 0) {
    self.open = open
    self.immediate = immediate
    self.filtered = filtered
  }
}

extension SetupCore {
  public var requestCounts: RequestCounts {
    let setups = requests.compactMap(\.setup)
    return RequestCounts(
      open: setups.count, immediate: setups.count(where: \.isImmediate),
      filtered: setups.count(where: \.picker.isFiltered))
  }
}

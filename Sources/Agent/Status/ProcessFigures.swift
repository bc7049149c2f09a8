// SPDX-License-Identifier: GPL-3.0-or-later

/// What the agent's process uses of the machine, for `Metrics`. The shell measures it when a client asks.
public struct ProcessFigures: Equatable, Sendable {
  /// User and system time.
  public var processorMicroseconds: Int64
  public var residentBytes: Int64
  public var virtualBytes: Int64
  public var openDescriptors: Int64
  public var openDescriptorsMax: Int64
  /// Since 1970.
  public var startMicroseconds: Int64

  public init(
    processorMicroseconds: Int64, residentBytes: Int64, virtualBytes: Int64, openDescriptors: Int64,
    openDescriptorsMax: Int64, startMicroseconds: Int64
  ) {
    self.processorMicroseconds = processorMicroseconds
    self.residentBytes = residentBytes
    self.virtualBytes = virtualBytes
    self.openDescriptors = openDescriptors
    self.openDescriptorsMax = openDescriptorsMax
    self.startMicroseconds = startMicroseconds
  }
}

extension ProcessFigures {
  /// The families that Prometheus' own client libraries give every program.
  var metrics: [Metric] {
    [
      Metric(
        process: "cpu_seconds_total", .counter, "Total user and system CPU time spent in seconds.",
        .seconds(microseconds: processorMicroseconds)),
      Metric(
        process: "resident_memory_bytes", .gauge, "Resident memory size in bytes.", .single(residentBytes)),
      Metric(process: "virtual_memory_bytes", .gauge, "Virtual memory size in bytes.", .single(virtualBytes)),
      Metric(process: "open_fds", .gauge, "Number of open file descriptors.", .single(openDescriptors)),
      Metric(
        process: "max_fds", .gauge, "Maximum number of open file descriptors.", .single(openDescriptorsMax)),
      Metric(
        process: "start_time_seconds", .gauge,
        "Start time of the process since the Unix epoch in seconds, by the machine's clock.",
        .seconds(microseconds: startMicroseconds)),
    ]
  }
}

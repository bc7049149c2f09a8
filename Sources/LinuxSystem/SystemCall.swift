// SPDX-License-Identifier: GPL-3.0-or-later

/// The system calls that are made, by name.
public enum SystemCall: String, Sendable {
  case open, fstat, read, write, poll, clock = "clock_gettime"
}

// SPDX-License-Identifier: GPL-3.0-or-later

import Registry
import Setup

extension AgentCore {
  /// What sessions, requests, and the registry count.
  func writeSetup(to text: inout MetricsText) {
    let counters = setupCore.counters
    text.sample("sessions", .gauge, "Sessions of apps that are open.", setupCore.sessionCount)
    text.sample("sessions_opened_total", .counter, "Sessions opened.", counters.sessionsOpened)
    text.sample(
      "sessions_expired_total", .counter, "Sessions that ended because nobody streamed them.",
      counters.sessionsExpired)
    text.sample("requests", .gauge, "Requests that wait for an operator.", setupCore.requests.count)
    text.sample("requests_opened_total", .counter, "Requests opened.", counters.requestsOpened)
    text.sample("accessories", .gauge, "Accessories in the registry.", setupCore.registry.accessories.count)
    text.sample("accessories_added_total", .counter, "Accessories set up.", counters.added)
    text.sample("accessories_removed_total", .counter, "Accessories removed.", counters.removed)
    text.sample("setups_failed_total", .counter, "Setups that came to nothing.", counters.setupsFailed)
    text.sample(
      "touches_refused_total", .counter, "Touches that chose nothing, because it was not clear what.",
      counters.touchesRefused)
    text.sample(
      "automatic_failed_total", .counter, "Automatic setups that came to nothing.", counters.automaticFailed)
    text.sample(
      "automatic_forgotten_total", .counter, "Failed automatic setups forgotten for another's.",
      counters.automaticForgotten)
    text.sample(
      "foreign_refused_total", .counter, "Identifiers and tokens that were not the caller's.",
      counters.foreignRefused)
    text.sample(
      "disclosed_total", .counter, "Devices told to apps before anybody chose them.", counters.disclosed)
    text.sample(
      "resolved_total", .counter, "Addresses of accessories told to their apps.", counters.resolved)
    text.sample(
      "registry_failures_total", .counter, "Changes that the disk did not take.", counters.commitsFailed)
    text.sample(
      "accessories_unmarked_total", .counter,
      "Addresses of accessories without a place among those that the device table keeps.",
      tally.accessoriesUnmarked)
    text.samples(
      "app_events_total", .counter, "Events and advertisements for apps, by what became of them.", "outcome",
      [("delivered", tally.appEventsDelivered), ("missed", tally.appEventsMissed)])
  }
}

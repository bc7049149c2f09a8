// SPDX-License-Identifier: GPL-3.0-or-later
// The five screens: each makes its nodes from what the page knows.
import {air, announce, ask, askName, button, clock, count, dialogue, draw, h, isOperator, isWide, leave, nearness, notice, now, ordered,
  plain, says, span, state, tell, trackOf, when} from "./app.js";

// MARK: Parts

const dbm = level => level == null ? null : h("small", {}, ` ${level} dBm`);
const list = nodes => h("ul", {class: "list"}, nodes.map(([key, ...rest]) => h("li", {key}, rest)));
const empty = (text, ...more) => h("div", {class: "card"}, h("p", {}, text), more);

function bars(level, isIn) {
  const lit = level == null ? 0 : Math.max(0, Math.min(8, Math.round((level + 95) / 7)));
  return h("span", {class: isIn ? "bar in" : "bar", "aria-hidden": "true"},
    Array.from({length: 8}, (_, i) => h("i", {class: i < lit ? "on" : ""})));
}

/** Points of a plot, in pieces: null is a gap. */
function pieces(values, x, y) {
  const result = [[]];
  values.forEach((value, i) => {
    if (value == null) { if (result.at(-1).length) result.push([]); } else result.at(-1).push(`${x(i).toFixed(1)},${y(value).toFixed(1)}`);
  });
  return result.filter(piece => piece.length > 0).map(piece => piece.length === 1 ? [piece[0], piece[0]] : piece);
}

function plot(title, values, {low, high, lines = [], kind = "plot", span: total = values.length}) {
  const x = i => (total - values.length + i) / Math.max(1, total - 1) * 600;
  const y = value => 54 - (Math.max(low, Math.min(high, value)) - low) / Math.max(1, high - low) * 50;
  return h("svg", {class: kind, viewBox: "0 0 600 56", preserveAspectRatio: "none", role: "img"}, h("title", {}, title),
    kind === "plot" && h("line", {class: "base", x1: 0, x2: 600, y1: 55, y2: 55}),
    lines.map(([level, name]) => h("line", {class: `gate ${name}`, x1: 0, x2: 600, y1: y(level), y2: y(level)})),
    pieces(values, x, y).map(piece => h("polyline", {class: "line", points: piece.join(" ")})));
}

/** The gate's two levels, where the agent says them with its items. */
const gateLines = item => item?.enterRSSI == null ? [] : [[item.enterRSSI, "enter"], [item.leaveRSSI, "leave"]];

const levelPlot = (name, levels, item) =>
  plot(`Signal of ${plain(name)} in the last ten minutes`, levels.map(level => level || null), {low: -100, high: -30, lines: gateLines(item), span: 120});

/** The item of an accessory, with its gate's levels. */
const itemOf = line => knownItems().find(item => item.app === line.app && item.item === line.item);
const knownItems = () => state.items.length ? state.items : state.kept.items?.items ?? [];

const nameOf = address => [...state.accessories.values()].find(line => line.address === address)?.displayName;

// MARK: Now

function nowScreen() {
  const {status} = state;
  if (!status) return [h("h1", {}, "Now"), h("p", {class: "muted"}, state.agent.isThere ? "Loading…" : "The gateway is away.")];
  const needs = status.problems.length + state.requests.size;
  const accessories = [...state.accessories.values()];
  const silent = accessories.filter(line => line.address && !line.isInSight);
  const ignored = status.devices ? Math.round(100 * (status.devices - status.found) / status.devices) : 0;
  return [
    h("h1", {}, !state.agent.isThere ? "The gateway is away." : needs ? `${count(needs, "thing")} ${needs === 1 ? "needs" : "need"} you.` : "All is well."),
    h("p", {}, `${count(accessories.length - silent.length, "accessory", "accessories")} in sight`,
      silent.length > 0 && [" · ", `${silent.length} silent (`, air(silent[0].displayName), silent.length > 1 ? ", …)" : ")"]),
    status.devices > 0 && h("p", {class: "muted"},
      `${ignored} % of the ${count(status.devices, "device")} in reach are found by no item, and are ignored.`),
    [...state.requests.values()].map(({request}) => h("div", {class: "card amber", key: request.request},
      h("div", {class: "row"}, h("p", {class: "grow"}, requestSentence(request), ` Since ${span(now() - request.since)}.`),
        h("a", {href: "#add"}, isOperator() ? "Choose" : "Show")))),
    status.problems.map(problem => h("div", {class: "card amber", key: problem.kind + problem.sentence},
      h("p", {}, plain(problem.sentence, 400)), cure(problem))),
    status.warnings.map(warning => h("div", {class: "card", key: warning.sentence}, h("p", {}, plain(warning.sentence, 400)))),
    h("div", {class: "wide"},
      h("section", {}, h("h2", {}, "Radio"), radio(status), apps(),
        h("p", {class: "buttons"}, button("Log out", leave))),
      h("section", {}, h("h2", {}, "What happened last"), events())),
  ];
}

function radio(status) {
  const {radio, listening} = status;
  const state_ = {on: "listens", off: "is off", recovering: "is being brought back", absent: "is not there"}[radio.state];
  const seconds = (state.history?.sampleMilliseconds ?? 5000) / 1000;
  const rates = (state.history?.reports ?? []).map(reports => Math.round(reports / seconds));
  const last = rates.findLast(rate => rate != null);
  return h("div", {class: "card"},
    h("p", {}, h("b", {}, plain(radio.source)), ` ${state_}. `, h("span", {class: "muted"}, plain(radio.detail, 300))),
    listening && h("p", {class: "muted"}, listening.percent === 100 ? `It listens all the time (${listening.board}).`
      : `It listens ${listening.percent} % of the time, and ${listening.requestPercent} % while an app asks (${listening.board}).`),
    h("p", {}, "Reports a second: ", h("b", {}, last == null ? "–" : String(last)), h("small", {}, " last ten minutes")),
    plot(`Reports a second, now ${last ?? "unknown"}`, rates, {low: 0, high: Math.max(10, ...rates), span: 120}));
}

function apps() {
  if (!state.apps.length) return state.history && empty("The manifest has no app yet.");
  return h("div", {class: "card"}, h("h3", {}, "Apps"), list(state.apps.map(({app, isConnected, lastSeen, accessories}) => [app, air(app), " ",
    isConnected ? h("span", {class: "good"}, "connected") : lastSeen == null ? h("span", {class: "warn"}, "never seen") : `last seen ${when(lastSeen)}`,
    h("small", {}, ` ${count(accessories, "accessory", "accessories")}`)])),
  !state.accessories.size && h("p", {}, "No accessories yet. ", isOperator() && h("a", {href: "#add"}, "Add one")));
}

const reasons = {silence: "not heard any longer", left: "it moved away", noLongerMatches: "it sends something else now",
  evicted: "the table is full of stronger devices", radioDown: "the radio is off", reload: "the manifest has changed"};

function eventWords({event, connection, endSentence, radio, network}) {
  if (event) {
    const name = nameOf(event.address) ?? `${event.item} …${event.address.slice(-5)}`;
    if (event.event === "found") return [air(name), ` was found for ${event.app}`, event.filteredRSSI != null && `, ${nearness(event.filteredRSSI)}`, "."];
    if (event.event === "changed") return [air(name), ` (${event.app}) `, event.values ? `says ${says(event.values)}.` : "sends something new."];
    return [air(name), ` was lost: ${reasons[event.reason] ?? event.reason}`, event.filteredRSSI != null && `, last at ${event.filteredRSSI} dBm`, "."];
  }
  if (connection) {
    return connection.event === "connected" ? [`${connection.app} is connected to `, air(connection.displayName), "."]
      : [`${connection.app} is no longer connected to `, air(connection.displayName), endSentence && `: ${endSentence}`, "."];
  }
  if (radio) return [plain(radio.detail, 300)];
  return [`The network `, air(network.ssid), network.event === "found" ? ` was found for ${network.app}.` : ` was lost.`];
}

function events() {
  // A change without words would only push others away.
  const oldest = Math.min(...state.events.map(({event}) => event?.time ?? Infinity));
  const earlier = state.edges.filter(edge => edge.time < oldest).map(event => ({event})).reverse();
  const shown = [...state.events.filter(({event}) => event?.event !== "changed" || event.values), ...earlier];
  if (!shown.length) return empty("Nothing has happened in the last ten minutes.");
  return list(shown.slice(0, 16).map(entry => {
    const part = entry.event ?? entry.connection ?? entry.radio ?? entry.network;
    const key = `${part.time}/${part.sequence ?? part.address ?? ""}`;
    return [key, h("small", {}, clock(part.time), " "), eventWords(entry), " ",
      entry.event?.event === "lost" && h("a", {href: `#why/${entry.event.address}`}, "Why?")];
  }));
}

/** A button where the page can solve a problem. */
function cure({kind}) {
  if (kind === "itemFull") return h("p", {}, h("a", {href: "#rules"}, "Show the item"));
  if (["bondLost", "bondNotAuthenticated", "accessoryNotMatching"].includes(kind)) return h("p", {}, h("a", {href: "#accessories"}, "Show the accessory"));
  if (kind !== "accessoriesSuspended" || !isOperator()) return null;
  const names = [...new Set([...state.accessories.values()].filter(line => line.status === "suspended").map(line => line.app))];
  return h("p", {class: "buttons"}, names.map(app => button(`Confirm the account of ${app}`, () => tell("/authorize", {app}))));
}

// MARK: Add

function requestSentence(request) {
  const items = request.items.map((item, i) => [i > 0 && " or ", "“", air(item.name), "”"]);
  switch (request.kind) {
    case "rename": return [h("b", {}, request.app), " wants to rename ", air(request.displayName), "."];
    case "authorize": return [h("b", {}, request.app), " wants to use more of ", air(request.displayName), "."];
    case "migrate": return [h("b", {}, request.app), " wants to have devices that it knew before."];
    case "pair": return [air(request.displayName), " is being paired again."];
    case "setup": if (request.replaces) return ["Is one of these the new ", air(request.displayName), "?"];
    // falls through
    default: return [h("b", {}, request.app), request.isOnBehalf ? " is to get " : " asks for ", items.length ? items : "an accessory", "."];
  }
}

function addScreen() {
  const entries = [...state.requests.values()];
  return [
    h("h1", {}, "Add"),
    state.closed.filter(closed => Date.now() - closed.at < 10000 || closed.isKept).map(closedCard),
    entries.length > 0 ? h("div", {}, entries.map(requestCard)) : empty("No app asks for anything."),
    isOperator() && openCard(),
  ];
}

function closedCard(closed) {
  const done = () => { state.closed = state.closed.filter(other => other !== closed); draw(); };
  return h("div", {class: closed.failure ? "card bad" : "card", key: closed.closed, role: "status"},
    closed.accessory
      ? h("p", {class: "good"}, air(closed.displayName), closed.replaces ? " has its new device." : closed.kind === "setup" ? ` was added to ${closed.app}.` : " is done.")
      : h("p", {}, `${closed.app}: `, plain(closed.reason ?? "the request has ended.", 300)),
    h("div", {class: "buttons"}, closed.accessory && isOperator() && button("Rename", () => renameAccessory(closed.accessory, closed.displayName)),
      button("Done", done)));
}

function requestCard(entry) {
  const {request} = entry;
  const left = request.end == null ? null : Math.max(0, Math.round(request.end - now()));
  if (entry.ends?.end !== request.end) entry.ends = {end: request.end, seconds: left};
  const id = {request: request.request};
  return h("section", {class: "card arrives", key: request.request},
    h("div", {class: "row"}, h("h2", {class: "grow"}, requestSentence(request)),
      left != null && ring(left, entry.ends.seconds), left != null && h("span", {class: "muted"}, `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} left`)),
    request.detail && h("p", {class: "warn"}, plain(request.detail, 300)),
    request.pairingNote && h("p", {class: "muted"}, plain(request.pairingNote, 400)),
    requestBody(entry, id),
    isOperator() && h("div", {class: "buttons"},
      request.kind === "setup" || request.kind === "pair" ? button("Not now", () => tell("/cancel", id))
        : button("Refuse", () => tell("/deny", id))));
}

/** How much of the time is left. */
function ring(left, seconds) {
  const length = 2 * Math.PI * 10;
  return h("svg", {class: "ring", viewBox: "0 0 24 24", "aria-hidden": "true"}, h("circle", {class: "base", cx: 12, cy: 12, r: 10}),
    h("circle", {class: "line", cx: 12, cy: 12, r: 10, "stroke-dasharray": `${(length * left / Math.max(1, seconds)).toFixed(1)} ${length.toFixed(1)}`}));
}

function requestBody(entry, id) {
  const {request} = entry;
  if (request.pairing) return pairing(request, id);
  switch (request.phase) {
    case "pairing": return h("p", {}, "It is being paired. Keep it near.");
    case "settingUp": return h("p", {}, "It is being set up…");
    case "confirming": return h("p", {}, `${request.app} has to confirm it. Go on in the app.`);
    case "naming": return isOperator() && button("Name it", () => askName("Its name", request.displayName ?? "",
      `This is what apps see. Without an answer it is ${plain(request.displayName ?? "")}.`, "Name it", name => tell("/name", {...id, name})), "main");
    case "answering": return answering(request, id);
    default: return candidates(entry);
  }
}

function answering(request, id) {
  if (!isOperator()) return null;
  if (request.kind === "rename") {
    return button("Name it", () => askName("A new name", request.displayName ?? "",
      request.renamesSSID ? "The stored name of its network changes, too." : "All apps that have it see this name.", "Rename",
      name => tell("/name", {...id, name})), "main");
  }
  return h("div", {}, list((request.adds ?? []).map(text => [text, plain(text, 300)])), button("Allow", () => tell("/agree", id), "main"));
}

function pairing(request, id) {
  const answer = body => tell("/answer", {...id, ...body});
  if (request.pairing === "showDigits") {
    return h("div", {}, h("p", {}, "Type these digits at the accessory:"), h("p", {class: "digits"}, request.digits));
  }
  if (request.pairing === "compare") {
    return h("div", {}, h("p", {}, "Does the accessory show the same number?"), h("p", {class: "digits"}, request.digits),
      isOperator() && h("div", {class: "buttons"}, button("Same", () => answer({matches: true}), "main"),
        button("Different", () => answer({matches: false}), "bad")));
  }
  return isOperator() && h("form", {onsubmit: event => answer({digits: event.target.querySelector("input").value})},
    h("label", {for: "digits"}, "The six digits that the accessory shows"),
    h("input", {id: "digits", inputmode: "numeric", pattern: "[0-9]{6}", maxlength: 6, autocomplete: "off"}),
    h("div", {class: "buttons"}, h("button", {class: "main"}, "Send")));
}

function candidates(entry) {
  const {request} = entry;
  const lines = ordered(entry);
  const isImmediate = request.items.some(item => item.isImmediate);
  const dead = request.items.filter(item => item.reasonNothingIsFound);
  return h("div", {},
    h("p", {class: "muted"}, request.usesTouch ? "Hold it against the gateway: the first one is chosen." : isImmediate
      ? "Hold it against the gateway, or choose it:" : "Choose it:"),
    dead.map(item => h("p", {class: "warn", key: item.name}, air(item.name), ` ${plain(item.reasonNothingIsFound, 300)}.`)),
    request.items.filter(item => item.note).map(item => h("p", {class: "muted", key: `note ${item.name}`}, air(item.name), ` ${plain(item.note, 300)}.`)),
    lines.length ? list(lines.map(line => [line.candidate, candidate(entry, line)])) : h("p", {}, "Nothing is near yet. Bring it closer, or switch it on."),
    entry.gone.filter(gone => Date.now() - gone.at < 60000).map(gone => h("p", {class: "muted", key: `gone ${gone.line.candidate}`},
      "gone: ", air(gone.line.deviceName ?? gone.line.name), ` ${span((Date.now() - gone.at) / 1000)} ago`)),
    request.hidden > 0 && h("p", {class: "muted"}, `${count(request.hidden, "weaker device")} not shown.`),
    request.turnedAway > 0 && h("p", {class: "warn"}, `${count(request.turnedAway, "device")} turned away: the item is full.`),
    request.tooSlow > 0 && h("p", {class: "warn"}, `${count(request.tooSlow, "device")} cannot be let in: it sends too seldom for gate.samples-min.`),
    h("p", {}, h("a", {href: "#why"}, "Why is mine not here?")));
}

function candidate(entry, line) {
  const {request} = entry;
  const item = request.items[line.itemIndex];
  const level = line.ssid ? line.rssi : line.filteredRSSI ?? line.rssi;
  const name = line.ssid ?? line.deviceName ?? line.name;
  const levels = (entry.levels.get(line.candidate) ?? []).map(([, level]) => level);
  const isQuiet = line.silence > 10;
  const isFirst = ordered(entry)[0] === line && level >= (item?.enterRSSI ?? -45);
  return h("div", {},
    h("div", {class: "row"}, bars(isQuiet ? null : level, isFirst), h("div", {class: "grow"}, h("b", {}, air(name)),
      h("div", {class: "muted"}, isQuiet ? `not heard for ${span(line.silence)}` : nearness(level), isQuiet ? null : dbm(level),
        line.address && ` · ${line.address.slice(-5)}`, line.security && ` · ${line.security}`, line.apps?.length ? ` · already in ${line.apps.join(", ")}` : line.isShared && " · another app has it")),
      isOperator() && !isFirst && button("Choose", () => choose(request, line, item), "", {"data-candidate": line.candidate, "aria-label": `Choose ${plain(name)}`})),
    !line.ssid && levels.length > 1 && plot(`Signal of ${plain(name)} in the last ten seconds`, levels.map(level => level ?? null),
      {low: -100, high: -30, kind: "track", lines: gateLines(item)}),
    isFirst && isOperator() && button(request.replaces ? `This one is the new ${plain(request.displayName)}` : `This one? ${plain(item?.name ?? name)} → ${request.app}`,
      () => choose(request, line, item), "main large", {"data-candidate": line.candidate}),
    !line.isIdentityDurable && h("p", {class: "warn"}, "It changes its address and gave no key: it may be lost again."));
}

function choose(request, line, item) {
  const name = line.ssid ?? line.deviceName ?? line.name;
  const replace = (accessory, displayName) => confirm(`Is it the new ${plain(displayName)}?`, `${plain(name)} takes the place of the device that ${plain(displayName)} `
    + "has, for all apps that have it. The old device is forgotten, and so is its pairing.", "Replace", async () => {
    if (await tell("/choose", {request: request.request, candidate: line.candidate, replaces: accessory})) announce(`${displayName} has its new device.`);
  });
  if (request.replaces) return replace(request.replaces, request.displayName);
  if (!item?.silent?.length) return add(request, line, item);
  dialogue("Is it a new accessory?", [h("p", {}, "Or does it take the place of one that is silent, with its name and its apps?")],
    [["A new accessory", () => { add(request, line, item); }, "main"],
      ...item.silent.map(({accessory, displayName}) => [`The new ${plain(displayName)}`, () => { replace(accessory, displayName); }]), ["Back", null]]);
}

function add(request, line, item) {
  const suggestion = line.ssid ?? item?.name ?? line.name;
  const submit = async name => {
    const answer = await tell("/choose", {request: request.request, candidate: line.candidate, name});
    if (answer) announce(`${answer.displayName} was added to ${request.app}.`);
  };
  if (line.ssid) return dialogue("Add this network?", [h("p", {}, air(line.ssid), ` for ${request.app}`)],
    [[`Add to ${request.app}`, () => { submit(undefined); }, "main"], ["Back", null]]);
  askName(`Add to ${request.app}`, plain(suggestion), `${request.app} gets it. All apps that have it see this name.`, `Add to ${request.app}`,
    name => { submit(name); });
}

function openCard() {
  const {kept} = state;
  load("items", "/items");
  const byApp = Map.groupBy(kept.items?.items ?? [], item => item.app);
  if (!byApp.size) return null;
  return h("section", {}, h("h2", {}, "Add for an app"), h("div", {class: "cards"}, [...byApp].map(([app, items]) =>
    h("div", {class: "card", key: app}, h("h3", {}, app), h("div", {class: "buttons"}, items.map(item =>
      button(`Add ${plain(item.item)}`, () => tell("/open", {app, items: [item.item]}), "", {key: item.item})))))));
}

/** Asks once for something that a screen shows. */
function load(name, path) {
  const {kept} = state;
  if (kept[name] !== undefined || !state.you) return;
  kept[name] = null;
  ask(path).then(answer => { kept[name] = answer; draw(); }, error => { kept[name] = {sentence: error.message}; draw(); });
}

// MARK: Accessories

const bonds = {none: null, bonded: "paired", lost: "the pairing is lost"};

function accessoriesScreen(detail) {
  const all = [...state.accessories.values()].sort((a, b) => a.app.localeCompare(b.app) || a.displayName.localeCompare(b.displayName, undefined, {numeric: true}));
  load("items", "/items");
  const chosen = state.accessories.get(detail);
  if (chosen) return [h("p", {}, h("a", {href: "#accessories"}, "← All accessories")), accessoryDetail(chosen)];
  if (!all.length) return [h("h1", {}, "Accessories"), empty("No accessories yet.", isOperator() && h("p", {}, h("a", {href: "#add"}, "Add one"))), removedCard()];
  const filter = (state.kept.filter ?? "").toLowerCase();
  const shown = all.filter(line => `${line.displayName} ${line.app} ${line.item}`.toLowerCase().includes(filter));
  return [h("h1", {}, "Accessories"),
    all.length > 6 && [h("label", {for: "filter"}, "Find"),
      h("input", {id: "filter", type: "search", oninput: event => { state.kept.filter = event.target.value; draw(); }})],
    isWide.matches ? table(shown) : h("div", {class: "cards"}, shown.map(line =>
      h("a", {class: "card link", key: line.identifier, href: `#accessories/${line.identifier}`}, accessoryCard(line)))),
    removedCard()];
}

/** The same on a wide window. */
function table(lines) {
  return h("table", {}, h("thead", {}, h("tr", {}, ["Name", "App", "Says", "Heard", "Last ten minutes", "More"].map(name => h("th", {scope: "col"}, name)))),
    h("tbody", {}, lines.map(line => {
      const track = trackOf(line);
      return h("tr", {key: line.identifier}, h("th", {scope: "row"}, h("a", {href: `#accessories/${line.identifier}`}, air(line.displayName))),
        h("td", {}, line.app, line.item && h("div", {class: "muted"}, line.item)), h("td", {}, says(line.values)), h("td", {}, sight(line, track)),
        h("td", {class: "plots"}, track && levelPlot(line.displayName, track.levels, itemOf(line))), h("td", {class: "muted"}, traits(line)));
    })));
}

function accessoryCard(line) {
  const track = trackOf(line);
  return [h("h2", {class: "small"}, air(line.displayName)), h("p", {class: "muted"}, line.app, line.item && ` · ${line.item}`),
    line.values?.length > 0 && h("p", {class: "values"}, says(line.values)), h("p", {}, sight(line, track)),
    track && levelPlot(line.displayName, track.levels, itemOf(line)), h("p", {class: "muted"}, traits(line))];
}

function sight(line, track) {
  if (line.status === "suspended") return h("span", {class: "warn"}, "The app's account has changed: confirm it on Now.");
  if (line.status === "orphaned") return h("span", {class: "warn"}, "Its item is not in the manifest any longer.");
  if (line.ssid && !line.address) return line.isInSight ? "Its network is in reach." : "Its network is not in reach.";
  if (line.isHeard) return h("span", {class: "warn"}, "It is heard, but its item does not find it.");
  const silence = track?.silenceMilliseconds != null ? track.silenceMilliseconds / 1000 : line.silence;
  if (!line.isInSight) return h("span", {class: "lost"}, silence == null ? "Not heard." : `Not heard for ${span(silence)}.`);
  return [h("span", {class: "good"}, nearness(line.filteredRSSI)), dbm(line.filteredRSSI), silence > 10 && ` · heard ${span(silence)} ago`];
}

function traits(line) {
  const rhythm = line.rhythmMilliseconds ?? line.intervalMilliseconds;
  return [line.connection && (line.connection === "connected" ? `connected to ${line.app} for ${span(now() - (line.connectedSince ?? now()))}` : `${line.app} is connecting`), bonds[line.bond],
    line.lacksAuthenticatedBond && "needs a pairing with digits", rhythm && (rhythm < 2000 ? `sends every ${rhythm} ms` : `sends every ${span(rhythm / 1000)}`),
    !line.isIdentityDurable && "may change its address"].filter(Boolean).join(" · ");
}

function accessoryDetail(line) {
  const id = {accessory: line.identifier};
  return h("section", {key: line.identifier}, h("div", {class: "card"}, accessoryCard(line),
    h("p", {class: "muted"}, line.address ?? air(line.ssid ?? ""), line.addedAt && ` · added ${new Date(line.addedAt * 1000).toLocaleDateString("en-GB")}`),
    line.pairingNote && h("p", {class: "warn"}, plain(line.pairingNote, 400)),
    isOperator() && h("div", {class: "buttons"}, button("Rename", () => renameAccessory(line.identifier, line.displayName)),
      line.status === "active" && line.state === "authorized" && button("Replace", async () => { if (await tell("/replace", id)) location.hash = "#add"; }),
      line.bond === "lost" && button("Pair again", async () => { if (await tell("/pair", id)) location.hash = "#add"; }),
      line.connection && button("Disconnect", () => confirm("Disconnect it?", `${line.app} loses its connection to ${plain(line.displayName)} now. It may connect again.`,
        "Disconnect", () => tell("/disconnect", id))),
      button("Remove", () => removeAccessory(line), "bad")),
    line.address && h("p", {}, h("a", {href: `#why/${line.address}`}, "Why is it found, or not?"))));
}

function confirm(title, text, verb, action) {
  dialogue(title, [h("p", {}, text)], [[verb, () => { action(); }, "bad"], ["Back", null]]);
}

function renameAccessory(accessory, name) {
  askName("Rename", plain(name), "All apps that have it see this name.", "Rename", name => { tell("/rename", {accessory, name}); });
}

function removeAccessory(line) {
  confirm(`Remove ${plain(line.displayName)}?`, `${line.app} loses it at once. It is not added again by touch or automatically until you let it in again.`,
    "Remove", async () => {
      if (!await tell("/remove", {accessory: line.identifier})) return;
      location.hash = "#accessories";
      delete state.kept.removed;
      announce(`${line.displayName} was removed.`);
    });
}

function removedCard() {
  load("removed", "/registry");
  const removed = state.kept.removed?.removed ?? [];
  if (!removed.length) return null;
  return h("section", {}, h("h2", {}, "Removed"), list(removed.slice(0, 32).map(line => [`${line.app}/${line.device}`, h("div", {class: "row"},
    h("span", {class: "grow"}, air(line.device), h("small", {}, ` ${line.app} · ${line.item}`)),
    isOperator() && button("Let it in again", async () => {
      if (await tell("/allow", {app: line.app, device: line.device})) { delete state.kept.removed; draw(); }
    }))])));
}

// MARK: Why not?

const clauseNames = {"bluetooth-company-identifier": "company", "bluetooth-manufacturer-data-blob": "data", "bluetooth-service-uuid": "service",
  "bluetooth-service-data-blob": "service data", "bluetooth-name-substring": "name", "bluetooth-address-prefix": "address"};

function whyScreen(detail) {
  const {kept} = state;
  if (detail && kept.asked !== detail) explain(detail);
  const field = h("form", {onsubmit: event => find(event.target.querySelector("input").value)},
    h("label", {for: "device"}, "A device's name or address, or an accessory"),
    h("div", {class: "row"}, h("span", {class: "grow"}, h("input", {id: "device", autocomplete: "off"})), h("button", {class: "main"}, "Explain")));
  return [h("h1", {}, "Why not?"), field,
    h("div", {class: "wide"}, h("section", {}, detail && answer(detail)), h("section", {}, h("h2", {}, "Near, and not an accessory"), nearList()))];
}

const isAddress = text => /^([0-9a-f]{2}[:.-]?){5}[0-9a-f]{2}$/i.test(text.trim());
const address = text => text.trim().replace(/[^0-9a-f]/gi, "").toUpperCase().match(/../g).join(":");

function find(text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return;
  if (isAddress(text)) { location.hash = `#why/${address(text)}`; return; }
  const accessory = [...state.accessories.values()].find(line => line.displayName.toLowerCase() === wanted && line.address);
  const device = state.devices?.devices.find(line => (line.name ?? "").toLowerCase().includes(wanted));
  const found = accessory?.address ?? device?.address;
  if (found) { location.hash = `#why/${found}`; return; }
  const item = knownItems().find(line => `${line.app}/${line.item}` === wanted || line.item === wanted);
  if (item) { location.hash = "#rules"; return; }
  notice("Not in reach", `Nothing that is called “${text}” is heard now. Bring it closer, and see whether it appears in the list.`);
}

async function explain(device) {
  const {kept} = state;
  Object.assign(kept, {asked: device, answer: null, failure: null, suggestion: null});
  try {
    kept.answer = await ask("/explain", {device});
    announce("The explanation is here.");
  } catch (error) {
    kept.failure = error.message;
  }
  draw();
}

function answer(device) {
  const {kept} = state;
  if (kept.failure) return h("div", {class: "card bad"}, h("p", {}, plain(kept.failure, 400)), button("Try again", () => explain(device)));
  if (!kept.answer) return h("div", {class: "card"}, h("p", {}, `The gateway listens to ${device} for 3 s…`));
  if (!kept.answer.devices.length) return empty("It is not in reach now.", button("Try again", () => explain(device)));
  return kept.answer.devices.map(found => h("div", {key: found.device.address}, explanation(found), tools(found.device)));
}

function explanation({device, items, reversedIdentityKey}) {
  const name = device.name ?? nameOf(device.address) ?? device.address;
  const nearest = items[0];
  const isFound = items.some(item => item.isFound);
  return h("div", {class: "card"},
    h("h2", {}, isFound ? "Why is " : "Why is ", air(name), isFound ? " found?" : " not found?"),
    h("p", {class: "muted"}, `${device.address} · ${nearness(device.filteredRSSI)}`, dbm(device.filteredRSSI), ` · ${pace(device)}`),
    reversedIdentityKey && h("p", {class: "warn"}, `Its key stands in the wrong order in identity-keys, for ${reversedIdentityKey}.`),
    nearest ? itemAnswer(nearest) : h("p", {}, "The manifest has no item that looks for devices."),
    items.length > 1 && h("details", {}, h("summary", {}, `${count(items.length - 1, "other item")}`),
      list(items.slice(1, 24).map((item, i) => [`${item.app}/${item.item}/${i}`, h("b", {}, `${item.app}/${item.item}`), `: ${item.why}`]))),
    past(device));
}

/** What happened at a moment of the last ten minutes. */
function past(device) {
  const {kept} = state;
  const answer = kept.past?.device === device.address ? kept.past : null;
  return h("details", {}, h("summary", {}, "What about a moment before?"), h("form", {class: "row", onsubmit: event => askPast(device.address, event.target.querySelector("input").value)},
    h("label", {for: "moment"}, "At"), h("span", {class: "grow"}, h("input", {id: "moment", type: "time", step: 1})), h("button", {}, "Ask")),
  answer && h("div", {role: "status"}, answer.sentences.map((sentence, i) => h("p", {key: i}, sentence))));
}

async function askPast(device, text) {
  if (!text) return;
  const answer = await tell("/history", {device});
  if (answer) state.kept.past = {device, sentences: pastSentences(answer, text)};
  draw();
}

function pastSentences({end, sampleMilliseconds, tracks, edges}, text) {
  const seconds = time => time.split(":").reduce((sum, part) => sum * 60 + Number(part), 0) * (time.split(":").length === 2 ? 60 : 1);
  const ago = (seconds(clock(now())) - seconds(text) + 86400) % 86400;
  if (ago > 600) return ["The gateway remembers the last ten minutes only."];
  const time = now() - ago, last = time + (text.split(":").length === 2 ? 60 : 0);
  const paths = [...new Set([...tracks, ...edges].map(part => `${part.app}/${part.item}`))];
  if (!paths.length) return ["No item had found it in the last ten minutes, so that nothing is remembered of it."];
  return paths.flatMap(path => {
    const own = edges.filter(edge => `${edge.app}/${edge.item}` === path);
    const track = tracks.find(track => `${track.app}/${track.item}` === path);
    const at = track && track.levels.length - 1 - Math.max(0, Math.floor((end - time) * 1000 / sampleMilliseconds));
    const silence = track?.silences[at];
    const before = own.findLast(edge => edge.time <= time), after = own.find(edge => edge.time > last);
    return [silence >= 0 ? `At ${text} ${path} had found it, ${track.levels[at] === 127 ? "without a level" : `at ${track.levels[at]} dBm`}, last heard ${span(silence / 1000)} before.`
      : `At ${text} ${path} had not found it.`, ...[before, ...own.filter(edge => edge.time > time && edge.time <= last), after].filter(Boolean).map(edgeSentence)];
  });
}

const edgeSentence = edge => `${clock(edge.time)} ${edge.event === "lost" ? `lost${edge.silence != null ? ` after ${span(edge.silence)} of silence` : ""}: ${reasons[edge.reason] ?? edge.reason}`
  : "found"}${edge.filteredRSSI != null ? `, at ${edge.filteredRSSI} dBm` : ""}.`;

const pace = device => device.rhythmMilliseconds ? `heard every ${span(device.rhythmMilliseconds / 1000)}`
  : device.intervalMilliseconds ? `heard every ${device.intervalMilliseconds} ms` : `heard ${span(device.silence)} ago`;

function itemAnswer(item) {
  return h("div", {}, h("h3", {}, `${item.app}/${item.item}: `, h("span", {class: item.isFound ? "good" : "warn"}, item.why)),
    list(item.clauses.map((clause, i) => [`${clause.clause}${i}`, clauseAnswer(clause)])), gate(item));
}

function clauseAnswer(clause) {
  const heard = clause.compared.find(part => part.masked != null) ?? clause.compared[0];
  return [h("b", {}, clauseNames[clause.clause] ?? clause.clause), ` ${plain(clause.wanted, 80)} `,
    h("span", {class: clause.holds ? "good" : "lost"}, clause.holds ? "yes" : heard ? "no" : "no: it sends none"),
    !clause.holds && heard && (heard.masked != null || /^([0-9a-f]{2})+$/.test(heard.value) && /^([0-9a-f]{2})+$/.test(clause.wanted) ? bytes(clause, heard)
      : h("p", {class: "muted"}, `it sends ${plain(heard.value, 80)}`))];
}

const pairs = hex => hex?.match(/../g) ?? [];

/** What is sent, above what is wanted; the bytes that differ are marked. */
function bytes(clause, heard) {
  const sent = pairs(heard.value), wanted = pairs(clause.wanted), mask = pairs(clause.mask);
  const differs = wanted.map((byte, i) => {
    const m = mask[i] ? parseInt(mask[i], 16) : 255;
    return (parseInt(sent[i] ?? "0", 16) & m) !== (parseInt(byte, 16) & m) || sent[i] === undefined;
  });
  const first = differs.indexOf(true);
  return [h("div", {class: "bytes"}, Array.from({length: Math.min(64, Math.max(sent.length, wanted.length))}, (_, i) =>
    h("span", {class: differs[i] ? "differs" : "", key: i}, h("em", {}, String(i)), h("span", {}, sent[i] ?? "–"), h("em", {}, mask[i] === "00" ? "··" : wanted[i] ?? "··")))),
  first >= 0 && h("p", {class: "lost"}, `Byte ${first} is ${sent[first] ?? "missing"}, the item wants ${wanted[first]}${mask[first] && mask[first] !== "ff" ? ` (under the mask ${mask[first]})` : ""}.`)];
}

function gate({gate}) {
  if (gate.range !== "immediate") return null;
  const seconds = ms => span(ms / 1000);
  const isSlow = gate.learnedIntervalMilliseconds && gate.learnedIntervalMilliseconds * (gate.samplesMin - 1) > gate.windowMilliseconds;
  return [h("p", {}, h("b", {}, "at the gateway "), gate.filteredRSSI == null ? "no reading" : `${Math.round(gate.filteredRSSI)} dBm`,
    `: enters at ${Math.round(gate.enterRSSI)}, leaves below ${Math.round(gate.leaveRSSI)}`),
  h("p", {class: isSlow ? "warn" : "muted"}, gate.learnedIntervalMilliseconds && `Heard every ${seconds(gate.learnedIntervalMilliseconds)}. `,
    `The gate needs ${gate.samplesMin} readings within ${seconds(gate.windowMilliseconds)}, and has ${gate.samplesInWindow ?? 0}.`,
    isSlow && ` Set gate.samples-min = ${Math.max(1, Math.floor(gate.windowMilliseconds / gate.learnedIntervalMilliseconds) + 1)}.`)];
}

function tools(device) {
  const {kept} = state;
  return h("div", {}, h("div", {class: "buttons"},
    button("Ask again", () => explain(device.address)),
    button("Make an item of this", () => suggest(device.address)),
    isOperator() && button(kept.isRecording ? "Recording…" : "Record 60 s", () => record(), "", {disabled: kept.isRecording})),
  kept.suggestion === "…" && h("p", {}, "The gateway listens for 6 s…"),
  kept.suggestion?.suggestions?.map(found => h("div", {class: "card", key: found.address},
    found.warnings.map(text => h("p", {class: "warn", key: text}, plain(text, 400))), h("pre", {}, found.toml),
    h("div", {class: "buttons"}, button("Copy", () => copy(found.toml))),
    h("p", {class: "muted"}, "This puts it in place:"), h("pre", {}, `sudo accessoryctl suggest ${found.address} --app APP --add`))));
}

async function suggest(device) {
  const {kept} = state;
  kept.suggestion = "…";
  draw();
  kept.suggestion = await tell("/suggest", {device});
  draw();
}

async function record() {
  const {kept} = state;
  kept.isRecording = true;
  draw();
  const file = await tell("/record", {seconds: 60});
  kept.isRecording = false;
  draw();
  if (!(file instanceof Blob)) return;
  const url = URL.createObjectURL(file);
  const link = h("a", {href: url, download: "gateway.btsnoop"});
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    announce("Copied.");
  } catch {
    notice("Copy it by hand", "The browser copies only on secure pages. Mark the text, and copy it.");
  }
}

const makers = {"0x004c": "Apple", "0x0006": "Microsoft", "0x00e0": "Google", "0x0075": "Samsung", "0x0499": "Ruuvi", "0x02e5": "Espressif", "0x0059": "Nordic"};

/** The maker of an unknown device, from the company of its manufacturer data. */
function maker(data) {
  const all = pairs(data);
  for (let i = 0; i + 1 < all.length; i += parseInt(all[i], 16) + 1) {
    if (parseInt(all[i], 16) === 0) continue;
    if (all[i + 1] === "ff" && all.length > i + 3) { const id = `0x${all[i + 3]}${all[i + 2]}`; return makers[id] ?? `company ${id}`; }
  }
  return null;
}

function nearList() {
  const {devices} = state;
  if (!devices) return h("p", {class: "muted"}, "Loading…");
  const own = new Set([...state.accessories.values()].map(line => line.address));
  const others = devices.devices.filter(device => !own.has(device.address));
  if (!others.length) return empty("Nothing else is in reach.");
  return h("div", {}, list(others.slice(0, 30).map((device, i) => [device.address, h("a", {class: "link", href: `#why/${device.address}`},
    h("div", {class: "row"}, bars(device.filteredRSSI), h("div", {class: "grow"},
      device.name ? air(device.name) : `Device ${i + 1}`, h("div", {class: "muted"},
        [nearness(device.filteredRSSI), maker(device.data), device.address, device.items.length > 0 && `matches ${device.items.map(item => `${item.app}/${item.item}`).join(", ")}`]
          .filter(Boolean).join(" · ")))))])),
  devices.more > 0 && h("p", {class: "muted"}, `${count(devices.more, "weaker device")} not shown.`));
}

// MARK: Rules

function rulesScreen() {
  load("items", "/items");
  load("manifest", "/manifest");
  const {kept} = state;
  const items = state.items.length ? state.items : kept.items?.items;
  return [h("h1", {}, "Rules"), kept.items?.sentence && h("p", {class: "warn"}, kept.items.sentence),
    items && !items.length && empty("The manifest has no item yet."),
    h("div", {class: "cards"}, (items ?? []).map(itemCard)), editor()];
}

function itemCard(line) {
  const path = `${line.app}/${line.item}`;
  const words = line.descriptor.map(text => text.replace("bluetooth-", "").replace(" = ", " "));
  return h("div", {class: "card", key: path}, h("h2", {class: "small"}, path),
    h("p", {class: "muted"}, plain(words.join(" and "), 240)),
    line.enterRSSI != null && h("p", {class: "muted"}, `within reach: enters at ${Math.round(line.enterRSSI)} dBm, leaves below ${Math.round(line.leaveRSSI)}`),
    h("p", {class: line.lastMatched == null ? "warn" : ""}, `Finds ${line.found ?? 0}. Turned away ${line.turnedAway ?? 0}. `,
      line.lastMatched == null ? "Never matched since the start." : `Last matched ${when(line.lastMatched)}.`));
}

function editor() {
  const {kept} = state;
  if (!kept.manifest) return null;
  if (kept.manifest.sentence) return h("p", {class: "warn"}, plain(kept.manifest.sentence, 300));
  const text = kept.text ?? kept.manifest.text;
  return h("section", {}, h("h2", {}, "The manifest"),
    h("p", {class: "muted"}, `${kept.manifest.path}. `, isOperator() ? "Change it here and see what it would find. The page writes no manifest: at the end it gives you the command that does." : ""),
    isOperator() ? h("div", {class: "wide"}, h("div", {}, h("label", {for: "manifest"}, "Text"),
      h("textarea", {id: "manifest", spellcheck: "false", value: text, oninput: event => edit(event.target.value)}), checkButtons()), checked())
      : h("pre", {}, text));
}

let timer = 0;

function edit(text) {
  state.kept.text = text;
  clearTimeout(timer);
  timer = setTimeout(async () => {
    const answer = await ask("/check", {text}).catch(error => ({sentence: error.message}));
    if (state.kept.text !== text) return;
    state.kept.checked = answer;
    draw();
  }, 300);
}

function checkButtons() {
  const {kept} = state;
  const changed = kept.text != null && kept.text !== kept.manifest.text;
  return h("div", {class: "buttons"},
    button("Keep as a draft", keepDraft, "main", {disabled: !changed || !kept.checked?.isAccepted}),
    button("Copy", () => copy(kept.text ?? kept.manifest.text)),
    button("Undo all", () => { kept.text = kept.manifest.text; kept.checked = null; kept.draft = null; draw(); }, "", {disabled: !changed}));
}

async function keepDraft() {
  const answer = await tell("/draft", {text: state.kept.text});
  if (answer) Object.assign(state.kept, {checked: answer, draft: answer});
  draw();
}

/** The lines that differ, as a list of changes: what goes, and what comes in its place. */
function difference(old, next) {
  const a = old.split("\n"), b = next.split("\n");
  let start = 0, end = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return [`@@ line ${start + 1} @@`, ...a.slice(start, a.length - end).map(line => `-${line}`), ...b.slice(start, b.length - end).map(line => `+${line}`)].join("\n");
}

function checked() {
  const {kept} = state;
  const result = kept.checked;
  if (!result) return h("div", {}, h("p", {class: "muted"}, "Nothing is changed yet."));
  if (result.sentence) return h("div", {class: "card bad"}, h("p", {}, plain(result.sentence, 300)));
  const moved = result.items.filter(item => item.loses.length > 0 || item.count > 0);
  return h("div", {role: "status"},
    result.diagnostics.length ? list(result.diagnostics.slice(0, 24).map((line, i) => [`${line.line}/${i}`, h("b", {class: line.severity === "error" ? "lost" : "warn"},
      line.line ? `Line ${line.line}` : "The file", line.severity === "warning" ? " (warning)" : ""), line.keyPath ? ` ${line.keyPath}` : "", `: ${plain(line.message, 400)}`]))
      : h("p", {class: "good"}, "Nothing is wrong with it."),
    h("h3", {}, "With this text, of the devices that are here now:"),
    moved.length ? list(moved.map(item => [`${item.app}/${item.item}`, h("b", {}, `${item.app}/${item.item}`), ` matches ${item.count}`,
      item.finds.length > 0 && [": ", item.finds.slice(0, 5).map((device, i) => [i > 0 && ", ", air(device.name ?? device.address)])],
      item.loses.length > 0 && h("span", {class: "lost"}, `; no longer ${item.loses.map(device => plain(device.name ?? device.address)).join(", ")}`)])) : h("p", {}, "No item matches any."),
    kept.draft?.command && h("div", {class: "card"}, h("p", {}, "The draft is kept. This shows the difference again, asks, and puts it in place:"),
      h("pre", {}, kept.draft.command), button("Copy the command", () => copy(kept.draft.command)), h("pre", {}, difference(kept.manifest.text, kept.text))));
}

export const screens = {now: nowScreen, add: addScreen, accessories: accessoriesScreen, why: whyScreen, rules: rulesScreen};

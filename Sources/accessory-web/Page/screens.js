// SPDX-License-Identifier: GPL-3.0-or-later
// The five screens: each makes its nodes from what the page knows.
import {absence, act, air, announce, ask, askName, button, clock, count, dialogue, draw, gateOf, h, isHere, isLive, isOperator, isRecent, isWide, leave, levelOf, nearness,
  notice, now, ordered, pause, place, plain, rhythmOf, says, sentence, settled, silenceOf, span, stamped, state, tell, trackOf, when} from "./app.js";

// MARK: Parts

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
const gateWords = ({enterRSSI, leaveRSSI}) => `enters at ${Math.round(enterRSSI)} dBm, leaves below ${Math.round(leaveRSSI)}`;

const levelPlot = (name, levels, item) =>
  plot(`Signal of ${plain(name)} in the last ten minutes`, levels.map(level => level || null), {low: -100, high: -30, lines: gateLines(item), span: 120});

/** The item of an accessory, with its gate's levels. */
const itemOf = line => knownItems().find(item => item.app === line.app && item.item === line.item);
const knownItems = () => state.items.length ? state.items : state.kept.items?.items ?? [];

const nameOf = address => state.names.get(address);
const waiting = nodes => isLive() ? h("p", {class: "muted"}, nodes ?? "Loading…") : h("p", {class: "muted"}, absence());

// MARK: Now

function nowScreen() {
  const {status} = state;
  if (!status) return [h("h1", {}, "Now"), waiting()];
  const needs = status.problems.length + state.requests.size;
  const accessories = [...state.accessories.values()];
  const silent = accessories.filter(line => line.address && !line.isInSight);
  const ignored = status.devices ? Math.round(100 * (status.devices - status.found) / status.devices) : 0;
  return [
    h("div", {class: "row"}, h("h1", {class: "grow"}, !isLive() ? absence() : needs ? `${count(needs, "thing")} ${needs === 1 ? "needs" : "need"} you.` : "All is well."),
      h("span", {class: "muted"}, clock(now()))),
    h("p", {}, `${count(accessories.length - silent.length, "accessory", "accessories")} in sight`,
      silent.length > 0 && [" · ", `${silent.length} silent (`, air(silent[0].displayName), silentSince(silent[0]), silent.length > 1 ? ", …)" : ")"]),
    status.devices > 0 && h("p", {class: "muted"},
      `${ignored} % of the ${count(status.devices, "device")} in reach are found by no item, and are ignored.`),
    [...state.requests.values()].map(({request}) => h("div", {class: "card amber", key: request.request},
      h("div", {class: "row"}, h("p", {class: "grow"}, requestSentence(request), ` Since ${span(now() - request.since)}.`),
        h("a", {class: "button", href: "#add"}, isOperator() ? "Choose" : "Show")))),
    status.problems.map(problem => h("div", {class: "card amber", key: problem.kind + problem.sentence},
      h("p", {}, sentence(problem.sentence)), cure(problem))),
    status.warnings.map(warning => h("div", {class: "card", key: warning.sentence}, h("p", {}, plain(warning.sentence, 400)))),
    h("div", {class: "wide"},
      h("section", {}, h("h2", {}, "Radio"), radio(status), apps(),
        h("p", {class: "buttons"}, button("Log out", leave))),
      h("section", {}, h("h2", {}, "What happened last"), events())),
  ];
}

const radioWords = {on: "listens", off: "is off", recovering: "is being brought back", absent: "is not there"};

function radio(status) {
  const {radio, listening} = status;
  const seconds = (state.history?.sampleMilliseconds ?? 5000) / 1000;
  const rates = (state.history?.reports ?? []).map(reports => Math.round(reports / seconds));
  const last = rates.findLast(rate => rate != null);
  return h("div", {class: "card"},
    h("p", {}, h("b", {}, plain(radio.source)), ` ${radioWords[radio.state]}. `,
      radio.state !== "on" && !status.problems.some(problem => problem.sentence.includes(radio.detail)) && h("span", {class: "muted"}, sentence(radio.detail))),
    listening && radio.state === "on" && h("p", {class: "muted"}, listening.percent === 100 ? `It listens all the time (${listening.board}).`
      : `It listens ${listening.percent} % of the time, and ${listening.requestPercent} % while an app asks (${listening.board}).`),
    h("p", {}, "Reports a second: ", h("b", {}, last == null ? "–" : String(last)), h("small", {}, " last ten minutes")),
    plot(`Reports a second, now ${last ?? "unknown"}`, rates, {low: 0, high: Math.max(10, ...rates), span: 120}));
}

function apps() {
  if (!state.apps.length) return state.history && empty("The manifest has no app yet.");
  return h("div", {class: "card"}, h("h3", {}, "Apps"), list(state.apps.map(({app, isConnected, lastSeen, accessories}) => [app, air(app), " ",
    isConnected ? h("span", {class: "good"}, "connected") : lastSeen == null ? h("span", {class: "warn"}, "never seen") : `last seen ${when(lastSeen)}`,
    h("small", {}, ` ${count(accessories, "accessory", "accessories")}`)])),
  !state.accessories.size && h("p", {}, "No accessories yet. ", isOperator() && h("a", {class: "button", href: "#add"}, "Add one")));
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
  if (radio) return [`The radio ${radioWords[radio.state]}.`, radio.state !== "on" && ` ${sentence(radio.detail)}`];
  return [`The network `, air(network.ssid), network.event === "found" ? ` was found for ${network.app}.` : ` was lost.`];
}

/** What happened to accessories. Of a device that is none the screen "Why not?" tells. */
function events() {
  const oldest = Math.min(...state.events.map(({event}) => event?.time ?? Infinity));
  const earlier = state.edges.filter(edge => edge.time < oldest).map(event => ({event})).reverse();
  const shown = [...state.events, ...earlier].filter(({event}) => !event || state.names.has(event.address) && (event.event !== "changed" || event.values));
  if (!shown.length) return empty("Nothing has happened to an accessory in the last ten minutes.");
  return list(shown.slice(0, 16).map(entry => {
    const part = entry.event ?? entry.connection ?? entry.radio ?? entry.network;
    const key = `${part.time}/${part.sequence ?? part.address ?? ""}`;
    return [key, h("small", {}, clock(part.time), " "), eventWords(entry), " ",
      entry.event?.event === "lost" && h("a", {class: "button", href: `#why/${entry.event.address}`}, "Why?")];
  }));
}

/** When a device was lost last, as far as it is known. */
function lastLost(address) {
  const losses = [...state.edges, ...state.events.map(({event}) => event)].filter(event => event?.event === "lost" && event.address === address);
  return losses.length ? Math.max(...losses.map(event => event.time - (event.silence ?? 0))) : null;
}

/** For how long an accessory has been silent: " for 3 h". */
function silentSince(line) {
  const silence = trackOf(line)?.silenceMilliseconds;
  const seconds = silenceOf(line) ?? (silence != null ? silence / 1000 : null) ?? (lastLost(line.address) == null ? null : now() - lastLost(line.address));
  if (seconds != null) return ` for ${span(seconds)}`;
  return now() < 600 ? ` since the agent started ${span(now())} ago` : " for ten minutes at least";
}

/** A button where the page can solve a problem. */
function cure({kind}) {
  if (kind === "itemFull") return h("p", {}, h("a", {class: "button", href: "#rules"}, "Show the item"));
  if (["bondLost", "bondNotAuthenticated", "accessoryNotMatching"].includes(kind)) return h("p", {}, h("a", {class: "button", href: "#accessories"}, "Show the accessory"));
  if (kind !== "accessoriesSuspended" || !isOperator()) return null;
  const names = [...new Set([...state.accessories.values()].filter(line => line.status === "suspended").map(line => line.app))];
  return h("p", {class: "buttons"}, names.map(app => act(`Confirm the account of ${app}`, () => tell("/authorize", {app}))));
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
    default: return [h("b", {}, request.app), request.isOnBehalf ? " will get " : " asks for ", items.length ? items : "an accessory", "."];
  }
}

function addScreen() {
  const entries = [...state.requests.values()];
  return [
    h("h1", {}, "Add"),
    entries.length > 0 ? h("div", {}, entries.map(requestCard)) : empty("No app asks for anything."),
    state.closed.filter(closed => Date.now() - closed.at < 10000).map(closedCard),
    isOperator() && openCard(),
  ];
}

function closedCard(closed) {
  const done = () => { state.closed = state.closed.filter(other => other !== closed); draw(); };
  const isChoice = !closed.failure || closed.failure === "userCancelled";
  return h("div", {class: isChoice ? "card" : "card bad", key: closed.closed, role: "status"},
    closed.accessory
      ? h("p", {class: "good"}, air(closed.displayName), closed.replaces ? " has its new device." : closed.kind === "setup" ? ` was added to ${closed.app}.` : " is done.")
      : h("p", {}, `${closed.app}: `, sentence(closed.reason ?? "the request has ended"), closed.failure === "invalidated" && " Look whether the app runs: it has to ask again."),
    h("div", {class: "buttons"}, closed.accessory && isOperator() && act("Rename", () => renameAccessory(closed.accessory, closed.displayName)),
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
      request.kind === "setup" || request.kind === "pair" ? act("Not now", () => refuse("/cancel", id))
        : act("Refuse", () => refuse("/deny", id))));
}

/** Ends a request. That it has ended is no news to the one who did it. */
async function refuse(path, id) {
  state.mine.cancelled.add(id.request);
  if (!await tell(path, id)) state.mine.cancelled.delete(id.request);
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
    case "naming": return isOperator() && act("Name it", () => askName("Its name", request.displayName ?? "",
      `This is what apps see. Without an answer it is ${plain(request.displayName ?? "")}.`, "Name it", name => tell("/name", {...id, name})), "main");
    case "answering": return answering(request, id);
    default: return candidates(entry);
  }
}

function answering(request, id) {
  if (!isOperator()) return null;
  if (request.kind === "rename") {
    return act("Name it", () => askName("A new name", request.displayName ?? "",
      request.renamesSSID ? "The stored name of its network changes, too." : "All apps that have it see this name.", "Rename",
      name => tell("/name", {...id, name})), "main");
  }
  return h("div", {}, list((request.adds ?? []).map(text => [text, plain(text, 300)])), act("Allow", () => tell("/agree", id), "main"));
}

function pairing(request, id) {
  const answer = body => tell("/answer", {...id, ...body});
  if (request.pairing === "showDigits") {
    return h("div", {}, h("p", {}, "Type these digits at the accessory:"), h("p", {class: "digits"}, request.digits.replace(/^...(?=...$)/, "$&\u202f")));
  }
  if (request.pairing === "compare") {
    return h("div", {}, h("p", {}, "Does the accessory show the same number?"), h("p", {class: "digits"}, request.digits.replace(/^...(?=...$)/, "$&\u202f")),
      isOperator() && h("div", {class: "buttons"}, act("Same", () => answer({matches: true}), "main"),
        act("Different", () => answer({matches: false}), "bad")));
  }
  return isOperator() && h("form", {onsubmit: event => answer({digits: event.target.querySelector("input").value})},
    h("label", {for: "digits"}, "The six digits that the accessory shows"),
    h("input", {id: "digits", inputmode: "numeric", pattern: "[0-9]{6}", maxlength: 6, autocomplete: "off"}),
    h("div", {class: "buttons"}, h("button", {class: "main"}, "Send")));
}

function candidates(entry) {
  const {request} = entry;
  const {here, gone} = ordered(entry);
  load("removed", "/registry");
  const gated = request.items.find(item => item.enterRSSI != null);
  const dead = request.items.filter(item => item.reasonNothingIsFound);
  return h("div", {},
    h("p", {class: "muted"}, request.usesTouch ? "Hold it against the gateway: the first one that comes near is chosen." : request.items.some(item => item.isImmediate)
      ? "Hold it against the gateway, or choose it:" : "Choose it:"),
    gated && h("p", {class: "muted"}, "Its level in the last 10 s, with the lines of the gate: ", h("span", {class: "good"}, `enter ${Math.round(gated.enterRSSI)} dBm`),
      `, leave ${Math.round(gated.leaveRSSI)} dBm`),
    dead.map(item => h("p", {class: "warn", key: item.name}, air(item.name), ` ${plain(item.reasonNothingIsFound, 300)}.`)),
    request.items.filter(item => item.note).map(item => h("p", {class: "muted", key: `note ${item.name}`}, air(item.name), ` ${plain(item.note, 300)}.`)),
    !here.length && h("p", {}, "Nothing is near. Bring it closer, or switch it on."),
    list([...here.map(line => [line.candidate, candidate(entry, line)]), ...gone.slice(0, 5).map(line => [line.candidate,
      h("div", {class: "muted"}, "gone: ", air(line.ssid ?? line.deviceName ?? line.name), `, last heard ${span(silenceOf(line))} ago`)])]),
    request.hidden > 0 && h("p", {class: "muted"}, `${count(request.hidden, "weaker device")} not shown.`),
    request.turnedAway > 0 && h("p", {class: "warn"}, `${count(request.turnedAway, "device")} turned away: the item is full. Raise matches-per-item in [capacity].`),
    request.tooSlow > 0 && h("p", {class: "warn"}, `${count(request.tooSlow, "device")} cannot be let in: ${request.tooSlow === 1 ? "it sends" : "they send"} too seldom for the gate. `
      + "Lower the item's gate.samples-min, or raise its gate.sample-window-max-ms. “Why not?” says which one it is, and the number."),
    h("p", {}, h("a", {class: "button", href: "#why"}, "Why is mine not here?")));
}

/** A row. Its button is the same node whatever it says, so that it keeps the focus. */
function candidate(entry, line) {
  const {request} = entry;
  const item = request.items[line.itemIndex];
  const name = line.ssid ?? line.deviceName ?? line.name;
  const levels = (entry.levels.get(line.candidate) ?? []).map(([, level]) => level ?? null);
  // In a touch the agent chooses what comes near. What lies there stays.
  const isFirst = entry.first === line.candidate && !request.usesTouch;
  const isRemoved = state.kept.removed?.removed?.some(other => other.app === request.app && other.device === line.address);
  const isLying = request.usesTouch && !isRemoved && line.isIdentityDurable && Date.now() - entry.at.get(line.candidate) > 3000;
  const {enter, leave} = gateOf(item);
  return h("div", {class: isFirst ? "row first" : "row"}, bars(levelOf(line), isLive() && entry.at.has(line.candidate)),
    h("div", {class: "grow"}, h("b", {}, air(name)), h("div", {class: "muted"}, place(line),
      line.address && ` · ${line.address.slice(-5)}`, line.security && ` · ${line.security}`, line.apps?.length ? ` · already in ${line.apps.join(", ")}` : line.isShared && " · another app has it")),
    isOperator() && act(!isFirst ? "Choose" : request.replaces ? `This one is the new ${plain(request.displayName)}` : `This one? ${plain(item?.name ?? name)} → ${request.app}`,
      () => choose(request, line, item), isFirst ? "main large" : "", {"data-candidate": line.candidate, "aria-label": isFirst ? null : `Choose ${plain(name)}`}),
    h("div", {class: "whole"}, !line.ssid && plot(`Signal of ${plain(name)} in the last ten seconds`, levels,
      {...item?.enterRSSI == null ? {low: -100, high: -30} : {low: leave - 25, high: enter + 10}, kind: "track", lines: gateLines(item)}),
    isLying && h("p", {class: "warn"}, "It lay here before, and so is not chosen by itself. Take it away and bring it back, or choose it."),
    isRemoved && h("div", {class: "row warn"}, h("span", {class: "grow"}, `It was removed before${request.usesTouch ? ": touch does not choose it." : "."}`), isOperator() && letIn(request.app, line.address)),
    !line.isIdentityDurable && h("p", {class: "warn"}, "It changes its address and gave no key: it may be lost again", request.usesTouch && ", and touch does not choose it", ".")));
}

const letIn = (app, device) => act("Let it in again", async () => {
  if (await tell("/allow", {app, device})) { delete state.kept.removed; draw(); }
});

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
  // Its own name tells it from others of its kind, if it can be shown as it is.
  const suggestion = line.ssid ?? (plain(line.deviceName ?? "") === line.deviceName ? line.deviceName : item?.name ?? line.name);
  const submit = async name => {
    const answer = await tell("/choose", {request: request.request, candidate: line.candidate, name});
    if (answer) announce(`${answer.displayName} was added to ${request.app}.`);
  };
  if (line.ssid) return dialogue("Add this network?", [h("p", {}, air(line.ssid), ` for ${request.app}`)],
    [[`Add to ${request.app}`, () => { submit(undefined); }, "main"], ["Back", null]]);
  askName(`Add to ${request.app}`, suggestion, `${request.app} gets it. All apps that have it see this name.`, `Add to ${request.app}`,
    name => { submit(name); });
}

function openCard() {
  const {kept} = state;
  load("items", "/items");
  const byApp = Map.groupBy(kept.items?.items ?? [], item => item.app);
  if (!byApp.size) return null;
  return h("section", {}, h("h2", {}, "Add for an app"), h("div", {class: "cards"}, [...byApp].map(([app, items]) =>
    h("div", {class: "card", key: app}, h("h3", {}, app), hasRequest(app) && h("p", {class: "muted"}, "It asks already: answer that first, or say Not now."),
      h("div", {class: "buttons"}, items.map(item => act(`Add ${plain(item.item)}`, () => tell("/open", {app, items: [item.item]}), "",
        {key: item.item, isOff: hasRequest(app)})))))));
}

/** An app has one request at a time. */
const hasRequest = app => [...state.requests.values()].some(({request}) => request.app === app && request.kind === "setup");

/** Asks once for something that a screen shows. */
function load(name, path) {
  const {kept} = state;
  if (kept[name] !== undefined || !state.you) return;
  kept[name] = null;
  ask(path).then(answer => { kept[name] = answer; draw(); }, error => { kept[name] = {sentence: error.message}; draw(); });
}

// MARK: Accessories

function accessoriesScreen(detail) {
  const all = [...state.accessories.values()].sort((a, b) => a.app.localeCompare(b.app) || a.displayName.localeCompare(b.displayName, undefined, {numeric: true}));
  load("items", "/items");
  const chosen = state.accessories.get(detail);
  if (chosen && !isWide.matches) return [h("p", {}, h("a", {class: "button", href: "#accessories"}, "← All accessories")), accessoryDetail(chosen)];
  if (!all.length) return [h("h1", {}, "Accessories"), empty("No accessories yet.", isOperator() && h("p", {}, h("a", {class: "button", href: "#add"}, "Add one"))), removedCard()];
  const {mine} = state;
  const shown = all.filter(line => `${line.displayName} ${line.app} ${line.item}`.toLowerCase().includes(mine.filter.toLowerCase()));
  return [h("h1", {}, "Accessories"),
    all.length > 6 && [h("label", {for: "filter"}, "Find"),
      h("input", {id: "filter", type: "search", value: mine.filter, oninput: event => { mine.filter = event.target.value; draw(); }})],
    !shown.length && empty(["Nothing here is called “", air(mine.filter), "”."], button("Show all", () => { mine.filter = ""; draw(); document.getElementById("filter").focus(); })),
    chosen ? h("div", {class: "wide"}, list(shown.map(line => [line.identifier, h("a", {class: "link", href: `#accessories/${line.identifier}`,
      "aria-current": line === chosen ? "true" : null}, h("b", {}, air(line.displayName)), h("div", {class: "muted"}, line.app, " · ", sight(line)))])), accessoryDetail(chosen))
      : shown.length > 0 && isWide.matches ? table(shown) : h("div", {class: "cards"}, shown.map(line =>
        h("a", {class: "card link", key: line.identifier, href: `#accessories/${line.identifier}`}, accessoryCard(line)))),
    removedCard()];
}

/** The same on a wide window. */
function table(lines) {
  return h("table", {}, h("thead", {}, h("tr", {}, ["Name", "App", "Says", "Heard", "Last ten minutes", "More"].map(name => h("th", {scope: "col"}, name)))),
    h("tbody", {}, lines.map(line => {
      const track = trackOf(line);
      return h("tr", {key: line.identifier}, h("th", {scope: "row"}, h("a", {href: `#accessories/${line.identifier}`}, air(line.displayName))),
        h("td", {}, line.app, line.item && h("div", {class: "muted"}, line.item)), h("td", {}, says(line.values)), h("td", {}, sight(line)),
        h("td", {class: "plots"}, track && levelPlot(line.displayName, track.levels, itemOf(line))), h("td", {class: "muted"}, traits(line)));
    })));
}

function accessoryCard(line) {
  const track = trackOf(line);
  return [h("h2", {class: "small"}, air(line.displayName)), h("p", {class: "muted"}, line.app, line.item && ` · ${line.item}`),
    line.values?.length > 0 && h("p", {class: "values"}, says(line.values)), h("p", {}, sight(line)),
    track && levelPlot(line.displayName, track.levels, itemOf(line)), h("p", {class: "muted"}, traits(line))];
}

function sight(line) {
  if (line.status === "suspended") return h("span", {class: "warn"}, "The app's account has changed: confirm it on Now.");
  if (line.status === "orphaned") return h("span", {class: "warn"}, "Its item is not in the manifest any longer.");
  if (line.ssid && !line.address) return line.isInSight ? "Its network is in reach." : "Its network is not in reach.";
  if (line.isHeard && isRecent(line)) return h("span", {class: "warn"}, "It is heard, but its item does not find it.");
  if (!isHere(line)) return h("span", {class: "lost"}, `Not heard${silentSince(line)}.`);
  const silence = (trackOf(line)?.silenceMilliseconds ?? 0) / 1000;
  return [h("span", {class: isLive() ? "good" : "muted"}, place(line)), silence > 10 && ` · heard ${span(silence)} ago`];
}

function traits(line) {
  return [line.connection && (line.connection === "connected" ? `connected to ${line.app} for ${span(now() - (line.connectedSince ?? now()))}` : `${line.app} is connecting`),
    line.bond === "bonded" && "paired", line.bond === "lost" && h("span", {class: "warn"}, "the pairing is lost"),
    line.lacksAuthenticatedBond && h("span", {class: "warn"}, "needs a pairing with digits"), rhythmOf(line) && `sends every ${pause(rhythmOf(line)).replace(" ", "\u00a0")}`,
    !line.isIdentityDurable && "may change its address"].filter(Boolean).flatMap((part, i) => i ? [" · ", part] : [part]);
}

function accessoryDetail(line) {
  const id = {accessory: line.identifier};
  return h("section", {key: line.identifier}, h("div", {class: "card"}, accessoryCard(line),
    h("p", {class: "muted"}, line.address ?? air(line.ssid ?? ""), line.addedAt && ` · added ${new Date(line.addedAt * 1000).toLocaleDateString("en-GB")}`),
    line.pairingNote && h("p", {class: "warn"}, plain(line.pairingNote, 400)),
    isOperator() && h("div", {class: "buttons"}, act("Rename", () => renameAccessory(line.identifier, line.displayName)),
      line.status === "active" && line.state === "authorized" && act("Replace", async () => { if (await tell("/replace", id)) location.hash = "#add"; }, "", {isOff: hasRequest(line.app)}),
      line.bond === "lost" && act("Pair again", async () => { if (await tell("/pair", id)) location.hash = "#add"; }),
      line.connection && act("Disconnect", () => confirm("Disconnect it?", `${line.app} loses its connection to ${plain(line.displayName)} now. It may connect again.`,
        "Disconnect", () => tell("/disconnect", id))),
      act("Remove", () => removeAccessory(line), "bad")),
    isOperator() && hasRequest(line.app) && h("p", {class: "muted"}, `${line.app} asks for an accessory: answer that on Add before you replace this one.`),
    line.address && h("p", {}, h("a", {class: "button", href: `#why/${line.address}`}, "Why is it found, or not?"))));
}

function confirm(title, text, verb, action) {
  dialogue(title, [h("p", {}, text)], [[verb, () => { action(); }, "bad"], ["Back", null]]);
}

function renameAccessory(accessory, name) {
  askName("Rename", name, "All apps that have it see this name.", "Rename", name => tell("/rename", {accessory, name}));
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
    h("span", {class: "grow"}, air(nameOf(line.device) ?? line.device), h("small", {}, nameOf(line.device) ? ` ${line.device}` : "", ` ${line.app} · ${line.item}`)),
    isOperator() && letIn(line.app, line.device))])));
}

// MARK: Why not?

const clauseNames = {"bluetooth-company-identifier": "company", "bluetooth-manufacturer-data-blob": "data", "bluetooth-service-uuid": "service",
  "bluetooth-service-data-blob": "service data", "bluetooth-name-substring": "name", "bluetooth-address-prefix": "address"};

function whyScreen(detail) {
  const {kept} = state;
  load("items", "/items");
  if (isAddress(detail) && kept.asked !== detail && isLive()) explain(detail);
  const field = h("form", {onsubmit: event => find(event.target.querySelector("input").value)},
    h("label", {for: "device"}, "A device's name or address, an accessory, or an item"),
    h("div", {class: "row"}, h("span", {class: "grow"}, h("input", {id: "device", autocomplete: "off", value: nameOf(detail) ?? detail})), h("button", {class: "main"}, "Explain")));
  return [h("h1", {}, "Why not?"), field,
    h("div", {class: "wide"}, h("section", {}, detail && answer(detail)), h("section", {}, h("h2", {}, "Near, and not an accessory"), nearList()))];
}

/** An address in any spelling: C4:A1:…, c4-a1-…, C4 A1 …, dev_C4_A1_… */
const digitsOf = text => text.trim().replace(/^dev_/i, "").replace(/[\s:._-]/g, "");
const isAddress = text => /^[0-9a-f]{12}$/i.test(digitsOf(text));
const address = text => digitsOf(text).toUpperCase().match(/../g).join(":");

function find(text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return;
  const accessory = isLike => [...state.accessories.values()].find(line => line.address && isLike(line.displayName.toLowerCase()))?.address;
  const device = state.devices?.devices.find(line => (line.name ?? "").toLowerCase().includes(wanted));
  const found = isAddress(text) ? address(text) : accessory(name => name === wanted)
    ?? (itemCalled(wanted) ? wanted : accessory(name => name.includes(wanted)) ?? device?.address ?? text.trim());
  location.hash = `#why/${encodeURIComponent(found)}`;
}

const itemCalled = text => knownItems().find(line => `${line.app}/${line.item}` === text || line.item === text);

/** An item, and what it finds. */
function itemReport(item) {
  const matching = (state.devices?.devices ?? []).filter(device => device.items.some(other => other.app === item.app && other.item === item.item) && isHere(device));
  return h("div", {}, itemCard(item), matching.length > 0 && [h("p", {}, "These match it, and are here now:"), deviceList(matching)],
    h("p", {}, "Choose a device to see why this item finds it, or not. If yours is not in the list, it is not heard: bring it closer, or switch it on."));
}

async function explain(device) {
  const {kept} = state;
  Object.assign(kept, {asked: device, answer: null, failure: null, status: null, suggestion: null});
  let news;
  try {
    const answer = await ask("/explain", {device: address(device)});
    answer.devices.forEach(found => stamped(found.device));
    news = {answer};
    announce("The explanation is here.");
  } catch (error) {
    news = {failure: error.message, status: error.status};
  }
  if (kept.asked === device) Object.assign(kept, news);
  draw();
}

function answer(detail) {
  const {kept} = state;
  const item = itemCalled(detail);
  if (item) return itemReport(item);
  if (!isAddress(detail)) {
    return empty(["Nothing that is called “", air(detail), "” is heard now, and no accessory or item is called so. Bring it closer, and see whether it appears in the list."]);
  }
  if (kept.answer?.devices.length) return kept.answer.devices.map(found => h("div", {key: found.device.address}, explanation(found), tools(found.device)));
  if (!kept.failure && !kept.answer) return h("div", {class: "card"}, waiting(["The gateway listens to ", air(detail), " for 3 s…"]));
  if (kept.status !== 404 && kept.failure) return h("div", {class: "card bad"}, h("p", {}, plain(kept.failure, 400)), act("Try again", () => explain(detail)));
  return absent(address(detail));
}

/** A device that is not heard: what is known of it, and what may help. */
function absent(device) {
  const line = [...state.accessories.values()].find(line => line.address === device);
  return h("div", {class: "card"}, h("h2", {}, "Why is ", air(nameOf(device) ?? device), " not found?"),
    h("p", {class: "lost"}, line ? `It has not been heard${silentSince(line)}.` : lastLost(device) != null ? `It has not been heard for ${span(now() - lastLost(device))}.` : "It is not heard."),
    h("p", {}, "Bring it closer, switch it on, or press its button, and look at its battery. A device that another program is connected to may be silent, too."),
    h("div", {class: "buttons"}, act("Try again", () => explain(device))), past({address: device}));
}

function explanation({device, items, reversedIdentityKey}) {
  // What is heard now is newer than the answer. Of one that the list has no place for the answer is all that is known.
  const latest = state.devices?.devices.find(line => line.address === device.address) ?? (state.devices?.more === 0 ? device : {...device, heardAt: null});
  const name = nameOf(device.address) ?? device.name ?? device.address;
  const nearest = items[0];
  const isFound = items.some(item => item.isFound) && isHere(latest);
  return h("div", {class: "card"},
    h("h2", {}, "Why is ", air(name), isFound ? " found?" : " not found?"),
    h("p", {class: "muted"}, `${device.address} · `, place(latest), ` · ${pace(latest)}`),
    reversedIdentityKey && h("p", {class: "warn"}, `Its key stands in the wrong order in identity-keys, for ${reversedIdentityKey}.`),
    nearest ? itemAnswer(nearest, latest) : h("p", {}, "The manifest has no item that looks for devices."),
    items.length > 1 && h("details", {}, h("summary", {}, `${count(items.length - 1, "other item")}`),
      list(items.slice(1, 24).map((item, i) => [`${item.app}/${item.item}/${i}`, h("b", {}, `${item.app}/${item.item}`), `: ${verdict(item, latest)}`]))),
    past(device));
}

/** What an item says of a device. One that matched and is silent has a sentence of its own. */
const verdict = ({why, gate}, device) => why.startsWith("matched; silent")
  ? `it matched, but has not been heard for ${span(silenceOf(device))}; it is lost after ${pause(gate.lostMilliseconds)} of silence`
  : Object.entries(clauseNames).reduce((text, [key, name]) => text.replaceAll(key.replace("bluetooth-", ""), name), why);

/** What happened at a moment of the last ten minutes. */
function past(device) {
  const {kept} = state;
  const answer = kept.past?.device === device.address ? kept.past : null;
  return h("details", {}, h("summary", {}, "What about a moment before?"), h("form", {class: "row", onsubmit: event => askPast(device.address, event.target.querySelector("input").value)},
    h("label", {for: "moment"}, "At"), h("span", {class: "grow"}, h("input", {id: "moment", type: "time", step: 1})), act("Ask", null, "", {type: "submit"})),
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

const edgeSentence = edge => `${clock(edge.time)} ${edge.event === "lost" ? `lost${edge.silence >= 1 ? ` after ${span(edge.silence)} of silence` : ""}: ${reasons[edge.reason] ?? edge.reason}`
  : "found"}${edge.filteredRSSI != null ? `, at ${edge.filteredRSSI} dBm` : ""}.`;

const pace = device => rhythmOf(device) ? `sends every ${pause(rhythmOf(device))}` : `heard ${span(silenceOf(device))} ago`;

function itemAnswer(item, device) {
  return h("div", {}, h("h3", {}, `${item.app}/${item.item}: `, h("span", {class: item.isFound && isHere(device) ? "good" : "warn"}, verdict(item, device))),
    list(item.clauses.map((clause, i) => [`${clause.clause}${i}`, clauseAnswer(clause, item)])), gate(item, device));
}

/** The clause that says whose data a blob is compared with. */
const owners = {"bluetooth-manufacturer-data-blob": ["bluetooth-company-identifier", "of another company"], "bluetooth-service-data-blob": ["bluetooth-service-uuid", "of another service"]};

function clauseAnswer(clause, item) {
  const heard = clause.compared.find(part => part.masked != null) ?? clause.compared[0];
  const [owner, ofAnother] = owners[clause.clause] ?? [];
  const isOthers = item.clauses.some(other => other.clause === owner && !other.holds && other.compared.length > 0);
  return [h("b", {}, clauseNames[clause.clause] ?? clause.clause), ` ${plain(hexWords(clause.wanted), 80)} `,
    h("span", {class: clause.holds ? "good" : "lost"}, clause.holds ? "yes" : heard ? "no" : isOthers ? `no: it sends data ${ofAnother}` : "no: it sends none"),
    !clause.holds && heard && (heard.masked != null || /^([0-9a-f]{2})+$/.test(heard.value) && /^([0-9a-f]{2})+$/.test(clause.wanted) ? bytes(clause, heard)
      : h("p", {class: "muted"}, `it sends ${plain(hexWords(heard.value), 80)}`))];
}

const pairs = hex => hex?.match(/../g) ?? [];

/** A number as 0x0EEE, and bytes as a5 5a. */
const hexWords = text => /^0x[0-9a-f]+$/i.test(text) ? `0x${text.slice(2).toUpperCase()}` : /^([0-9a-f]{2})+$/.test(text) ? pairs(text).join(" ") : text;

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

function gate({gate}, device) {
  if (gate.range !== "immediate") return null;
  const interval = gate.learnedIntervalMilliseconds;
  const isSlow = interval && interval * (gate.samplesMin - 1) > gate.windowMilliseconds;
  const level = isHere(device) ? levelOf(device) : null;
  return [h("p", {}, h("b", {}, "at the gateway "), level == null ? "no reading" : `${level} dBm`, `: ${gateWords(gate)}`),
    h("p", {class: isSlow ? "warn" : "muted"}, isSlow && `It sends every ${pause(interval)}. `,
      `The gate needs ${count(gate.samplesMin, "reading")} within ${pause(gate.windowMilliseconds)}, and has ${gate.samplesInWindow ?? 0}.`,
      isSlow && ` Set gate.samples-min = ${Math.max(1, Math.floor(gate.windowMilliseconds / interval) + 1)}.`)];
}

function tools(device) {
  const {kept, mine} = state;
  const left = mine.recordingEnd && Math.max(0, Math.round((mine.recordingEnd - Date.now()) / 1000));
  return h("div", {}, h("div", {class: "buttons"},
    act("Ask again", () => explain(device.address)),
    act("Make an item of this", () => suggest(device.address)),
    isOperator() && act(mine.recordingEnd ? `Recording: ${left} s left` : "Record 60 s", record, "", {isOff: mine.recordingEnd})),
  kept.suggestion === "…" && h("p", {}, "The gateway listens for 6 s…"),
  kept.suggestion?.suggestions?.map(found => h("div", {class: "card", key: found.address}, suggested(found))));
}

/** An item that was made: its text, for an app, and two ways to put it in place. */
function suggested(found) {
  const {kept} = state;
  const app = kept.app ??= state.apps[0]?.app ?? "APP";
  const [head, item] = found.toml.split(/\n\n([^]*)/);
  const text = item.replace(/\[\[app\.[^.\]]+\.item\]\]/g, `[[app.${app}.item]]`);
  const command = `sudo accessoryctl suggest ${found.address} --app ${app} --add`;
  return [found.warnings.map(warning => h("p", {class: "warn", key: warning}, plain(warning, 400))),
    state.apps.length > 1 && [h("label", {for: "app"}, "For the app"), h("select", {id: "app", onchange: event => { kept.app = event.target.value; draw(); }},
      state.apps.map(line => h("option", {value: line.app, selected: line.app === app}, line.app)))],
    h("pre", {}, text), h("div", {class: "buttons"}, button("Copy", () => copy(text)),
      isOperator() && button("See what it changes", () => { state.mine.addition = {app, head, text}; location.hash = "#rules"; })),
    h("p", {class: "muted"}, "This puts it in place:"), h("pre", {}, command), button("Copy the command", () => copy(command))];
}

async function suggest(device) {
  const {kept} = state;
  kept.suggestion = "…";
  draw();
  kept.suggestion = await tell("/suggest", {device});
  draw();
}

async function record() {
  const {mine} = state;
  mine.recordingEnd = Date.now() + 60000;
  draw();
  const file = await tell("/record", {seconds: 60});
  mine.recordingEnd = null;
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
    if (all[i + 1] === "ff" && all.length > i + 3) { const id = `0x${all[i + 3]}${all[i + 2]}`; return makers[id] ?? `company 0x${id.slice(2).toUpperCase()}`; }
  }
  return null;
}

function nearList() {
  const {devices} = state;
  if (!devices) return waiting();
  const own = new Set([...state.accessories.values()].map(line => line.address));
  const others = devices.devices.filter(device => !own.has(device.address));
  if (!others.length) return empty("Nothing else is in reach.");
  const byAddress = new Map(others.map(device => [device.address, device]));
  const near = settled(state.kept.near ??= {}, byAddress, device => levelOf(device) ?? -128, 9).map(address => byAddress.get(address));
  return h("div", {}, deviceList([...near.filter(isHere), ...near.filter(device => !isHere(device))]),
    devices.more > 0 && h("p", {class: "muted"}, `${count(devices.more, "weaker device")} not shown.`));
}

/** A device without a name keeps its number. */
const numbered = new Map();
const numberOf = ({address}) => numbered.get(address) ?? numbered.set(address, numbered.size + 1).size;

const deviceList = devices => list(devices.map(device => [device.address, h("a", {class: "link", href: `#why/${device.address}`},
  h("div", {class: "row"}, bars(isHere(device) ? device.filteredRSSI : null), h("div", {class: "grow"}, device.name ? air(device.name) : `Device ${numberOf(device)}`,
    h("div", {class: "muted"}, place(device), [maker(device.data), device.address, device.items.length > 0 && `matches ${device.items.map(item => `${item.app}/${item.item}`).join(", ")}`]
      .filter(Boolean).map(text => ` · ${text}`)))))]));

// MARK: Rules

function rulesScreen() {
  load("items", "/items");
  load("manifest", "/manifest");
  const {kept} = state;
  const items = state.items.length ? state.items : kept.items?.items;
  return [h("h1", {}, "Rules"), kept.items?.sentence && h("p", {class: "warn"}, kept.items.sentence),
    !items && !kept.items?.sentence && waiting(), items && !items.length && empty("The manifest has no item yet."),
    h("div", {class: "cards"}, (items ?? []).map(itemCard)), editor()];
}

/** What an item looks for: company 0x0EEE and data a5 5a. */
function itemWords(descriptor) {
  const words = descriptor.map(line => /^([\w-]+) = "?(.*?)"?$/.exec(line) ?? [null, line, ""]).filter(([, key]) => !/^(bluetooth-)?range/.test(key));
  return words.filter(([, key, value]) => !(key.endsWith("-mask") && /^f*$/i.test(value))).map(([, key, value]) => {
    const bytes = key.endsWith("-blob") || key.endsWith("-mask") ? pairs(value).join(" ") : value;
    return `${clauseNames[key] ?? (key.endsWith("-mask") ? "under the mask" : key.replace("bluetooth-", "").replaceAll("-", " "))} ${bytes}`;
  }).join(" and ").replaceAll("and under", "under");
}

function itemCard(line) {
  const path = `${line.app}/${line.item}`;
  const place = placeOf(line);
  return h("div", {class: "card", key: path}, h("h2", {class: "small"}, path),
    h("p", {class: "muted"}, plain(itemWords(line.descriptor), 240)),
    line.enterRSSI != null && h("p", {class: "muted"}, `at the gateway: ${gateWords(line)}`),
    h("p", {class: line.lastMatched == null && !line.found ? "warn" : ""}, `Finds ${line.found ?? 0}. Turned away ${line.turnedAway ?? 0}. `,
      line.lastMatched != null ? `Last matched ${when(line.lastMatched)}.` : !line.found && "Never matched since the start."),
    state.screen === "rules" && place > 0 && isOperator() && button(`Show line ${place}`, () => goTo(place)));
}

/** What the person has written, or the manifest as it is. */
const text = () => state.mine.text ?? state.kept.manifest?.text ?? "";
const isChanged = () => text() !== state.kept.manifest?.text;

/** The line where an item begins in the text. */
function placeOf({app, item}) {
  let at = 0;
  for (const [i, line] of text().split("\n").entries()) {
    if (line.trimStart().startsWith("[")) at = line.includes(`[[app.${app}.item]]`) ? i + 1 : 0;
    else if (at && /^\s*id\s*=\s*["'](.*?)["']/.exec(line)?.[1] === item) return at;
  }
  return 0;
}

/** Marks a line of the text, and brings it into view. */
function goTo(line) {
  const area = document.getElementById("manifest");
  const lines = area.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, other) => sum + other.length + 1, 0);
  area.focus({preventScroll: true});
  area.setSelectionRange(start, start + (lines[line - 1] ?? "").length);
  area.parentNode.scrollTop = (line - 4) * 20;
  area.parentNode.scrollIntoView({block: "center"});
}

function editor() {
  const {kept, mine} = state;
  if (!kept.manifest) return null;
  if (kept.manifest.sentence) return h("p", {class: "warn"}, plain(kept.manifest.sentence, 300));
  takeManifest();
  return h("section", {}, h("h2", {}, "The manifest"),
    h("p", {class: "muted"}, `${kept.manifest.path}. `, isOperator() ? "Change it here and see what it would find. The page writes no manifest: at the end it gives you the command that does." : ""),
    kept.isInPlace && h("p", {class: "good", role: "status"}, "Your draft is in place: the file has your text."),
    mine.text != null && mine.base !== kept.manifest.text && h("p", {class: "warn"}, "The file has changed since you began: your text would undo that. “Undo all” shows the file as it is."),
    isOperator() ? h("div", {class: "wide"}, h("div", {}, h("label", {for: "manifest"}, "Text"),
      h("div", {class: "code"}, numbers(mine.checked?.diagnostics ?? []), h("textarea", {id: "manifest", spellcheck: "false", wrap: "off", rows: text().split("\n").length,
        value: text(), oninput: event => edit(event.target.value)})), checkButtons()), checked())
      : h("pre", {}, text()));
}

/** Compares what was written with the manifest as it was read. A text that is in place is no draft any longer. */
function takeManifest() {
  const {kept, mine} = state;
  if (mine.addition) {
    edit(added(text(), mine.addition));
    mine.addition = null;
  }
  if (mine.text == null || isChanged()) return;
  if (mine.draft) kept.isInPlace = true;
  Object.assign(mine, {text: null, base: null, checked: null, draft: null});
}

/** A manifest with an item more; what it asks for stands in the lists of its app. */
function added(manifest, {app, head, text}) {
  const lines = manifest.trimEnd().split("\n");
  const start = lines.findIndex(line => line.trim() === `[app.${app}]`) + 1;
  const length = lines.slice(start).findIndex(line => line.startsWith("["));
  const own = start ? lines.splice(start, length < 0 ? lines.length : length) : [];
  for (const [line, key, value] of start ? head.matchAll(/^([\w-]+) = \[(.*)\]$/gm) : []) {
    const at = own.findIndex(other => other.split("=")[0].trim() === key);
    if (at < 0) own.unshift(line);
    else if (!own.slice(at).join("").split("]")[0].toLowerCase().includes(value.toLowerCase())) own[at] = own[at].replace("[", `[${value}, `);
  }
  lines.splice(start, 0, ...own);
  return `${lines.join("\n")}\n\n${text}`;
}

/** The numbers of the lines; those with something wrong are marked. */
function numbers(diagnostics) {
  const kinds = new Map(diagnostics.map(({line, severity}) => [line, severity === "error" ? "lost" : "warn"]));
  const parts = [""];
  for (let i = 1; i <= text().split("\n").length; i++) {
    if (kinds.has(i)) parts.push(h("b", {class: kinds.get(i), key: i}, `${i} ◂\n`), "");
    else parts[parts.length - 1] += `${i}\n`;
  }
  return h("span", {class: "numbers", "aria-hidden": "true"}, parts);
}

/** What a check says, with when its devices were heard. */
function heard(result) {
  for (const item of result.items) [...item.finds, ...item.loses].forEach(stamped);
  return result;
}

let timer = 0;

function edit(text) {
  const {kept, mine} = state;
  // A draft is one of the text that it was made of.
  Object.assign(mine, {base: mine.text == null ? kept.manifest.text : mine.base, text, draft: null});
  kept.isInPlace = false;
  draw();
  clearTimeout(timer);
  timer = setTimeout(async () => {
    const answer = await ask("/check", {text}).then(heard, error => ({sentence: error.message}));
    if (mine.text !== text) return;
    mine.checked = answer;
    draw();
  }, 300);
}

function undo() {
  Object.assign(state.mine, {text: null, base: null, checked: null, draft: null});
  draw();
}

function checkButtons() {
  const {mine} = state;
  return h("div", {class: "buttons"},
    act("Keep as a draft", keepDraft, "main", {isOff: !isChanged() || !mine.checked?.isAccepted}),
    button("Copy", () => copy(text())), button("Undo all", undo, "", {disabled: !isChanged()}));
}

async function keepDraft() {
  const {mine} = state;
  const kept = mine.text;
  const answer = await tell("/draft", {text: kept});
  if (answer && mine.text === kept) Object.assign(mine, {checked: heard(answer), draft: answer});
  draw();
}

/** The lines that differ, in pieces: what goes, and what comes in its place. */
function difference(old, next) {
  const [a, b] = [old.split("\n"), next.split("\n")];
  let start = 0, end = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [p, q] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  // How many lines the rests have in common, from each pair of places on; too long a text is one piece.
  const isShort = p.length * q.length < 4e6;
  const common = isShort ? Array.from({length: p.length + 1}, () => new Uint16Array(q.length + 1)) : [];
  for (let i = p.length - 1; isShort && i >= 0; i--) {
    for (let j = q.length - 1; j >= 0; j--) common[i][j] = p[i] === q[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
  }
  const lines = [];
  let isSame = true;
  for (let i = 0, j = 0; i < p.length || j < q.length;) {
    if (isShort && i < p.length && p[i] === q[j]) { i++; j++; isSame = true; continue; }
    if (isSame) lines.push(`@@ line ${start + j + 1} @@`);
    isSame = false;
    if (i < p.length && (j === q.length || !isShort || common[i + 1][j] >= common[i][j + 1])) lines.push(`-${p[i++]}`);
    else lines.push(`+${q[j++]}`);
  }
  return lines.join("\n");
}

const naming = (devices, max = 5) => [devices.slice(0, max).map((device, i) => [i > 0 && ", ", air(device.name ?? device.address)]),
  devices.length > max && ` and ${devices.length - max} more`];

function checked() {
  const {kept, mine} = state;
  const result = mine.checked;
  if (!isChanged()) return h("div", {}, h("p", {class: "muted"}, "Nothing is changed yet."));
  if (!result) return h("div", {}, waiting("It is being checked…"));
  if (result.sentence) return h("div", {class: "card bad"}, h("p", {}, plain(result.sentence, 300)));
  // Those that are gone say nothing about what is found now.
  const moved = result.items.map(({finds, loses, ...item}) => ({...item, finds: finds.filter(isHere), loses: loses.filter(isHere), isMore: item.count > finds.length && finds.every(isHere)}))
    .filter(item => item.finds.length + item.loses.length > 0);
  return h("div", {role: "status"},
    result.diagnostics.length ? list(result.diagnostics.slice(0, 24).map((line, i) => [`${line.line}/${i}`,
      line.line ? button(`Line ${line.line}`, () => goTo(line.line), line.severity === "error" ? "bad" : "") : h("b", {}, "The file"),
      line.severity === "warning" && " (warning)", line.keyPath ? ` ${line.keyPath}` : "", `: ${plain(line.message, 400)}`]))
      : h("p", {class: "good"}, "Nothing is wrong with it."),
    h("h3", {}, "With this text, of the devices that are here now:"),
    moved.length ? list(moved.map(item => [`${item.app}/${item.item}`, h("b", {}, `${item.app}/${item.item}`), ` matches ${item.finds.length}${item.isMore ? " or more" : ""}`,
      item.finds.length > 0 && [": ", naming(item.finds)], item.loses.length > 0 && h("span", {class: "lost"}, "; no longer ", naming(item.loses))])) : h("p", {}, "No item matches any."),
    h("div", {class: "card"}, mine.draft?.command ? [h("p", {}, "The draft is kept. This shows the difference again, asks, and puts it in place:"),
      h("pre", {}, mine.draft.command), button("Copy the command", () => copy(mine.draft.command))] : h("p", {}, "The difference:"),
    h("pre", {}, difference(kept.manifest.text, mine.text))));
}

export const screens = {now: nowScreen, add: addScreen, accessories: accessoriesScreen, why: whyScreen, rules: rulesScreen};

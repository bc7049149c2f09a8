// SPDX-License-Identifier: GPL-3.0-or-later
// What the page knows, how it learns it, and how it is drawn. Text from outside becomes text nodes only.
import {screens} from "./screens.js";

export const state = {
  you: null, agent: {isThere: true}, status: null, offset: 0, heardAt: 0, accessories: new Map(), requests: new Map(),
  history: null, tracks: new Map(), apps: [], items: [], edges: [], events: [], devices: null, closed: [], isOnline: false, refusal: null, login: null, screen: "now", detail: "",
  // The names that accessories have, or had when they were removed, by address.
  names: new Map(),
  // What a screen has asked for. It is forgotten with the screen, and when the agent is back.
  kept: {},
  // What the person here has typed or begun. It stays.
  mine: {filter: "", cancelled: new Set()},
};

// MARK: Text

const invisible = /[\p{C}\p{Zl}\p{Zp}]/gu;
const marks = /(\p{M}{2})\p{M}+/gu;

const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}]/u;

/** A text from outside as it may be shown: what turns or hides others stands as its number, and it has `max` columns. */
export function plain(text, max = 64) {
  const shown = String(text).replace(marks, "$1").replace(invisible, c => `\\u{${c.codePointAt(0).toString(16).toUpperCase()}}`);
  let columns = 0, cut = "";
  for (const letter of shown) {
    columns += wide.test(letter) ? 2 : 1;
    if (columns > max) return cut + "…";
    cut += letter;
  }
  return shown;
}

/** A sentence of the agent, which may lack its capital letter and its full stop. */
export const sentence = text => plain(text, 400).replace(/^./, letter => letter.toUpperCase()).replace(/[^.!?…]$/, "$&.");

export const air = (text, max) => h("bdi", {}, plain(text, max));
export const count = (n, one, many = one + "s") => `${n} ${n === 1 ? one : many}`;

/** Seconds in words. */
export function span(seconds) {
  const s = Math.max(0, Math.round(seconds));
  if (s < 90) return `${s} s`;
  if (s < 5400) return `${Math.round(s / 60)} min`;
  if (s < 172800) return `${Math.round(s / 3600)} h`;
  return `${Math.round(s / 86400)} days`;
}

/** A moment of the agent's clock: relative for an hour. */
export function when(time) {
  const past = now() - time;
  return past < 3600 ? `${span(past)} ago` : clock(time);
}

/** A length of time between two reports. */
export const pause = milliseconds => milliseconds < 1000 ? `${Math.round(milliseconds)} ms`
  : milliseconds < 10000 ? `${Number((milliseconds / 1000).toFixed(1))} s` : span(milliseconds / 1000);

const figure = number => Math.abs(number) >= 100 ? Math.round(number) : Number(number.toPrecision(3));

/** What an accessory says in an open format, in words: "temperature 22.6 °C, humidity 48 %". */
export const says = values => (values ?? []).map(({name, number, unit, isOn, text, happened}) => plain(`${name.replaceAll("_", " ")} ${
  number != null ? `${figure(number)}${unit ? ` ${unit}` : ""}` : isOn != null ? (isOn ? "on" : "off") : text ?? happened}`)).join(", ");

/** How an accessory was heard in the last ten minutes. */
export const trackOf = line => state.tracks.get(`${line.app}/${line.address}`);

/** Whether what is shown is true now, and can be changed. */
export const isLive = () => state.isOnline && state.agent.isThere;

/** Why what is shown may not be true. */
export const absence = () => state.isOnline ? "The gateway is away." : state.refusal ?? "The page has lost its connection.";

/** When the agent was last known to be there, by the browser's clock. */
const knownAt = () => Math.min(state.isOnline ? Date.now() : state.heardAt, state.agent.since ?? Infinity);

/** The agent's clock. It stops while the agent is away, as everything does that the page knows. */
export const now = () => knownAt() / 1000 - state.offset;
export const clock = time => new Date((time + state.offset) * 1000).toLocaleTimeString("en-GB");

export function nearness(level) {
  if (level == null) return "not heard";
  return level >= -50 ? "very near" : level >= -75 ? "in the room" : "far";
}

/** Notes when a device was heard, so that its silence grows. */
export function stamped(line) {
  if (line.silence != null) line.heardAt = knownAt() / 1000 - line.silence;
  return line;
}

export const silenceOf = line => line.heardAt == null ? line.silence : Math.max(0, knownAt() / 1000 - line.heardAt);
export const rhythmOf = line => line.rhythmMilliseconds ?? line.learnedIntervalMilliseconds ?? line.intervalMilliseconds;

/** Whether a device is there: an item says so, or it was heard within three of its pauses, and 15 s; a network within 90 s. */
export const isHere = line => line.isInSight ?? (line.items?.some(item => item.isFound) || isRecent(line));
export const isRecent = line => line.silence != null && silenceOf(line) <= Math.max(line.ssid ? 90 : 15, 3 * (rhythmOf(line) ?? 0) / 1000);

export const levelOf = line => line.ssid ? line.rssi : line.filteredRSSI ?? line.rssi;

/** "in the room -60 dBm", or since when a device is not heard. */
export const place = line => isHere(line) ? [nearness(levelOf(line)), h("small", {}, levelOf(line) == null ? "" : ` ${levelOf(line)} dBm`)]
  : `not heard for ${span(silenceOf(line) ?? 0)}`;

/** The two levels of an item's gate; those of an item without one only say what lies at the gateway. */
export const gateOf = item => ({enter: item?.enterRSSI ?? -45, leave: item?.leaveRSSI ?? -55});

// MARK: Nodes

const svgTags = new Set(["svg", "polyline", "line", "circle", "title"]);

/** A node. Handlers are properties, so that a node that stays gets those of its new likeness. */
export function h(tag, props = {}, ...children) {
  const node = svgTags.has(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value == null || value === false) continue;
    if (name.startsWith("on")) node[`_${name.slice(2)}`] = value;
    else if (name === "key") node._key = value;
    else if (name === "value") { node.value = value; node._value = value; }
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...nodes(children));
  return node;
}

/** The nodes of a list that has others in it, and places that are empty. */
const nodes = list => list.flat(9).filter(part => part != null && part !== false)
  .map(part => part instanceof Node ? part : document.createTextNode(part));

const isUsers = (node, name) => node.tagName === "DETAILS" && name === "open";

function morphNode(old, next) {
  for (const {name} of [...old.attributes]) if (!next.hasAttribute(name) && !isUsers(old, name)) old.removeAttribute(name);
  for (const {name, value} of next.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const name of ["_click", "_input", "_submit", "_change"]) old[name] = next[name];
  if (next._value !== undefined && next._value !== old._value) { old.value = next._value; old._value = next._value; }
  if (old.tagName !== "TEXTAREA") morph(old, [...next.childNodes]);
}

const isAlike = (one, other) => one.nodeType === other.nodeType && one.nodeName === other.nodeName && one._key === other._key;

/** Makes the children of a node like others, and keeps those that are alike: what has the focus keeps it. */
export function morph(parent, next) {
  const old = [...parent.childNodes];
  let place = parent.firstChild;
  for (const child of next) {
    const at = old.findIndex(other => isAlike(other, child));
    if (at < 0) {
      parent.insertBefore(child, place);
      continue;
    }
    const [kept] = old.splice(at, 1);
    if (kept === place) place = place.nextSibling;
    else parent.insertBefore(kept, place);
    if (kept.nodeType === 3) { if (kept.data !== child.data) kept.data = child.data; } else morphNode(kept, child);
  }
  for (const gone of old) gone.remove();
}

for (const kind of ["click", "input", "submit", "change"]) {
  document.addEventListener(kind, event => {
    for (let node = event.target; node && node !== document; node = node.parentNode) {
      if (!node[`_${kind}`]) continue;
      if (kind === "submit") event.preventDefault();
      return node[`_${kind}`](event);
    }
  });
}

export const button = (text, onclick, kind = "", props = {}) => h("button", {type: "button", class: kind, onclick, ...props}, text);

/** A button that asks the agent: it is off while that is away. What is off keeps the focus. */
export const act = (text, onclick, kind = "", {isOff, ...props} = {}) =>
  button(text, isOff || !isLive() ? null : onclick, kind, {...props, "aria-disabled": isOff || !isLive() ? "true" : null});

export const isOperator = () => state.you?.role === "operator";

// MARK: Drawing

const names = {now: "Now", add: "Add", accessories: "Accessories", why: "Why not?", rules: "Rules"};
let isDue = false;

export function draw() {
  if (isDue) return;
  isDue = true;
  setTimeout(() => { isDue = false; drawNow(); }, 16);
}

function drawNow() {
  const focused = document.activeElement;
  const waiting = state.requests.size;
  const problems = state.status?.problems.length ?? 0;
  morph(document.getElementById("bar"), state.login ? [] : Object.entries(names).map(([screen, name]) =>
    h("a", {key: screen, href: `#${screen}`, "aria-current": state.screen === screen ? "page" : null}, name,
      screen === "add" && waiting > 0 && h("span", {class: "count"}, String(waiting), h("span", {class: "unseen"}, " open")),
      screen === "now" && problems > 0 && h("span", {class: "dot"}, "●", h("span", {class: "unseen"}, " problems")))));
  morph(document.getElementById("main"), nodes(state.login ? loginScreen() : [...banners(), ...content()]));
  if (focused !== document.activeElement && focused?.isConnected) focused.focus({preventScroll: true});
}

function content() {
  if (!state.you) return [h("p", {class: "muted"}, state.refusal ?? "Loading…")];
  return screens[state.screen](state.detail);
}

function loginScreen() {
  return [h("h1", {}, "Accessory gateway"), h("p", {}, state.login.replace(/ Ask for .*/, "")),
    h("p", {}, "On the gateway, run this and open its link, or scan its code:"), h("pre", {}, "accessoryctl web"),
    h("form", {key: "login", onsubmit: event => useCode(event.target.querySelector("input").value)}, h("label", {for: "link"}, "Or paste the link here"),
      h("div", {class: "row"}, h("span", {class: "grow"}, h("input", {id: "link", autocomplete: "off"})), h("button", {class: "main"}, "Log in")))];
}

function banners() {
  const banners = [];
  if (state.you && !isLive()) {
    banners.push(h("p", {class: "banner", key: "away"}, state.isOnline ? `The gateway has been away for ${span((Date.now() - state.agent.since) / 1000)}. `
      : `${absence()} It tries again. `,
    state.status ? `This page shows what it knew at ${clock(now())}. ` : "", h("small", {}, state.isOnline ? sentence(state.agent.reason ?? "") : "")));
  }
  if (state.you?.role === "viewer") {
    banners.push(h("p", {class: "muted", key: "viewer"}, "You may look, not change. Ask for an operator's link: ",
      h("code", {}, "accessoryctl web")));
  }
  return banners;
}

/** Says something to screen readers. */
export function announce(text) { document.getElementById("live").textContent = plain(text, 200); }

// MARK: Calls

/** Asks the server. Throws a sentence. */
export async function ask(path, body) {
  let response;
  try {
    // Behind a proxy the page may stand under a path.
    response = await fetch(`.${path}`, body === undefined ? {} : {
      method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)});
  } catch {
    throw new Error("The page's program does not reply. Is accessory-web running?");
  }
  if (response.headers.get("Content-Type")?.startsWith("application/octet-stream")) return response.blob();
  const answer = await response.json().catch(() => ({}));
  if (response.status === 401 && path !== "/login") logOut(answer.sentence);
  if (!response.ok) throw Object.assign(new Error(answer.sentence ?? `Status ${response.status}.`), {status: response.status});
  return answer;
}

const asked = new Set();

/** Asks, and shows a failure. Returns null then, and when the same is being asked already: a button was tapped twice. */
export async function tell(path, body) {
  const name = path + JSON.stringify(body);
  if (asked.has(name)) return null;
  asked.add(name);
  try {
    return await ask(path, body);
  } catch (error) {
    announce(error.message);
    notice("That did not work", error.message);
    return null;
  } finally {
    asked.delete(name);
  }
}

// MARK: Dialogues

/** A dialogue with nodes and buttons; each closes it unless its action returns false. */
export function dialogue(title, nodes, buttons) {
  const heading = h("h2", {id: "dialogue-title"}, title);
  const box = h("dialog", {"aria-labelledby": "dialogue-title"}, heading, ...nodes, h("div", {class: "buttons"},
    buttons.map(([text, action, kind]) => button(text, async () => { if (await action?.() !== false) close(); }, kind))));
  const close = () => box.close();
  // Closing gives the focus back to what had it, and does so only while the box is in the page.
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  const field = box.querySelector("input");
  if (field) { field.focus(); field.select(); }
  return close;
}

export const notice = (title, text) => dialogue(title, [h("p", {}, plain(text, 400))], [["Close", null, "main"]]);

/** Asks for a name, prefilled and selected. */
export function askName(title, name, explanation, verb, action) {
  const field = h("input", {id: "name-field", maxlength: 124, autocomplete: "off"});
  field.value = name;
  field.addEventListener("keydown", event => {
    if (event.key === "Enter") { event.preventDefault(); field.closest("dialog").querySelector("button.main").click(); }
  });
  dialogue(title, [h("label", {for: "name-field"}, "Name"), field, h("p", {class: "muted"}, explanation)],
    [[verb, async () => {
      field.setCustomValidity(field.value.trim() ? "" : "Type a name.");
      // The text of a name that is refused stays.
      return field.reportValidity() && await action(field.value) !== null;
    }, "main"], ["Back", null]]);
}

// MARK: The stream

let source = null, sourcePath = "";
const wantsDevices = () => ["why", "rules"].includes(state.screen);

function openStream() {
  const path = wantsDevices() ? "/events/devices" : "/events";
  if (source && path === sourcePath && source.readyState !== 2) return;
  source?.close();
  sourcePath = path;
  const stream = source = new EventSource(`.${path}`);
  for (const [name, take] of Object.entries(messages)) {
    stream.addEventListener(name, event => {
      if (stream !== source) return;
      if (!state.isOnline) state.kept = {};
      Object.assign(state, {isOnline: true, heardAt: Date.now(), refusal: null});
      take(JSON.parse(event.data));
      draw();
    });
  }
  // The server says why, and ends the stream; the browser tries again in its own time.
  stream.addEventListener("refused", event => { state.refusal = JSON.parse(event.data).sentence; });
  stream.onerror = () => {
    if (stream !== source) return;
    state.isOnline = false;
    draw();
    if (stream.readyState !== 2) return;
    // Not logged in any longer: asking says so.
    ask("/suggest", {}).catch(error => { if (error.status !== 401) setTimeout(() => stream === source && openStream(), 2000); });
  };
}

const messages = {
  you(you) { state.you = you; state.login = null; },
  agent(agent) {
    if (!agent.isThere) agent.since = state.agent.since ?? Date.now() - 1000 * (agent.seconds ?? 0);
    // What was answered, or could not be, is of before; and the clock of an agent begins with it.
    else if (!state.agent.isThere) Object.assign(state, {kept: {}, events: [], edges: []});
    state.agent = agent;
  },
  status(status) {
    if (state.kept.manifest && status.manifestDigest !== state.status?.manifestDigest) {
      ask("/manifest").then(answer => { state.kept.manifest = answer; draw(); }, () => {});
    }
    state.status = status;
    state.offset = knownAt() / 1000 - status.time;
  },
  accessories({accessories}) {
    state.accessories.clear();
    accessories.forEach(messages.accessory);
  },
  accessory(line) {
    state.accessories.set(line.identifier, stamped(line));
    if (line.address) state.names.set(line.address, line.displayName);
  },
  accessoryGone({identifier}) { state.accessories.delete(identifier); },
  requests({requests}) {
    const old = state.requests;
    state.requests = new Map(requests.map(({request, candidates}) => {
      const entry = old.get(request.request) ?? newRequest(request);
      entry.request = request;
      for (const number of entry.candidates.keys()) if (!candidates.some(line => line.candidate === number)) entry.candidates.delete(number);
      for (const line of candidates) takeCandidate(entry, line);
      return [request.request, entry];
    }));
  },
  picker(reply) {
    if (reply.request) {
      const entry = state.requests.get(reply.request.request);
      if (entry) entry.request = reply.request;
      else {
        state.requests.set(reply.request.request, newRequest(reply.request));
        announce(`${reply.request.app} asks for something.`);
      }
    } else if (reply.candidate) takeCandidate(state.requests.get(reply.of), reply.candidate);
    else if (reply.gone != null) dropCandidate(state.requests.get(reply.of), reply.gone);
    else if (reply.closed) close(reply);
  },
  history(history) {
    state.history = history;
    state.tracks = new Map(history.tracks.map(track => [`${track.app}/${track.address}`, track]));
  },
  edges({edges}) { state.edges = edges; },
  apps({apps}) { state.apps = apps; },
  items({items}) { state.items = items; },
  events() { state.events = []; },
  event(entry) {
    // What a device says replaces what it said before, and pushes nothing else away.
    const {event} = entry;
    const isSame = ({event: other}) => other?.event === "changed" && other.address === event.address && other.app === event.app;
    state.events = [entry, ...event?.event === "changed" ? state.events.filter(other => !isSame(other)) : state.events].slice(0, 200);
  },
  devices(devices) { state.devices = devices; devices.devices.forEach(stamped); },
  synced() {},
};

const newRequest = request => ({request, ends: null, candidates: new Map(), order: [], gone: [], levels: new Map()});

const deviceOf = line => line.address ?? line.ssid ?? line.candidate;

function takeCandidate(entry, line) {
  if (!entry) return;
  if (!entry.candidates.has(line.candidate)) entry.order.push(line.candidate);
  entry.candidates.set(line.candidate, stamped(line));
  const levels = entry.levels.get(line.candidate) ?? [];
  levels.push([Date.now(), levelOf(line)]);
  while (levels.length && levels[0][0] < Date.now() - 10000) levels.shift();
  entry.levels.set(line.candidate, levels);
}

function dropCandidate(entry, number) {
  const line = entry?.candidates.get(number);
  if (!line) return;
  entry.candidates.delete(number);
  entry.gone = [line, ...entry.gone.filter(other => deviceOf(other) !== deviceOf(line))].slice(0, 3);
}

function close(reply) {
  const entry = state.requests.get(reply.closed);
  state.requests.delete(reply.closed);
  if (!entry || state.mine.cancelled.delete(reply.closed)) return;
  state.closed = [{...reply, at: Date.now(), app: entry.request.app, kind: entry.request.kind,
    replaces: entry.request.replaces}, ...state.closed].slice(0, 4);
  announce(reply.accessory ? `${reply.displayName} ${entry.request.replaces ? "has its new device" : `was added to ${entry.request.app}`}.` : reply.reason ?? "A request has ended.");
}

/** An order of things by level, the first time as they are. Then one moves up when it has been stronger by `margin` for a second. */
export function settled(kept, things, level, margin) {
  const of = name => level(things.get(name));
  kept.order ??= [...things.keys()].sort((a, b) => of(b) - of(a));
  const order = kept.order = [...new Set([...kept.order.filter(name => things.has(name)), ...things.keys()])];
  const [old, since] = [kept.since ?? new Map(), kept.since = new Map()];
  for (let i = 1; i < order.length; i++) {
    const [upper, lower] = [order[i - 1], order[i]];
    if (of(lower) <= of(upper) + margin) continue;
    const pair = `${upper}/${lower}`, began = old.get(pair) ?? Date.now();
    since.set(pair, began);
    if (Date.now() - began >= 1000) [order[i - 1], order[i]] = [lower, upper];
  }
  return order;
}

/**
 * The candidates that are there, and those that are gone. One that is stronger moves up when it has been so for a second: nothing
 * jumps under a thumb. `entry.first` lies at the gateway: from the level at which it enters until it is below that at which it leaves.
 */
export function ordered(entry) {
  const all = [...entry.candidates.values()];
  const here = all.filter(isHere);
  const level = number => levelOf(entry.candidates.get(number) ?? {}) ?? -128;
  settled(entry, entry.candidates, line => levelOf(line) ?? -128, 2);
  entry.at ??= new Map();
  for (const number of entry.at.keys()) if (!here.some(line => line.candidate === number)) entry.at.delete(number);
  for (const line of here) {
    const {enter, leave} = gateOf(entry.request.items[line.itemIndex]);
    if (level(line.candidate) < leave) entry.at.delete(line.candidate);
    else if (level(line.candidate) >= enter && !entry.at.has(line.candidate)) entry.at.set(line.candidate, Date.now());
  }
  const strongest = [...entry.at.keys()].sort((a, b) => level(b) - level(a))[0];
  // The first one has the button at once; another gets it only after a second, even when that one is gone.
  if (entry.first != null && !entry.at.has(entry.first)) entry.first = null;
  const rival = strongest != null && level(strongest) > level(entry.first) + 6 ? strongest : null;
  if (entry.rival?.number !== rival) entry.rival = {number: rival, since: Date.now()};
  if (rival != null && (entry.first === undefined || Date.now() - entry.rival.since >= 1000)) entry.first = rival;
  const rank = line => line.candidate === entry.first ? -1 : entry.order.indexOf(line.candidate);
  const shown = new Set(here.map(deviceOf));
  return {here: here.sort((a, b) => rank(a) - rank(b)),
    gone: [...all.filter(line => !isHere(line)), ...entry.gone].filter(line => silenceOf(line) < 300).sort((a, b) => silenceOf(a) - silenceOf(b))
      .filter(line => !shown.has(deviceOf(line)) && shown.add(deviceOf(line)))};
}

// MARK: Start

function logOut(sentence) {
  source?.close();
  source = null;
  state.you = null;
  state.login = sentence ?? "You are not logged in.";
  draw();
}

export async function leave() {
  await ask("/logout", {}).catch(() => {});
  logOut("You are logged out.");
}

function decoded(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}

function route() {
  const [screen, ...rest] = location.hash.slice(1).split("/");
  if (screen === "main") return;
  const isNew = screen !== state.screen;
  state.screen = names[screen] ? screen : "now";
  state.detail = decoded(rest.join("/"));
  document.title = `${names[state.screen]} – Accessory gateway`;
  if (isNew) state.kept = {};
  if (state.login) return draw();
  openStream();
  draw();
}

document.getElementById("skip").addEventListener("click", event => {
  event.preventDefault();
  document.getElementById("main").focus();
});
export const isWide = matchMedia("(min-width: 1000px)");
isWide.addEventListener("change", draw);
window.addEventListener("hashchange", () => { document.querySelectorAll("dialog").forEach(box => box.close()); start(); scrollTo(0, 0); });
setInterval(() => { if (state.you && !document.hidden) draw(); }, 1000);

async function start() {
  const code = /^#([0-9a-f]{32})$/.exec(location.hash)?.[1];
  if (!code) return route();
  history.replaceState(null, "", "#now");
  useCode(code);
}

/** Logs in with a code, or with a link that ends with one. */
async function useCode(text) {
  try {
    await ask("/login", {code: /[0-9a-f]{32}$/.exec(text.trim())?.[0] ?? ""});
    state.login = null;
  } catch (error) {
    return logOut(error.message);
  }
  route();
}
start();

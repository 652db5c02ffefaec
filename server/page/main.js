// Puts the page together: asks the server each cycle, keeps what it answered, and shows it.

import { get, getGang } from "./api.js";
import { calm, nextTheme, onTheme, palette, theme } from "./colors.js";
import { $, fill, h, show } from "./dom.js";
import { byName, milliseconds, number, resourceName, seconds } from "./format.js";
import { listen } from "./gestures.js";
import { domainDetails, gangDetails, nodeDetails, queueDetails, workloadDetails } from "./inspector.js";
import { listenTabs, showQueues, showTabs } from "./lists.js";
import { MapView } from "./map.js";
import { marksOf } from "./marks.js";
import { errors, overview } from "./overview.js";
import { History } from "./history.js";
import { STATUSES, gangRows, keyOf, nodeRows, workloadRows } from "./rows.js";
import { GROUPINGS } from "./shades.js";
import { onChange, select, state, update } from "./state.js";
import { DomainTable } from "./table.js";
import { showCrumbs, showLegend, showTip, spotText } from "./captions.js";
import { defaultResource } from "./tree.js";
import { flatTree, levelsOf } from "./trees.js";
import { listenDrops } from "./whatif.js";

const MIN_PERIOD_MS = 1000;
const MAX_RETRY_MS = 5000;
const ROWS = 500;
const PODS = 2000;     // of a gang
const TYPING_MS = 150;
const SLOW_MS = 300;
const SLOW_REST = 20;
const BUSY = 4;  // a refresh takes at most one part in so many of the time

const data = { session: null, topologies: [], tree: null, queues: { queues: [] }, doc: null, cycle: -1 };
const history = new History();

const map = new MapView($("map"), { moved, arrived });
const lists = { gangs: gangRows(), workloads: workloadRows(), nodes: nodeRows() };
const table = new DomainTable(map);
table.onChange = showTable;

const resource = () => {
  const known = data.tree?.resources ?? [];
  return known.includes(state.color) ? state.color : defaultResource(known);
};
const grouping = () => (GROUPINGS.includes(state.color) ? state.color : undefined);

// ---- asking

async function loadTree() {
  const list = await get(["topology"], { level: "root", classes: "none" });
  data.topologies = list.topologies.map((topology) => topology.name).sort(byName);
  const name = data.topologies.includes(state.topology) ? state.topology : data.topologies[0];
  const chosen = list.topologies.find((topology) => topology.name === name);
  const by = grouping();
  const tree = chosen ? await levelsOf(chosen, data.tree, by) : await flatTree(by);
  if (by !== grouping()) return;  // another question is on its way
  data.tree = tree;
  map.resource = resource();
  map.by = map.store.by = by;
  map.setTree(tree, list.cycle);
  if (tree.flat) map.store.take(tree, 0, tree.flat, tree.cycle, by);
}

// What is searched for among all rows of a kind: the first that match, those that wait first.
async function loadRows(kind) {
  const { q, status } = state;
  const answer = await get([kind], {
    limit: ROWS, q, status: STATUSES[kind].includes(status) ? status : undefined, order: kind === "nodes" ? undefined : "status",
  });
  if (state.q !== q || state.status !== status) return;  // a later question is on its way
  lists[kind].set({ items: answer[kind], more: answer.more, statuses: answer.statuses });
}

// Only the list in sight.
async function loadList() {
  const kind = state.tab ?? "gangs";
  if (kind in lists) await loadRows(kind);
}

let typing = 0;

function searchSoon() {
  clearTimeout(typing);
  typing = setTimeout(() => loadList().catch(() => {}), TYPING_MS);
}

async function loadQueues() {
  data.queues = await get(["queues"]);
  showQueues(data.queues);
}

async function loadSession() {
  data.session = await get(["session"], { limit: 100 });
}

const ASK = {
  gang: askGang,
  workload: askWorkload,
  domain: (path, signal) => get(["domains", data.tree.name, ...path], {}, signal),
  node: (path, signal) => get(["nodes", ...path], {}, signal),
};

// What explain says, its row in the list, and its pods with their places.
async function askGang(path, signal) {
  const name = path.join("/");
  const [doc, { gangs }, pods] = await Promise.all([
    getGang(path, data.tree.boxLevels), get(["gangs"], { q: name, limit: ROWS }, signal), podsOf({ gang: name }, signal)]);
  return { ...doc, row: gangs.find((gang) => keyOf(gang) === name), ...pods };
}

async function askWorkload(path, signal) {
  const [doc, pods] = await Promise.all([get(["workloads", ...path], {}, signal), podsOf({ workload: path.join("/") }, signal)]);
  return { ...doc, ...pods };
}

async function podsOf(owner, signal) {
  const topology = data.tree.flat ? undefined : data.tree.name;
  const { pods, more } = await get(["pods"], { ...owner, topology, limit: PODS }, signal);
  return { pods, morePods: more };
}

let asking = null;
let docRestAt = 0;

// An answer that took long to make is not asked for in every cycle.
async function loadDoc() {
  const chosen = state.select;
  if (!chosen || !data.tree || !(chosen.kind in ASK)) return;
  const key = `${chosen.kind} ${chosen.path.join("/")}`;
  const fresh = data.doc?.key !== key;
  if (!fresh && performance.now() < docRestAt || asking?.key === key) return;
  asking?.abort();
  const mine = (asking = Object.assign(new AbortController(), { key }));
  const began = performance.now();
  try {
    const doc = await ASK[chosen.kind](chosen.path, mine.signal);
    if (asking !== mine) return;
    data.doc = { key, doc };
    if (fresh && chosen.kind === "gang") turnTo(doc.domains[0]?.topology ?? doc.row?.placement?.topology);
  } catch (error) {
    if (asking !== mine) return;
    if (error.status !== 0) data.doc = { key, error: error.message };  // else the server is gone: what was shown stays
  }
  asking = null;
  const took = performance.now() - began;
  docRestAt = performance.now() + (took > SLOW_MS ? took * SLOW_REST : 0);
  showDetails();
}

// A gang that was selected is shown in the topology that it asks for.
function turnTo(topology) {
  if (topology !== data.tree.name && data.topologies.includes(topology)) update({ topology, at: [] });
}

async function refresh() {
  const tree = loadTree();
  const doc = data.tree ? loadDoc() : tree.then(loadDoc);  // a domain is asked for by its topology's name
  const results = await Promise.allSettled([tree, doc, loadList(), loadQueues(), loadSession()]);
  await history.load(data.session?.cycle ?? 0);
  showAll();
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}

// ---- the clock

let failures = 0;
let restAt = 0;
let timer = 0;
let polling = false;
let paused = false;

function pause() {
  paused = !paused;
  document.documentElement.toggleAttribute("data-paused", paused);
  $("pause").setAttribute("aria-pressed", String(paused));
  $("pause").textContent = paused ? "Go on" : "Pause";
  showStatus();
  if (!paused) tick();
}

async function poll() {
  if (polling) return;
  polling = true;
  clearTimeout(timer);
  let wait = MIN_PERIOD_MS;
  try {
    // The first time everything is asked at once.
    const begun = data.cycle < 0 && failures === 0 ? refresh() : null;
    begun?.catch(() => {});
    const session = await get(["session"], { limit: 0 });
    wait = Math.max(MIN_PERIOD_MS, milliseconds(session.period));
    data.session = { ...session, decided: data.session?.decided, more: data.session?.more };
    if ((session.cycle !== data.cycle || failures > 0) && performance.now() >= restAt) {
      const began = performance.now();
      await (begun ?? refresh());
      data.cycle = session.cycle;
      restAt = performance.now() + (performance.now() - began) * (BUSY - 1);
    }
    failures = 0;
    showStatus();
    showDetails();  // errors in the input come without a cycle
    if (state.select && !docNow()) loadDoc();
  } catch (error) {
    failures += 1;
    showStatus(error);
    wait = Math.min(MAX_RETRY_MS, MIN_PERIOD_MS * failures);
  }
  polling = false;
  timer = setTimeout(tick, wait);
}

// A hidden page asks nothing, and neither does one that is paused.
function tick() {
  if (document.hidden || paused) timer = setTimeout(tick, MIN_PERIOD_MS);
  else poll();
}

// ---- showing

function showStatus(error) {
  const root = document.documentElement;
  const { session } = data;
  const gone = failures > 0;
  root.dataset.live = gone ? "no" : "yes";
  if (!gone) root.dataset.cycle = String(data.cycle);
  const banner = $("banner");
  const notReady = error?.status === 503;
  const text = !gone ? "" : notReady ? "The server is starting: no cycle has finished yet."
    : error?.status ? `The server answers with an error: ${error.message}`
      : session ? "The server does not answer. What you see is what it said last." : "The server does not answer.";
  if (banner.textContent !== text) banner.textContent = text;
  banner.hidden = !gone;
  $("status-text").textContent = !session ? "Connecting"
    : paused ? `Paused at cycle ${number(session.cycle)}` : gone ? `Cycle ${number(session.cycle)}, not connected` : `Cycle ${number(session.cycle)} · ${seconds(session.durationSeconds)}`;
  showSummary();
}

function showSummary() {
  const summary = data.session?.summary;
  if (!summary) return;
  const failed = data.session.errors?.length ?? 0;
  // Pods of a workload that is not admitted wait with it.
  const waiting = (data.session.waiting ?? []).reduce((sum, reason) =>
    sum + reason.workloads + (reason.code === "WorkloadNotAdmitted" ? 0 : reason.gangs), 0);
  document.title = waiting ? `${number(waiting)} waiting · Trellis` : "Trellis";
  show($("summary"), [summary, failed], () => [
    fact(summary.gpusUsed, summary.gpus - summary.gpusClosed, "GPUs used"),
    summary.gpusClosed > 0 && h("span", {}, h("b", {}, number(summary.gpusClosed)), " idle on closed nodes"),
    summary.workloads > 0 && fact(summary.workloadsAdmitted, summary.workloads, "workloads admitted"),
    fact(summary.gangsPlaced, summary.gangs, "gangs placed"), fact(summary.podsPlaced, summary.pods, "pods placed"),
    failed > 0 && h("button", { type: "button", class: "fault", key: "faults", onclick: () => { select(null); $("inspector").focus(); } },
      `${number(failed)} input ${failed === 1 ? "error" : "errors"}`),
  ]);
}

const fact = (value, of, name) => h("span", {}, h("b", {}, number(value)), ` / ${number(of)} ${name}`);

function showAll() {
  showStatus();
  showTools();
  showMap();
  showTable();
  showTabs(data.session?.summary?.workloads || data.queues.clusterQueues?.length);
  for (const list of Object.values(lists)) list.refresh(data.session?.now);
  showQueues(data.queues);
  showDetails();
}

function showTools() {
  const { tree } = data;
  if (!tree) return;
  choices($("topology"), data.topologies.length ? data.topologies : [tree.name], tree.name, (name) => name);
  choices($("color"), [...tree.resources, ...GROUPINGS], grouping() ?? resource(),
    (name) => `Colour: ${GROUPINGS.includes(name) ? name : uniqueName(name, tree.resources)}`);
  for (const view of ["map", "table"]) $(`view-${view}`).setAttribute("aria-pressed", String((state.view ?? "map") === view));
  $("topology").hidden = data.topologies.length < 2;
}

// "GPUs", unless two vendors' are there.
function uniqueName(name, all) {
  const short = resourceName(name);
  return all.filter((other) => resourceName(other) === short).length > 1 ? name : short;
}

function choices(box, names, chosen, text) {
  show(box, [names, chosen], () => names.map((name) => h("option", { value: name, selected: name === chosen }, text(name))));
  box.value = chosen;
}

function showMap() {
  const { tree } = data;
  const inTable = state.view === "table";
  $("stage").hidden = inTable;
  $("zoom").hidden = $("legend").hidden = inTable;
  $("table").hidden = !inTable;
  if (!tree) return;
  map.resource = resource();
  Object.assign(map, marksOf(tree, map, state.select, docNow()?.doc));
  $("map").dataset.pins = String(map.pins.length);
  $("map-empty").hidden = tree.nodeCount[0] > 0;
  $("map-empty").textContent = "No nodes in the input.";
  showCrumbs($("crumbs"), tree, map.focus(), goTo);
  showLegend($("legend"), tree, map, resource());
  map.draw();
}

function showTable() {
  if (!data.tree || state.view !== "table") return;
  table.show(data.tree, map.focus(), resource());
}

const docNow = () => {
  const chosen = state.select;
  return chosen && data.doc?.key === `${chosen.kind} ${chosen.path.join("/")}` ? data.doc : null;
};

function showDetails() {
  const box = $("inspector");
  const chosen = state.select;
  document.documentElement.dataset.selected = chosen ? chosen.kind : "";
  const now = docNow();
  const queue = chosen?.kind === "queue" ? data.queues.queues.find(({ name }) => name === chosen.path[0]) : null;
  const { cycle, ...doc } = now?.doc ?? {};
  show(box, [chosen ?? [data.session, history.version], data.session?.errors, now?.error, doc, queue, data.tree?.boxLevels], () => detailsOf(chosen, now, queue));
  showMap();
}

function detailsOf(chosen, now, queue) {
  if (!chosen) return data.session ? overview(data.session, history) : [h("p", { class: "note" }, "Waiting for the first cycle.")];
  const faults = data.session?.errors?.length ? errors(data.session.errors) : null;
  const { path } = chosen;
  if (chosen.kind === "queue") return queue ? [queueDetails({ path, queue }), faults] : missing(chosen, "no such queue");
  if (now?.error) return missing(chosen, now.error);
  const { doc } = now ?? {};
  if (!doc) return missing(chosen, "");
  const details = { gang: gangDetails, workload: workloadDetails, domain: domainDetails, node: nodeDetails }[chosen.kind];
  return [details({ path, doc, now: data.session?.now, levels: data.tree?.boxLevels, onShow: zoomTo, onHover: hoverPath }), faults];
}

function missing({ kind, path }, text) {
  return [h("header", {}, h("p", { class: "kind" }, kind), h("h2", {}, path.join("/")),
    h("button", { type: "button", class: "close", key: "close", "aria-label": "Close the details", onclick: () => select(null) }, "×")),
  text && h("p", { class: "note" }, text)];
}

function hoverPath(path) {
  map.hover = path?.length ? { at: data.tree.nearest(path), node: -1 } : null;
  map.draw();
}

function zoomTo(path) {
  goTo(data.tree.nearest(path));
}

// ---- what the user does

function moved() {
  const { tree } = data;
  if (!tree) return;
  const at = map.focus();
  update({ at: tree.paths[at] }, "map");
  showCrumbs($("crumbs"), tree, at, goTo);
  showTable();
}

// In the table there is no picture that could glide.
function goTo(at) {
  map.fit(at, state.view !== "table");
}

function arrived() {
  showMap();
  showTable();
}

function pick(spot) {
  const { tree } = data;
  if (!spot) return;
  if (spot.node >= 0) select("node", [map.store.get(tree, spot.at).names[spot.node]]);
  else if (spot.at === 0) select(null);
  else select("domain", tree.paths[spot.at]);
}

listen(map, {
  pick,
  enter: pick,
  out: () => select(null),
  point(spot, x, y) {
    map.hover = spot && spot.at > 0 || spot?.node >= 0 ? spot : null;
    showTip($("tooltip"), map, data.tree, resource(), map.hover, x, y);
    map.draw();
  },
  say: (spot) => { $("map-says").textContent = spotText(map, data.tree, resource(), spot); },
});

const narrow = matchMedia("(max-width: 760px)");
const shownNow = () => ({ topology: state.topology, by: grouping(), list: [state.tab, state.q, state.status].join("\n") });
let before = shownNow();
onChange(async (from) => {
  if (from === "map") return;
  const { topology, by, list } = before;
  before = shownNow();
  if (before.list !== list) searchSoon();
  if (before.by !== by) loadTree().then(showMap, () => {});
  if (before.topology !== topology) {
    await loadTree().then(() => map.fit(data.tree.nearest(state.at), false), () => {});
    docRestAt = 0;
    loadDoc();  // a gang's nodes stand elsewhere in another topology
  }
  if (from === "history" && data.tree) map.fit(data.tree.nearest(state.at));
  if (!docNow()) loadDoc();
  showAll();
  // Stacked, the details may be out of sight.
  if (from === "user" && state.select && narrow.matches) $("inspector").scrollIntoView({ behavior: calm.matches ? "auto" : "smooth" });
});

$("topology").addEventListener("change", (event) => update({ topology: event.target.value, at: [], select: null }));
$("color").addEventListener("change", (event) => update({ color: event.target.value }));
$("view-map").addEventListener("click", () => update({ view: undefined }));
$("view-table").addEventListener("click", () => update({ view: "table" }));
$("pause").addEventListener("click", pause);
$("zoom-in").addEventListener("click", () => map.zoom(1.6, undefined, undefined, true));
$("zoom-out").addEventListener("click", () => map.zoom(1 / 1.6, undefined, undefined, true));
$("zoom-fit").addEventListener("click", () => map.fit(0));
$("skip").addEventListener("click", (event) => { event.preventDefault(); update({ tab: undefined }); $("gangs-filter").focus(); });
document.addEventListener("visibilitychange", () => !document.hidden && tick());
document.addEventListener("keydown", (event) => {
  const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if ($("whatif").open) return;
  if (event.key === "Escape" && state.select) select(null);
  else if (event.key === "p" && !isTyping && !event.ctrlKey && !event.metaKey) pause();
  else if (event.key === "/" && !isTyping) {
    event.preventDefault();
    if (!(state.tab in lists)) update({ tab: undefined });
    $(`${state.tab ?? "gangs"}-filter`).focus();
  }
});

function showTheme() {
  const text = { auto: "Auto", light: "Light", dark: "Dark" }[theme()];
  fill($("theme"), h("span", { class: `sun ${palette().name}`, "aria-hidden": "true" }), text);
  $("theme").setAttribute("aria-label", `Theme: ${text}`);
  if (data.tree) showLegend($("legend"), data.tree, map, resource());
}
$("theme").addEventListener("click", nextTheme);
onTheme(showTheme);
showTheme();
listenTabs();
listenDrops();
showTabs();

poll().then(() => {
  if (data.tree && state.at.length) goTo(data.tree.nearest(state.at));
  showTable();
});

// The details of what is selected.

import { h, meter, pill } from "./dom.js";
import { ago, amount, byName, count, levelName, number, parseQuantity, percent, quantity, resourceName, words } from "./format.js";
import { queueAmount, queueResource } from "./lists.js";
import { nearest } from "./nearest.js";
import { select, update } from "./state.js";
import { whatIf } from "./whatif.js";

const SHOWN = 40;
const NEAREST = 12;
const PODS_NAMED = 3;  // of a node

const button = (key, onclick, ...text) => h("button", { type: "button", class: "link", key, onclick }, ...text);
const gangButton = (name) => button(`gang-${name}`, () => select("gang", name.split("/")), name);

// Resources by weight for people: GPUs, CPUs, memory, then the rest.
const weight = (name) => (/gpu$/.test(name) ? 0 : name === "cpu" ? 1 : name === "memory" ? 2 : name === "pods" ? 9 : 5);
const byWeight = (a, b) => weight(a) - weight(b) || byName(a, b);

function head(kind, title, extra) {
  return h("header", {},
    h("p", { class: "kind" }, kind),
    h("h2", {}, title),
    extra,
    h("button", { type: "button", class: "close", key: "close", "aria-label": "Close the details", title: "Close (Escape)", onclick: () => select(null) }, "×"));
}

function limited(items, row, limit = SHOWN) {
  return [h("ul", { class: "plain" }, items.slice(0, limit).map(row)),
    items.length > limit && h("details", {}, h("summary", {}, `${number(items.length - limit)} more`),
      h("ul", { class: "plain" }, items.slice(limit, limit + 500).map(row)))];
}

const cordonButton = (place) => button("cordon", () => whatIf(`${place} were cordoned`, { cordon: place }), "Cordoned?");

// ---- a gang

export function gangDetails({ path, doc, levels, now, onHover, onShow }) {
  const name = path.join("/");
  const gang = doc.row;
  const rows = nearest(doc, levels);
  const rest = rows.length + (doc.left ?? 0) - NEAREST;
  const waits = doc.status === "Pending" || doc.status === "Evicted";
  return [
    head("Gang", name, h("p", { class: "sub" }, pill(doc.status), gang && h("span", {}, `${number(gang.placed)} of ${count(gang.pods, "pod")} placed`),
      waitingText(doc, now),
      gang?.queue && button("queue", () => select("queue", [gang.queue]), `queue ${gang.queue}`))),
    gang && meter(gang.placed / gang.pods, `${gang.placed} of ${gang.pods} pods placed`, waits ? "warm" : ""),
    (doc.reasons ?? []).map((reason) => h("div", { class: "reason" },
      h("h3", {}, words(reason.code), reason.plugin && h("small", {}, reason.plugin)),
      h("p", {}, reason.message))),
    gang?.placement?.domain && h("section", {}, h("h3", {}, "Placed in"),
      h("p", {}, button("placed", () => onShow(gang.placement.domain), `${levelName(gang.placement.level)} ${gang.placement.domain.join("/")}`))),
    !waits && podsByNode(doc.pods ?? [], doc.morePods ?? 0),
    rows.length > 0 && h("section", {}, h("h3", {}, waits ? "Where it nearly fits" : "Where else it would fit"),
      h("ul", { class: "plain near" }, rows.slice(0, NEAREST).map((row) => nearRow(row, onHover, onShow))),
      rest > 0 && h("p", { class: "note" }, `and ${count(rest, `more ${levelName(rows[0].level)}`)}`)),
    waits && podsByNode(doc.pods ?? [], doc.morePods ?? 0),
  ];
}

const waitingText = ({ waitingSince }, now) => waitingSince && h("span", { class: "waits", title: waitingSince }, `waits for ${ago(waitingSince, now)}`);

// The nodes of a gang or a workload, each with its pods; then the pods that have none.
function podsByNode(pods, more) {
  const nodes = new Map();
  for (const pod of pods) {
    const node = pod.node ?? "";
    nodes.set(node, [...(nodes.get(node) ?? []), pod]);
  }
  if (!nodes.size) return null;
  const rows = [...nodes].sort((a, b) => (a[0] === "") - (b[0] === "") || byName(a[0], b[0]));
  const named = rows.filter(([node]) => node !== "").length;
  return h("section", { id: "its-pods" }, h("h3", {}, named ? `${count(pods.length + more, "pod")} on ${count(named, "node")}` : "Its pods"),
    limited(rows, ([node, on]) => h("li", { class: "holder" },
      node ? button(`node-${node}`, () => select("node", [node]), node) : h("span", { class: "name" }, "on no node"),
      h("span", { class: "count" }, count(on.length, "pod")),
      h("span", { class: "what", title: on.map((pod) => pod.name).join(", ") }, podsText(on)))),
    more > 0 && h("p", { class: "note" }, `and ${count(more, "more pod")}`));
}

// "trainer-0, trainer-1 running; trainer-2 pending", shortened.
function podsText(pods) {
  const byStatus = new Map();
  for (const pod of [...pods].sort((a, b) => byName(a.name, b.name))) byStatus.set(pod.status, [...(byStatus.get(pod.status) ?? []), pod.name]);
  return [...byStatus].map(([status, names]) => {
    const more = names.length > PODS_NAMED ? ` and ${number(names.length - PODS_NAMED)} more` : "";
    return `${names.slice(0, PODS_NAMED).join(", ")}${more} ${status.toLowerCase()}`;
  }).join("; ");
}

// ---- a workload

export function workloadDetails({ path, doc, levels, now, onHover, onShow }) {
  const sets = doc.podSets ?? [];
  const stands = (doc.stands ?? []).filter((stand) => stand.path?.length);
  const rows = doc.admitted ? [] : sets.flatMap((set) => set.flavors ?? [])
    .flatMap((flavor) => nearest({
      domains: (flavor.topology?.domains ?? []).map((row) => ({ ...row, allocatablePods: row.pods, subgroup: flavor.flavor })),
    }, levels));
  return [
    head("Workload", path.join("/"), h("p", { class: "sub" }, pill(doc.status), waitingText(doc, now),
      doc.clusterQueue && h("span", {}, `ClusterQueue ${doc.clusterQueue}`),
      h("span", {}, `priority ${number(doc.priority ?? 0)}`))),
    (doc.reasons ?? []).map((reason) => h("div", { class: "reason" },
      h("h3", {}, words(reason.code)), h("p", {}, reason.message))),
    (doc.podSetAssignments ?? []).length > 0 && h("section", {}, h("h3", {}, "Admitted with"),
      limited(doc.podSetAssignments, assignedRow)),
    stands.length > 0 && h("section", {}, h("h3", {}, "Placed in"),
      limited(stands, (stand) => h("li", {}, button(`stand-${stand.path.join("/")}`, () => onShow(stand.path), stand.path.join("/")),
        h("span", { class: "what" }, stand.why)))),
    podsByNode(doc.pods ?? [], doc.morePods ?? 0),
    sets.length > 0 && h("section", {}, h("h3", {}, "What the quotas allow"),
      sets.flatMap((set) => (set.flavors ?? []).map((flavor) => flavorTable(set, flavor)))),
    rows.length > 0 && h("section", {}, h("h3", {}, "Where it nearly fits"),
      h("ul", { class: "plain near" }, rows.slice(0, NEAREST).map((row) => nearRow(row, onHover, onShow)))),
  ];
}

function assignedRow(set) {
  const flavors = [...new Set(Object.values(set.flavors ?? {}))].join(", ");
  const domains = set.topologyAssignment?.domains ?? [];
  return h("li", { class: "holder" }, h("span", { class: "name" }, `${set.name}: ${count(set.count, "pod")}`), h("span", { class: "what" }, flavors),
    h("span", { class: "what" }, domains.slice(0, SHOWN).map(({ values, count: pods }) => `${values.join("/")}: ${number(pods)}`).join(", "),
      domains.length > SHOWN && `, and ${number(domains.length - SHOWN)} more`));
}

function flavorTable(set, { flavor, verdict, amounts }) {
  return h("table", { class: "resources" },
    h("caption", {}, `${set.names.join(", ")} in flavor ${flavor}: ${words(verdict).toLowerCase()}`),
    h("thead", {}, h("tr", {}, ["Resource", "Requested", "Used", "Nominal", "Available"].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, (amounts ?? []).map((row) => h("tr", {}, h("th", { scope: "row" }, resourceName(row.resource)),
      ["asked", "used", "nominal", "available"].map((key) => h("td", {}, row[key] ?? "–"))))));
}

function nearRow(row, onHover, onShow) {
  const place = row.path.length ? row.path.join("/") : row.topology ?? "the whole cluster";
  const remedy = remedyText(row.remedy);
  return h("li", {}, h("button", {
    type: "button", class: "row-button", key: `near-${place}${row.subgroup ?? ""}`,
    onclick: () => onShow(row.path), onmouseenter: () => onHover(row.path), onmouseleave: () => onHover(null),
    onfocus: () => onHover(row.path), onblur: () => onHover(null),
  },
  h("span", { class: "name" }, place, row.subgroup && h("i", {}, ` ${row.subgroup}`)),
  h("span", { class: "count" }, `${number(row.allocatablePods)}/${number(row.needed)} pods`),
  meter(row.allocatablePods / row.needed, `${row.allocatablePods} of ${row.needed} pods`, row.fits ? "" : "warm"),
  row.short?.length > 0 && h("span", { class: "what" }, "short of ", row.short.map((s) => quantity(s.resource, s.by)).join(", ")),
  row.refusals?.length > 0 && h("span", { class: "what" },
    row.refusals.map((r) => `${count(r.nodes, "node")}: ${words(r.code).toLowerCase()}`).join(", ")),
  row.laterPods !== undefined && h("span", { class: "what" }, `${count(row.laterPods, "pod")} once leaving pods have left`),
  row.fits && h("span", { class: "what good" }, row.byCount ? "fits by count" : "fits"),
  remedy && h("span", { class: "what help" }, "would help: ", remedy)));
}

function remedyText(remedy) {
  if (!remedy) return "";
  const ways = [];
  if (remedy.moreNodes) ways.push(`${number(remedy.moreNodes)} more ${remedy.moreNodes === 1 ? "node" : "nodes"}`);
  if (remedy.freed?.length) ways.push(`${remedy.freed.map((s) => quantity(s.resource, s.by)).join(", ")} freed`);
  return ways.join(", or ");
}

// ---- a domain and a node

function resourceTable(resources) {
  return h("table", { class: "resources" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Resource"), h("th", { scope: "col" }, "Used"), h("th", { scope: "col" }, "Of"), h("th", { scope: "col" }, "Free"))),
    h("tbody", {}, Object.entries(resources ?? {}).sort((a, b) => byWeight(a[0], b[0])).map(([name, row]) => {
      const share = parseQuantity(row.used) / parseQuantity(row.allocatable);
      const cell = (text) => amount(name, parseQuantity(text));
      return h("tr", {}, h("th", { scope: "row" }, resourceName(name), meter(share, `${resourceName(name)}: ${percent(share)} used`)),
        h("td", {}, cell(row.used)), h("td", {}, cell(row.allocatable)),
        h("td", {}, cell(row.free), row.later !== undefined && h("small", { title: "once leaving pods have left" }, ` → ${cell(row.later)}`)));
    })));
}

const holds = (amounts) => Object.entries(amounts ?? {}).filter(([name]) => name !== "pods").sort((a, b) => byWeight(a[0], b[0]))
  .map(([name, text]) => quantity(name, text)).join(", ");

function gangsIn(gangs) {
  return h("section", {}, h("h3", {}, gangs.length ? `${count(gangs.length, "gang")} here` : "No gang is here"),
    limited(gangs, (gang) => h("li", { class: "holder" },
      gangButton(`${gang.namespace}/${gang.name}`), pill(gang.status),
      h("span", { class: "what" }, count(gang.pods, "pod"), gang.podsElsewhere ? ` (${number(gang.podsElsewhere)} elsewhere)` : "", holds(gang.holds) ? ` · ${holds(gang.holds)}` : ""))));
}

function pendingIn(pending, domain) {
  if (!pending.length) return h("section", {}, h("h3", {}, "Nothing waits"));
  return h("section", {}, h("h3", {}, "What it could still take"),
    limited(pending, (shape) => h("li", { class: "holder" },
      gangButton(shape.gang), shape.alike > 1 && h("span", { class: "what" }, `and ${number(shape.alike - 1)} like it`),
      domain && h("span", { class: `verdict ${shape.gangs > 0 ? "good" : "bad"}` }, shape.gangs > 0 ? count(shape.gangs, "gang") : "does not fit"),
      domain && meter(shape.pods / shape.minimum, `${shape.pods} of ${shape.minimum} pods`, shape.gangs > 0 ? "" : "warm"),
      h("span", { class: "what" }, domain ? `${count(shape.pods, "pod")} of the ${number(shape.minimum)} that must go together`
        : shape.pods > 0 ? `${count(shape.pods, "pod")} of it` : (shape.reasons ?? []).map((reason) => reason.message).join("; "),
      shape.laterPods !== undefined ? `; ${number(shape.laterPods)} once leaving pods have left` : ""))));
}

export function domainDetails({ path, doc, onShow }) {
  const title = path.length ? path.join("/") : doc.topology;
  const children = doc.domains ?? [];
  return [
    head(doc.level ? levelName(doc.level) : "Topology", title,
      h("p", { class: "sub" }, count(doc.nodes, "node"), button("zoom", () => onShow(path), "Zoom to it"),
      cordonButton([doc.topology, ...path].join("/")))),
    resourceTable(doc.resources),
    gangsIn(doc.gangs ?? []),
    pendingIn(doc.pending ?? [], true),
    children.length > 0 && h("section", {}, h("h3", {}, count(children.length, levelName(children[0].level) === "hostname" ? "node" : levelName(children[0].level))),
      h("ul", { class: "inside" }, [...children].sort((a, b) => byName(a.name, b.name)).slice(0, 200).map((child) => {
        const one = levelName(child.level) === "hostname";
        const free = Object.entries(child.free ?? {}).map(([name, text]) => quantity(name, text)).join(", ");
        return h("li", {}, button(`in-${child.name}`, () => (one ? select("node", [child.name]) : select("domain", [...path, child.name])), child.name),
          h("span", { class: "what" }, free ? `${free} free` : ""));
      })),
      children.length > 200 && h("p", { class: "note" }, `and ${number(children.length - 200)} more`)),
  ];
}

// Devices for claims; the pool of a node's own devices mostly has the node's name.
function devicesOf(node, devices) {
  if (!devices.length) return null;
  const held = devices.filter((device) => device.heldBy.length).length;
  return h("section", { id: "devices" }, h("h3", {}, `${number(held)} of ${count(devices.length, "device")} held`),
    limited(devices, ({ driver, pool, device, heldBy, overlaps, tainted }) => h("li", { class: "holder" },
      h("span", { class: "name" }, [driver, ...(pool === node ? [] : [pool]), device].join("/")),
      tainted && h("span", { class: "count" }, "tainted"),
      h("span", { class: "what" }, overlaps ? `overlaps devices of ${overlaps.join(", ")}` : heldBy.join(", ")))));
}

export function nodeDetails({ path, doc, onShow }) {
  const places = (doc.domains ?? []).filter((domain) => domain.path?.length);
  return [
    head("Node", path.join("/"), h("p", { class: "sub" }, places.map((place) =>
      button(`place-${place.topology}`, () => onShow(place.path), `${place.topology}: ${place.path.filter((name) => name !== path[0]).join("/")}`)),
      cordonButton(path[0]))),
    resourceTable(doc.resources),
    doc.gpus?.length > 0 && h("section", {}, h("h3", {}, "Shared GPUs"),
      h("ul", { class: "plain" }, doc.gpus.map((gpu) => h("li", {}, `GPU ${gpu.index}: ${gpu.free} free`)))),
    devicesOf(path[0], doc.devices ?? []),
    h("section", {}, h("h3", {}, doc.pods?.length ? count(doc.pods.length, "pod") : "No pods"),
      limited(doc.pods ?? [], (pod) => h("li", { class: "holder" },
        h("span", { class: "name" }, `${pod.namespace}/${pod.name}`), pill(pod.status),
        pod.gang && pod.gang !== `${pod.namespace}/${pod.name}` && h("span", { class: "what" }, "gang ", gangButton(pod.gang)),
        h("span", { class: "what" }, holds(pod.holds))))),
    pendingIn(doc.pending ?? [], false),
  ];
}

// ---- a queue

export function queueDetails({ path, queue }) {
  return [
    head("Queue", path[0], h("p", { class: "sub" },
      queue.parent && button("parent", () => select("queue", [queue.parent]), `below ${queue.parent}`),
      h("span", {}, count(queue.gangs ?? 0, "gang"), queue.waiting ? `, ${number(queue.waiting)} waiting` : ""))),
    h("table", { class: "resources" },
      h("thead", {}, h("tr", {}, ["Resource", "Allocated", "Requested", "Fair share", "Quota", "Limit"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, Object.entries(queue.resources ?? {}).map(([name, row]) => h("tr", {},
        h("th", { scope: "row" }, queueResource(name), meter(row.allocated / Math.max(row.quota, row.allocated, 1), `${queueResource(name)} allocated`)),
        ["allocated", "requested", "fairShare", "quota", "limit"].map((key) => h("td", {}, key in row ? queueAmount(name, row[key]) : "–")))))),
    h("p", {}, button("its-gangs", () => update({ tab: undefined, q: `queue:${path[0]}`, status: undefined }), "Its gangs")),
  ];
}

// What the map marks for a selection.

import { nearest } from "./nearest.js";

const MAX_MARKS = 24;

const NOTHING = { marks: [], pins: [], selected: null };

// {selected, marks, pins}: the spot that is selected, the domains that the selected gang or workload is about, and
// the nodes of its pods.
export function marksOf(tree, map, chosen, doc) {
  if (chosen?.kind === "domain") {
    const at = tree.find(chosen.path);
    return { ...NOTHING, selected: at === undefined ? null : { at, node: -1 } };
  }
  if (chosen?.kind === "node") return { ...NOTHING, selected: nodeSpot(tree, map, chosen.path[0], doc) };
  if (chosen?.kind === "workload") return { ...NOTHING, marks: stands(tree, doc), pins: pinsOf(tree, map, doc?.pods ?? []) };
  if (chosen?.kind !== "gang") return NOTHING;
  const gang = doc?.row;
  return { selected: null, marks: gang?.placement?.domain ? placed(tree, gang) : near(tree, doc), pins: pinsOf(tree, map, doc?.pods ?? []) };
}

// Each node that one of the pods is on; nodes that are not drawn are counted at their box.
function pinsOf(tree, map, pods) {
  const pins = new Map();
  for (const { node, domain } of pods) {
    if (node === undefined || !tree.flat && !domain) continue;
    const spot = tree.flat ? indexed(tree, map, 0, node) : indexed(tree, map, boxAt(tree, domain), node);
    const key = `${spot.at} ${spot.node}`;
    if (!pins.has(key)) pins.set(key, { ...spot, pods: 0 });
    pins.get(key).pods += 1;
  }
  return [...pins.values()];
}

// The box that draws the nodes directly below a domain.
function boxAt(tree, path) {
  const at = tree.nearest(path);
  return tree.holdsNodes(at) ? at : tree.children[at].find((child) => tree.loose[child]) ?? at;
}

function nodeSpot(tree, map, name, doc) {
  if (tree.flat) return indexed(tree, map, 0, name);
  const place = doc?.domains?.find((domain) => domain.topology === tree.name);
  if (!place) return null;
  return indexed(tree, map, boxAt(tree, place.path), name);
}

function indexed(tree, map, at, name) {
  const index = map.store.get(tree, at)?.names.indexOf(name) ?? -1;
  return { at, node: map.layout && map.opens(at) ? index : -1 };
}

function placed(tree, gang) {
  const { topology, domain } = gang.placement;
  const at = topology === tree.name ? tree.find(domain) : undefined;
  return at ? [{ at, strength: 1, good: true, text: gang.name }] : [];
}

// The domains of an admitted workload.
function stands(tree, doc) {
  const marks = [];
  for (const { topology, path, podSets } of doc?.stands ?? []) {
    const at = topology === tree.name && path.length ? tree.find(path) : undefined;
    if (at && marks.length < MAX_MARKS) marks.push({ at, strength: 1, good: true, text: podSets.join(", ") });
  }
  return marks;
}

function near(tree, doc) {
  const marks = [];
  for (const row of nearest(doc ?? {}, tree.boxLevels)) {
    const at = row.topology === tree.name ? tree.find(row.path) : undefined;
    if (!at || !(row.allocatablePods > 0)) continue;
    marks.push({
      at, strength: Math.min(1, row.allocatablePods / row.needed), good: row.fits,
      text: `${row.allocatablePods}/${row.needed}`,
    });
    if (marks.length >= MAX_MARKS) break;
  }
  return marks;
}

// What the map marks for a selection.

import { nearest } from "./nearest.js";

const MAX_MARKS = 24;

// {selected, marks}: the spot that is selected, and the domains that the selected gang is about.
export function marksOf(tree, map, chosen, doc, gang) {
  if (chosen?.kind === "domain") {
    const at = tree.find(chosen.path);
    return { marks: [], selected: at === undefined ? null : { at, node: -1 } };
  }
  if (chosen?.kind === "node") return { marks: [], selected: nodeSpot(tree, map, chosen.path[0], doc) };
  if (chosen?.kind === "workload") return { marks: stands(tree, doc), selected: null };
  if (chosen?.kind !== "gang") return { marks: [], selected: null };
  return { selected: null, marks: gang?.placement?.domain ? placed(tree, gang) : near(tree, doc) };
}

function nodeSpot(tree, map, name, doc) {
  if (tree.flat) return indexed(tree, map, 0, name);
  const place = doc?.domains?.find((domain) => domain.topology === tree.name);
  if (!place) return null;
  const at = tree.nearest(place.path);
  return indexed(tree, map, tree.holdsNodes(at) ? at : tree.children[at].find((child) => tree.loose[child]) ?? at, name);
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

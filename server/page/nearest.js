// Which of a gang's domains are worth showing.

import { byName } from "./format.js";

const SHOWN = 200;

// The rows of the level that the gang was refused at, the nearest first.
export function nearest(doc, levels) {
  const domains = doc.domains ?? [];
  const wanted = doc.reasons?.find((reason) => reason.details?.level)?.details.level;
  const known = new Set(domains.map((domain) => domain.level));
  const level = known.has(wanted) ? wanted : [...(levels ?? [])].reverse().find((name) => known.has(name)) ?? domains.at(-1)?.level;
  return domains.filter((domain) => domain.level === level)
    .sort((a, b) => b.allocatablePods / b.needed - a.allocatablePods / a.needed || byName(a.path.join("/"), b.path.join("/")));
}

// The document of a gang without what the page does not show.
export function shortened(doc, levels) {
  const rows = nearest(doc, levels);
  return { ...doc, domains: rows.slice(0, SHOWN), left: Math.max(0, rows.length - SHOWN) };
}

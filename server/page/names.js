// Names that are too long for their place: what many names have in common goes first, so that what distinguishes them
// stays in sight.

const BREAKS = /[-._/:]/;

// {head, tail}: so many letters all names begin and end with, in whole words; 0 for a single name.
export function affixesOf(names) {
  const [first] = names;
  if (names.length < 2) return { head: 0, tail: 0 };
  const shortest = Math.min(...names.map((name) => name.length));
  let head = 0;
  while (head < shortest && names.every((name) => name[head] === first[head])) head += 1;
  while (head > 0 && !BREAKS.test(first[head - 1])) head -= 1;
  let tail = 0;
  while (tail < shortest - head && names.every((name) => name.at(-1 - tail) === first.at(-1 - tail))) tail += 1;
  while (tail > 0 && !BREAKS.test(first.at(-tail))) tail -= 1;
  return { head, tail };
}

// The name, then shorter and shorter: "a-b-n01.zone.example", "a-b-n01…", "…n01…", "n01".
export function shorterNames(name, { head, tail }) {
  const end = name.length - tail;
  return [...new Set([name, tail ? `${name.slice(0, end)}…` : name,
    `${head ? "…" : ""}${name.slice(head, end)}${tail ? "…" : ""}`, name.slice(head, end)])];
}

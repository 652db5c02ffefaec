// What a change would alter in the last cycle: nodes that are cordoned, or objects that are dropped on
// the page.

import { post } from "./api.js";
import { $, fill, h } from "./dom.js";
import { count, number } from "./format.js";

const CHANGES = [["added", "gets in", "get in"], ["lost", "loses its place", "lose their places"], ["moved", "moves", "move"],
  ["resized", "changes its size", "change their size"], ["waiting", "comes and waits", "come and wait"]];
const SHOWN = 40;

const place = ({ placed, pods, placement, nodes, status } = {}) => (placed === undefined ? status ?? "–"
  : `${number(placed)} of ${count(pods, "pod")}${placed ? ` in ${placement?.domain?.join("/") || [...new Set(nodes)].slice(0, 3).join(", ")}` : ""}`);

function changeRow({ namespace, name, before, after }) {
  return h("li", { class: "holder" }, h("span", { class: "name" }, `${namespace}/${name}`),
    h("span", { class: "what" }, before ? `${place(before)} → ${place(after)}` : place(after)),
    after?.reasons?.length > 0 && h("span", { class: "what" }, after.reasons.map(({ message }) => message).join("; ")));
}

// Workloads have no sizes.
function changes(kind, answer) {
  return CHANGES.map(([key, one, many]) => [answer[key] ?? [], one, many]).filter(([list]) => list.length)
    .map(([list, one, many]) => h("section", {},
      h("h3", {}, `${count(list.length, kind)} ${list.length === 1 ? one : many}`),
      h("ul", { class: "plain" }, list.slice(0, SHOWN).map(changeRow)),
      list.length > SHOWN && h("p", { class: "note" }, `and ${number(list.length - SHOWN)} more`)));
}

function result(answer) {
  const { workloads, gpus } = answer;
  const found = [...changes("gang", answer), ...changes("workload", workloads)];
  return [h("p", { class: "sub" }, `${number(gpus.before)} → ${number(gpus.after)} GPUs used`),
    found.length ? found : h("p", { class: "note" }, "No gang and no workload changes.")];
}

// `title` says what changes; `change`: the parameters of /debug/whatif.
export async function whatIf(title, change, body = "") {
  const box = $("whatif");
  const show = (...content) => fill(box, h("header", {}, h("p", { class: "kind" }, "What if"), h("h2", {}, title),
    h("button", { type: "button", class: "close", "aria-label": "Close", onclick: () => box.close() }, "×")), content);
  show(h("p", { class: "note" }, "Asking …"));
  if (!box.open) box.showModal();
  try {
    show(result(await post(["whatif"], change, body)));
  } catch (error) {
    show(h("p", { class: "note" }, error.message));
  }
}

export function listenDrops() {
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", async (event) => {
    event.preventDefault();
    const files = [...event.dataTransfer.files];
    const texts = await Promise.all(files.map((file) => file.text()));
    const text = files.length ? texts.join("\n---\n") : event.dataTransfer.getData("text");
    if (text) whatIf(`${files.map(({ name }) => name).join(", ") || "The dropped text"} came`, {}, text);
  });
}

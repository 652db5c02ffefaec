// A gang of a large cluster is judged in a hundred thousand domains: its document is read here, where that holds up no
// frame, and only what is shown goes to the page.

import { get } from "./api.js";
import { shortened } from "./nearest.js";

onmessage = async ({ data: { id, path, levels } }) => {
  try {
    postMessage({ id, doc: shortened(await get(path), levels) });
  } catch (error) {
    postMessage({ id, error: error.message, status: error.status });
  }
};

// Questions to the server.

const TIMEOUT_MS = 20000;

export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;  // 0: no answer at all
  }
}

const segments = (path) => path.map(encodeURIComponent).join("/");

let worker = null;
let asked = 0;
const answers = new Map();

// A gang's document, read and shortened by a worker.
export function getGang(path, levels) {
  if (!worker) {
    worker = new Worker("/page/worker.js", { type: "module" });
    worker.onmessage = ({ data: { id, doc, error, status } }) => {
      const { resolve, reject } = answers.get(id);
      answers.delete(id);
      if (doc) resolve(doc);
      else reject(new ApiError(status, error));
    };
  }
  worker.onerror = () => {
    for (const { reject } of answers.values()) reject(new ApiError(0, "the worker does not run"));
    answers.clear();
  };
  asked += 1;
  worker.postMessage({ id: asked, path: ["gangs", ...path], levels });
  return new Promise((resolve, reject) => answers.set(asked, { resolve, reject }));
}

export const get = (path, parameters, signal) => ask(path, parameters, { signal });
export const post = (path, parameters, body) => ask(path, parameters, { method: "POST", body });

async function ask(path, parameters = {}, { signal, ...options }) {
  const query = Object.entries(parameters)
    .filter(([, value]) => value !== undefined && value.length !== 0)
    .map(([name, value]) => `${name}=${Array.isArray(value) ? segments(value) : encodeURIComponent(value)}`)
    .join("&");
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), TIMEOUT_MS);
  signal?.addEventListener("abort", () => controller.abort());
  try {
    const answer = await fetch(`/debug/${segments(path)}${query ? `?${query}` : ""}`, { ...options, signal: controller.signal });
    const body = await answer.json().catch(() => null);
    if (!answer.ok || body === null) throw new ApiError(answer.status, body?.error ?? `HTTP ${answer.status}`);
    return body;
  } catch (error) {
    if (error instanceof ApiError || signal?.aborted) throw error;
    throw new ApiError(0, "the server does not answer");
  } finally {
    clearTimeout(timer);
  }
}

// Questions to the server.

const TIMEOUT_MS = 20000;

export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;  // 0: no answer at all
  }
}

const segments = (path) => path.map(encodeURIComponent).join("/");

export async function get(path, parameters = {}, signal) {
  const query = Object.entries(parameters)
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]) => `${name}=${Array.isArray(value) ? segments(value) : encodeURIComponent(value)}`)
    .join("&");
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), TIMEOUT_MS);
  signal?.addEventListener("abort", () => controller.abort());
  try {
    const answer = await fetch(`/debug/${segments(path)}${query ? `?${query}` : ""}`, { signal: controller.signal });
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

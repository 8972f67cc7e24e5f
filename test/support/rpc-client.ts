/** The barest JSON-RPC client over HTTP: what comes back is what the node sent. */

/** An error answer of the node. */
export interface RpcFailure {
  readonly code: number;
  readonly message: string;
}

/** Sends a request and returns what comes back. */
export async function post(url: string, body: string): Promise<string> {
  const headers = { "content-type": "application/json" };
  return await (await fetch(url, { method: "POST", headers, body })).text();
}

/** Calls a method and returns its result. Throws the error object of an error answer. */
export async function call(url: string, method: string, ...params: unknown[]): Promise<unknown> {
  const text = await post(url, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
  const answer = JSON.parse(text) as { result?: unknown; error?: RpcFailure };
  if (answer.error !== undefined) throw Object.assign(new Error(answer.error.message), answer.error);
  return answer.result;
}

/** Waits until `probe` gives something other than undefined; asks again every 20 ms. */
export async function until<T>(probe: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await probe();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

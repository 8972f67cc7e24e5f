/** Single JSON-RPC calls for setting up and checking; what is measured goes through the load tool. */

/** The result of a call. Throws when nobody listens or the node answers with an error. */
export async function ask<T>(url: string, method: string, params: readonly unknown[]): Promise<T> {
  const { result, error } = (await post(url, request(method, params))) as Reply<T>;
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result as T; // there is one or the other
}

/** The results of many calls of one method in one batch; an entry that failed is undefined. */
export async function askMany<T>(
  url: string,
  method: string,
  calls: readonly (readonly unknown[])[],
): Promise<readonly (T | undefined)[]> {
  const body = `[${calls.map((params, id) => request(method, params, id)).join(",")}]`;
  const replies = (await post(url, body)) as readonly Reply<T>[];
  const byId = new Map(replies.map((reply) => [reply.id, reply.result]));
  return calls.map((_, id) => byId.get(id));
}

/** The JSON text of a call. */
export function request(method: string, params: readonly unknown[], id = 1): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

interface Reply<T> {
  readonly id: number;
  readonly result?: T;
  readonly error?: { readonly message: string };
}

async function post(url: string, body: string): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  return (await fetch(url, { method: "POST", headers, body })).json();
}

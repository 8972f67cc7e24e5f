/** Calls of the node from a script, one after the other: the script waits for each answer. */

/** A call. */
export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Sends a JSON-RPC message and waits for the response. Throws without one. */
export type Transport = (message: string) => string;

interface Answer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: number; readonly message?: string; readonly data?: unknown };
}

/** Sends calls and parses responses. */
export class Requests {
  readonly #transport: Transport;
  readonly #json: Pick<JSON, "parse" | "stringify">;
  #id = 0;

  /** `json` is that of the scripts' realm, so that results are objects of that realm. */
  constructor(transport: Transport, json: Pick<JSON, "parse" | "stringify">) {
    this.#transport = transport;
    this.#json = json;
  }

  /** Returns the result. Throws an `Error` with the node's message, code and data. */
  send(call: RpcCall): unknown {
    return resultOf(this.#ask(this.#message(call)));
  }

  /** Returns the results or errors of all calls in order. */
  sendBatch(calls: readonly RpcCall[]): (() => unknown)[] {
    const messages = calls.map((call) => this.#message(call));
    const answers = this.#ask(messages);
    const list: readonly Answer[] = Array.isArray(answers) ? answers : [];
    return messages.map(({ id }) => {
      const answer = list.find((each) => each.id === id) ?? answers;
      return () => resultOf(answer);
    });
  }

  #ask(message: unknown): unknown {
    return this.#json.parse(this.#transport(this.#json.stringify(message)));
  }

  #message({ method, params }: RpcCall) {
    return { jsonrpc: "2.0", id: ++this.#id, method, params };
  }
}

function resultOf(answer: unknown): unknown {
  const { result, error } = (answer ?? {}) as Answer; // a node's answer: looked at, never trusted
  if (error === undefined && result !== undefined) return result;
  const message = error?.message ?? `Invalid JSON RPC response: ${JSON.stringify(answer)}`;
  const { code, data } = error ?? {};
  throw Object.assign(new Error(message), {
    ...(code !== undefined && { code }),
    ...(data !== undefined && { data }),
  });
}

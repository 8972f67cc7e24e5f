/** Calls of the node from a script, one after the other: the script waits for each answer. */

/** One call. */
export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Sends one JSON-RPC message as text and waits for the text of its answer. Throws when there is none. */
export type Transport = (message: string) => string;

interface Answer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: number; readonly message?: string; readonly data?: unknown };
}

/** Sends calls and reads their answers. */
export class Requests {
  readonly #transport: Transport;
  readonly #json: Pick<JSON, "parse" | "stringify">;
  #id = 0;

  /** `json`: that of the scripts' world, whose objects answers become. */
  constructor(transport: Transport, json: Pick<JSON, "parse" | "stringify">) {
    this.#transport = transport;
    this.#json = json;
  }

  /** The result. Throws an `Error` with the node's message, and its code and data beside it. */
  send(call: RpcCall): unknown {
    return resultOf(this.#ask(this.#message(call)));
  }

  /** The results or the errors of all calls in their order. */
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

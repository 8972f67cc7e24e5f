/** A registry without a chain behind it, and the recorded answers of a Go node whose facts it repeats. */

import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { blockReference } from "../../../node/calls/arguments/block-number.ts";
import { rpcProfiles } from "../../../node/compat/profiles.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { address, data, hash, numberQuantity, quantity } from "../../../node/jsonrpc/codecs/hex.ts";
import { text } from "../../../node/jsonrpc/codecs/plain.ts";
import { createEndpoint, type EndpointOptions, type RpcEndpoint } from "../../../node/jsonrpc/dispatch.ts";
import { createBudget } from "../../../node/jsonrpc/dispatch-budget.ts";
import { type Method, method } from "../../../node/jsonrpc/method.ts";
import { createRegistry } from "../../../node/jsonrpc/registry.ts";
import {
  NotificationPayload,
  type SubscribedConnection,
  type Subscriber,
  type Subscription,
  subscription,
} from "../../../node/jsonrpc/subscription.ts";

/** Recorded blocks and answers. */
export interface Recorded {
  readonly http: readonly {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly request: string;
    readonly status: number;
    readonly answerHeaders: Readonly<Record<string, string>>;
    readonly response: string;
  }[];
  readonly parameterErrors: readonly (readonly [method: string, params: unknown, message: string])[];
  readonly ipc: readonly { readonly request: string; readonly response: string; readonly varies: boolean }[];
  readonly ws: readonly (readonly ["send" | "recv", string])[];
}

/** Recorded responses; the file describes them itself. */
export const recorded = JSON.parse(readFileSync("test/vectors/rpc-transport.json", "utf8")) as Recorded;

/** A handler that the test lets go when it likes. */
export interface Gate {
  readonly method: Method;
  open(): void;
  readonly calls: number;
}

/** A method whose answers wait until the test opens the gate. */
export function gate(name: string): Gate {
  const waiting: (() => void)[] = [];
  let calls = 0;
  return {
    method: method({
      name,
      summary: "",
      params: {},
      result: text,
      handle: () => {
        calls++;
        return new Promise<string>((resolve) => waiting.push(() => resolve("late")));
      },
    }),
    open: () => {
      for (const go of waiting.splice(0)) go();
    },
    get calls() {
      return calls;
    },
  };
}

const RESULT = '","result":';

/** A subscriber that hands over the JSON of each result. */
export function aSubscriber(
  take: (json: string) => void,
  connection: SubscribedConnection = { cut: nothing },
): Subscriber {
  return { connection, notify: ({ rest }) => take(rest.slice(RESULT.length, -"}}\n".length)) };
}

/** A source of notifications that the test drives. */
export interface Ticker {
  readonly rows: readonly Subscription[];
  tick(payload: string): void;
  readonly listeners: number;
}

/** `newHeads` of both modules, `logs` with a required argument; ticks go to all. */
export function ticker(): Ticker {
  const listeners = new Set<(payload: string) => void>();
  const start = (notify: (payload: string) => void) => {
    listeners.add(notify);
    return () => listeners.delete(notify);
  };
  const row = (module: string, name: string) =>
    subscription({
      module,
      name,
      summary: "",
      params: {},
      notification: {},
      start: (_args, subscriber) => start((json) => subscriber.notify(new NotificationPayload(json))),
    });
  return {
    rows: [
      row("chain", "newHeads"),
      row("eth", "newHeads"),
      row("chain", "newPendingTransactions"),
      row("chain", "syncing"),
      row("admin", "peerEvents"),
    ],
    tick: (payload) => {
      for (const listener of listeners) listener(payload);
    },
    get listeners() {
      return listeners.size;
    },
  };
}

/** The methods that the recorded transport entries call. */
const methods: readonly Method[] = [
  method({ name: "net_version", summary: "", params: {}, result: text, handle: () => "13408" }),
  method({
    name: "chain_blockNumber",
    aliases: ["eth_blockNumber"],
    summary: "",
    params: {},
    result: numberQuantity,
    handle: () => 33,
  }),
  method({ name: "eth_chainId", summary: "", params: {}, result: numberQuantity, handle: () => 13_408 }),
  method({
    name: "chain_getBalance",
    aliases: ["eth_getBalance"],
    summary: "",
    params: { address, block: blockReference },
    result: quantity,
    handle: () => 5n,
  }),
  method({
    name: "web3_sha3",
    summary: "",
    params: { data },
    result: hash,
    handle: (args) => keccak256(args.data),
  }),
];

/** Defects fail the test. */
export function onBug(error: unknown): never {
  throw error;
}

function nothing(): void {
  return undefined;
}

/** An endpoint that serves everything, with further methods and subscriptions of the test's own. */
export function anEndpoint(
  more: {
    readonly methods?: readonly Method[];
    readonly subscriptions?: readonly Subscription[];
    readonly options?: Partial<EndpointOptions>;
    readonly profile?: keyof typeof rpcProfiles;
  } = {},
): RpcEndpoint {
  const registry = createRegistry(rpcProfiles[more.profile ?? "kaia"].options.interfaces);
  registry.add([...methods, ...(more.methods ?? [])]);
  registry.addSubscriptions(more.subscriptions ?? []);
  registry.seal();
  return createEndpoint({ view: registry.view("all"), budget: createBudget(), onBug, ...more.options });
}

/** A session that nothing can be pushed to. */
export const aSession = {
  signal: new AbortController().signal,
  subscriptions: undefined,
  caller: { onDrop: () => undefined },
};

/** The text of one call. */
export function aCall(name: string, params: unknown = [], id: unknown = 1): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method: name, params });
}

/** A bare socket that gathers what comes. */
export interface Peer extends AsyncDisposable {
  readonly socket: Socket;
  /** Bytes that have come so far. */
  readonly received: string;
  send(bytes: string | Uint8Array): void;
  /** Resolves with everything received once it passes the check. Rejects when the peer closes before. */
  until(check: (received: string) => boolean): Promise<string>;
  /** Resolves with everything received when the other side has closed. */
  closed(): Promise<string>;
}

/** Connects to `host:port` or a path. */
export async function aPeer(where: string): Promise<Peer> {
  const [, host, port] = /^(?:http:\/\/|ws:\/\/)?([\d.]+):(\d+)$/.exec(where) ?? [];
  const socket = host === undefined ? connect({ path: where }) : connect({ host, port: Number(port) });
  let received = "";
  let isClosed = false;
  let wake = nothing;
  const turn = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  socket.setEncoding("utf8");
  socket.on("data", (chunk: string) => {
    received += chunk;
    wake();
  });
  socket.on("error", () => wake());
  socket.on("close", () => {
    isClosed = true;
    wake();
  });
  const gone = new Promise((resolve) => socket.once("close", resolve));
  await new Promise((resolve) => socket.once("connect", resolve));
  return {
    socket,
    get received() {
      return received;
    },
    send: (bytes) => void socket.write(bytes),
    until: async (check) => {
      while (!check(received)) {
        if (isClosed) throw new Error(`closed after ${JSON.stringify(received)}`);
        await turn();
      }
      return received;
    },
    closed: async () => {
      await gone;
      return received;
    },
    [Symbol.asyncDispose]: async () => {
      socket.destroy();
      await gone;
    },
  };
}

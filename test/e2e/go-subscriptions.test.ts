/**
 * Subscriptions and filters beside the Go node: two validators, one of each program, are asked the same over WebSocket
 * while contracts log. Refusals, notifications and polled changes are equal. Needs the path of a Go core node (Kaia
 * 2.2.2) in KNIT_PEER_KCN.
 */
import { expect, jest } from "@jest/globals";
import { DEVELOPMENT_KEYS } from "../../node/accounts/development-keys.ts";
import { fromHex, toHex } from "../../node/bytes/hex.ts";
import { sign } from "../../node/crypto/secp256k1.ts";
import { signTransaction } from "../../node/model/transaction.ts";
import { CHAIN_ID, GAS_PRICE } from "../../scripts/network/genesis.ts";
import type { NetworkNode } from "../../scripts/network/network.ts";
import { freePorts } from "../../scripts/network/ports.ts";
import { GO_BINARY } from "../support/go-node.ts";
import { goTests } from "../support/go-peer.ts";
import { reachHeight } from "../support/network-answers.ts";
import { testNetworks } from "../support/test-network.ts";

jest.setTimeout(240_000);

const [needed, reason] = goTests();
const networks = testNetworks("go-subscriptions");
const MODULES = ["eth", "klay"];
const ROUNDS = 6;
const LOGGER = `0x${"10c0".padStart(40, "0")}`;
/** Logs its input with the topics 2 and 1: `CALLDATACOPY(0, 0, CALLDATASIZE) LOG2(0, CALLDATASIZE, 2, 1)`. */
const LOGGER_CODE = "0x36600060003760016002366000a2";
const topic = (value: number): string => `0x${value.toString(16).padStart(64, "0")}`;
/** Filters of logs, some of which select those of the contract, some nothing, and some of which are refused. */
const FILTERS: readonly unknown[] = [
  {},
  { address: LOGGER, topics: [topic(2)] },
  { topics: [topic(1)] },
  { address: [LOGGER], topics: [null, [topic(1), topic(3)]] },
  null,
  1,
  "x",
  [],
  { address: "0x12" },
  { address: [null] },
  { topics: "x" },
  { topics: [[1]] },
  { blockHash: topic(3) },
  { blockHash: topic(1), fromBlock: "0x1" },
  { topics: Array.from({ length: 5 }, () => topic(1)) },
  ...["latest", "pending", "earliest", "0x1", "0x5"].flatMap((fromBlock) =>
    [undefined, "latest", "pending", "0x1", "0x9999"].map((toBlock) => ({ fromBlock, toBlock })),
  ),
];
/** Parameters of subscriptions of other kinds, and of none. */
const OTHERS =
  `["newHeads"] ["newHeads",true] ["newHeads",{}] ["newPendingTransactions"] ["newPendingTransactions",true]
["newPendingTransactions",1] ["syncing"] ["newheads"] ["logs"] ["logs",{},5] [""] [null] [1] []`
    .split(/\s/)
    .map((text) => JSON.parse(text) as unknown[]);

/** A connection, with what was notified of each subscription. */
class Client {
  readonly #socket: WebSocket;
  readonly #answers = new Map<number, (answer: object) => void>();
  readonly #notified = new Map<string, unknown[]>();

  constructor(port: number) {
    this.#socket = new WebSocket(`ws://127.0.0.1:${port}`);
    this.#socket.addEventListener("message", ({ data }) => this.#take(String(data)));
  }

  async open(): Promise<void> {
    await new Promise((resolve) => this.#socket.addEventListener("open", resolve));
  }

  ask(method: string, ...params: readonly unknown[]): Promise<{ result?: unknown; error?: unknown }> {
    const id = this.#answers.size;
    this.#socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return new Promise((resolve) => this.#answers.set(id, resolve));
  }

  notified(subscription: unknown): readonly unknown[] {
    return this.#notified.get(String(subscription)) ?? [];
  }

  #take(text: string): void {
    const message = JSON.parse(text) as {
      id?: number;
      method?: string;
      params?: { subscription: string; result: unknown };
    };
    if (message.id !== undefined) this.#answers.get(message.id)?.(message);
    const { method, params } = message;
    if (params === undefined) return;
    const all = this.#notified.get(params.subscription) ?? [];
    this.#notified.set(params.subscription, [...all, { method, result: params.result }]);
  }
}

/** Both validators' connections. */
type Pair = readonly [go: Client, ours: Client];

/** Asks both the same; `differences` grows when they answer differently. Returns what both say, ids apart. */
async function askBoth(
  pair: Pair,
  differences: string[],
  method: string,
  ...params: readonly unknown[]
): Promise<readonly unknown[]> {
  const answers = await Promise.all(pair.map((client) => client.ask(method, ...params)));
  note(differences, `${method} ${JSON.stringify(params)}`, answers.map(withoutId));
  return answers.map(({ result }) => result);
}

function note(differences: string[], what: string, [go, ours]: readonly unknown[]): void {
  const [expected, found] = [JSON.stringify(go), JSON.stringify(ours)];
  if (expected !== found) differences.push(`${what}\n  ${expected}\n  ${found}`);
}

/** An answer whose new id, which is random, says only that it is one. */
function withoutId({ result, error }: { result?: unknown; error?: unknown }): unknown {
  const isId = typeof result === "string" && /^0x[0-9a-f]{1,32}$/.test(result);
  return { result: isId ? "an id" : result, error };
}

/** Each node signs with other seals: those of a header's extra data are left out. */
function withoutSeals(notified: unknown): unknown {
  const { method, result } = notified as { method: string; result: unknown };
  if (typeof result !== "object") return notified;
  return { method, result: { ...result, extraData: undefined } };
}

async function logOnBoth(nodes: readonly NetworkNode[]): Promise<void> {
  const key = DEVELOPMENT_KEYS[0] as Uint8Array;
  let nonce = 0n;
  for (let round = 0; round < ROUNDS; round++) {
    for (const node of nodes) {
      const price = { gasFeeCap: GAS_PRICE, gasTipCap: GAS_PRICE };
      const content = { nonce: nonce++, gas: 200_000n, ...price, value: 0n, to: fromHex(LOGGER) };
      const input = new Uint8Array(7 * round).fill(round);
      const tx = signTransaction({ code: 0, ...content, input }, BigInt(CHAIN_ID), (digest) =>
        sign(digest, key),
      );
      await node.ask("eth_sendRawTransaction", toHex(tx.raw));
    }
    await reachHeight(nodes, Number(await nodes[0]?.ask("eth_blockNumber")) + 1);
  }
  await reachHeight(nodes, Number(await nodes[0]?.ask("eth_blockNumber")) + 2);
}

/** Ids that both gave: those of subscriptions, and of filters with their module. */
interface Installed {
  readonly subscriptions: (readonly unknown[])[];
  readonly filters: [module: string, ids: readonly unknown[]][];
}

async function installAll(pair: Pair, differences: string[]): Promise<Installed> {
  const installed: Installed = { subscriptions: [], filters: [] };
  for (const module of MODULES) {
    for (const params of [...FILTERS.map((filter) => ["logs", filter]), ...OTHERS])
      installed.subscriptions.push(await askBoth(pair, differences, `${module}_subscribe`, ...params));
    for (const odd of [[], ["0x1"], [1], [null], ["zz"], [{}]])
      await askBoth(pair, differences, `${module}_unsubscribe`, ...odd);
    for (const filter of [[], ...FILTERS.map((each) => [each])])
      installed.filters.push([module, await askBoth(pair, differences, `${module}_newFilter`, ...filter)]);
  }
  return installed;
}

async function pollAll(pair: Pair, differences: string[], { filters }: Installed): Promise<void> {
  for (const [module, ids] of filters)
    for (const call of ["getFilterChanges", "getFilterLogs", "getFilterChanges", "uninstallFilter"]) {
      const answers = await Promise.all(pair.map((client, i) => client.ask(`${module}_${call}`, ids[i])));
      note(differences, `${module}_${call}`, answers.map(withoutId));
    }
}

/** Compares what was notified, as far as both have it: the newest block may have reached one alone. Returns how much. */
function compareNotified(pair: Pair, differences: string[], { subscriptions }: Installed): number {
  let compared = 0;
  for (const ids of subscriptions) {
    const both = pair.map((client, i) => client.notified(ids[i]).map(withoutSeals));
    const count = Math.min(...both.map(({ length }) => length));
    compared += count;
    note(
      differences,
      "notified",
      both.map((each) => each.slice(0, count)),
    );
  }
  return compared;
}

needed(`subscriptions and filters are the Go node's${reason}`, async () => {
  const ports = await freePorts(2);
  const ws = (place: number): string[] => ["--ws", "--wsport", `${ports[place]}`, "--wsapi", "eth,klay"];
  const { nodes } = await networks.open({
    size: { core: 2, proxy: 0, endpoint: 0 },
    go: { core: 1, binary: GO_BINARY },
    flags: ["--rpc.profile", "kaia"],
    flagsOf: ws,
    adapt: (genesis) => {
      const file = JSON.parse(genesis) as { alloc: object };
      return JSON.stringify({
        ...file,
        alloc: { ...file.alloc, [LOGGER]: { balance: "0x0", code: LOGGER_CODE } },
      });
    },
  });
  await reachHeight(nodes, 2);
  const [ours, go] = ports.map((port) => new Client(port)) as [Client, Client];
  await Promise.all([go.open(), ours.open()]);
  const pair = [go, ours] as const;
  const differences: string[] = [];
  const installed = await installAll(pair, differences);
  await logOnBoth(nodes);
  await pollAll(pair, differences, installed);
  const compared = compareNotified(pair, differences, installed);
  expect(differences).toEqual([]);
  expect(compared).toBeGreaterThan(100);
});

/** Measured quantities, one row each. A text instead of a figure gives the reason why a node has none. */
import { toHex } from "../../node/bytes/hex.ts";
import { toQuantity } from "../../node/bytes/integer.ts";
import { addressOfKey } from "../../node/crypto/secp256k1.ts";
import { TOKEN_ADDRESS, tokenTransfer } from "../../test/support/token.ts";
import { senderKey } from "../../test/support/transfer-chain.ts";
import { request } from "./ask.ts";
import type { Contents } from "./contents.ts";
import type { Group } from "./lanes.ts";
import type { LoadTool } from "./load.ts";
import type { RunningNode } from "./running.ts";
import { allMined, signTransfers } from "./transfers.ts";
import type { Wire } from "./wires.ts";

/** One node and how it is measured. */
export interface Subject {
  readonly node: RunningNode;
  readonly contents: Contents;
  readonly load: LoadTool;
  readonly measureMs: number;
  /** Live transfers of a row that sends some. */
  readonly transfers: number;
}

/** A figure, with whatever else was seen. */
export interface Figure {
  readonly value: number;
  readonly [more: string]: number;
}

/** One row of the report. */
export interface Row {
  readonly name: string;
  readonly unit: string;
  readonly isLessBetter?: boolean;
  /** Takes long: measured only when it is named, and once. */
  readonly isLong?: boolean;
  /** Leaves work behind in some nodes: measured after all that do not. */
  readonly sends?: boolean;
  measure(subject: Subject): Promise<Figure | string>;
}

const CONNECTIONS = 16;
const WARMUP_MS = 500;
const GROWTH_CALLS = 1_000_000;
const HOLDER = toHex(addressOfKey(senderKey(0)));
const blockNumber = request("eth_blockNumber", []);
const tokenCall = request("eth_call", [
  { from: HOLDER, to: toHex(TOKEN_ADDRESS), data: toHex(tokenTransfer(addressOfKey(senderKey(1)), 1)) },
  "latest",
]);

/** Every row, in the order they are run. */
export const rows: readonly Row[] = [
  calls("net_version", () => [request("net_version", [])]),
  calls("eth_blockNumber", () => [blockNumber]),
  calls("eth_getBalance", () => [request("eth_getBalance", [HOLDER, "latest"])]),
  calls("latest block", () => [request("eth_getBlockByNumber", ["latest", false])]),
  calls("block of 200", ({ block }) => [fullBlock(block)]),
  calls("different blocks", ({ different }) => different.map(fullBlock)),
  calls("receipt", ({ transaction }) => [receipt(transaction)]),
  calls("eth_call", () => [tokenCall]),
  calls("eth_getLogs", ({ logs }) => [request("eth_getLogs", [logs])]),
  calls("eth_getLogs recent", ({ recent }) => [request("eth_getLogs", [recent])]),
  calls("eth_getLogs windows", ({ recent }) =>
    windows(recent).map((range) => request("eth_getLogs", [range])),
  ),
  calls("receipt recent", ({ recentTransactions }) => recentTransactions.map(receipt)),
  calls("batch of 100", () => [batch(100)], { size: 100 }),
  calls("ws eth_blockNumber", () => [blockNumber], { wire: "ws" }),
  calls("ipc eth_blockNumber", () => [blockNumber], { wire: "ipc" }),
  calls("one connection", () => [blockNumber], { connections: 1 }),
  calls("one ws connection", () => [blockNumber], { wire: "ws", connections: 1 }),
  calls("one ipc socket", () => [blockNumber], { wire: "ipc", connections: 1 }),
  { name: "idle p99", unit: "ms", isLessBetter: true, measure: idle },
  { name: "busy p99", unit: "ms", isLessBetter: true, sends: true, measure: busy },
  { name: "transfers", unit: "1/s", sends: true, measure: transfers },
  { name: "growth", unit: "MiB", isLessBetter: true, isLong: true, measure: growth },
];

interface CallsShape {
  readonly wire?: Wire;
  /** Calls of each body. */
  readonly size?: number;
  readonly connections?: number;
}

/** Calls a second of one kind of request, over HTTP one by one unless said otherwise. */
function calls(
  name: string,
  bodiesFor: (contents: Contents) => readonly string[],
  { wire = "http", size = 1, connections = CONNECTIONS }: CallsShape = {},
): Row {
  const measure = async ({ node, contents, load, measureMs }: Subject): Promise<Figure | string> => {
    const target = node.targets[wire];
    const bodies = bodiesFor(contents);
    if (target === undefined) return `has no ${wire}`;
    if (bodies.length === 0) return "has no chain that was imported";
    const group: Group = { wire, target, bodies, connections };
    const cpuBefore = node.cpuSeconds();
    const { seconds, groups } = await load.run({ groups: [group], warmupMs: WARMUP_MS, measureMs });
    const cpu = node.cpuSeconds() - cpuBefore;
    const [result] = groups;
    if (result === undefined) throw new Error("the load tool measured nothing");
    const { all, answers, p50, p99 } = result;
    return { value: (answers * size) / seconds, p50, p99, cpuMicroseconds: (cpu * 1e6) / (all * size) };
  };
  return { name, unit: "1/s", measure };
}

function fullBlock(number: string): string {
  return request("eth_getBlockByNumber", [number, true]);
}

/** Many ranges within one, each of at least half its blocks. */
function windows({ fromBlock, toBlock }: Contents["recent"]): Contents["recent"][] {
  const [first, last] = [Number(fromBlock), Number(toBlock)];
  const quarter = Math.floor((last - first) / 4);
  return Array.from({ length: quarter * quarter }, (_, at) => ({
    fromBlock: toQuantity(first + Math.floor(at / quarter)),
    toBlock: toQuantity(last - (at % quarter)),
  }));
}

function receipt(transaction: string): string {
  return request("eth_getTransactionReceipt", [transaction]);
}

function batch(size: number): string {
  return `[${Array.from({ length: size }, (_, id) => request("eth_blockNumber", [], id)).join(",")}]`;
}

/** Eight clients that ask a hundred times a second each, of a node that does nothing else. */
async function idle({ node, load, measureMs }: Subject): Promise<Figure> {
  const group = probe(node, 8);
  const { groups } = await load.run({ groups: [group], warmupMs: WARMUP_MS, measureMs });
  const [result] = groups;
  return { value: result?.p99 ?? Number.NaN, p50: result?.p50 ?? Number.NaN };
}

function probe({ targets }: RunningNode, connections: number): Group {
  return { wire: "http", target: targets.http, bodies: [blockNumber], connections, restMs: 10 };
}

/** The same of a node that gets transfers as fast as it takes them and answers eight clients' contract calls. */
async function busy({ node, load, transfers: count }: Subject): Promise<Figure> {
  const { http } = node.targets;
  const { bodies, lastHashes } = await signTransfers(http, count);
  const stream: Group = { wire: "http", target: http, bodies, connections: 2, once: true };
  const looping: Group = { wire: "http", target: http, bodies: [tokenCall], connections: 8 };
  const { seconds, groups } = await load.run({
    groups: [stream, looping, probe(node, 8)],
    warmupMs: 0,
    measureMs: 0,
  });
  await allMined(http, lastHashes);
  const [, called, asked] = groups;
  return {
    value: asked?.p99 ?? Number.NaN,
    p50: asked?.p50 ?? Number.NaN,
    longest: asked?.longest ?? Number.NaN,
    callP99: called?.p99 ?? Number.NaN,
    callsPerSecond: (called?.answers ?? 0) / seconds,
    transfersPerSecond: count / seconds,
  };
}

/** Transfers a second from the first one sent to the last receipt. */
async function transfers({ node, load, transfers: count }: Subject): Promise<Figure> {
  const { http } = node.targets;
  const signed = await signTransfers(http, count);
  const started = performance.now();
  const stream: Group = {
    wire: "http",
    target: http,
    bodies: signed.bodies,
    connections: CONNECTIONS,
    once: true,
  };
  const { seconds } = await load.run({ groups: [stream], warmupMs: 0, measureMs: 0 });
  await allMined(http, signed.lastHashes);
  const all = (performance.now() - started) / 1000;
  return { value: signed.count / all, acceptedPerSecond: signed.count / seconds };
}

/** Resident memory after a million calls of many kinds, less what it was after the first fifth of them. */
async function growth({ node, contents, load }: Subject): Promise<Figure | string> {
  const { http } = node.targets;
  const bodies = [
    blockNumber,
    request("eth_getBalance", [HOLDER, "latest"]),
    request("eth_getBlockByNumber", ["latest", false]),
    request("eth_getTransactionReceipt", [contents.transaction]),
    request("net_version", []),
  ];
  const groups: Group[] = [{ wire: "http", target: http, bodies, connections: CONNECTIONS }];
  const memories: number[] = [];
  for (const count of [GROWTH_CALLS / 5, GROWTH_CALLS]) {
    await load.run({ groups, warmupMs: 0, measureMs: 0, count });
    const memory = node.memory();
    if (memory === undefined) return "has no memory that can be read here";
    memories.push(memory);
  }
  const [before = Number.NaN, after = Number.NaN] = memories;
  return { value: after - before, before, after };
}

/** Networks on loopback whose nodes are watched: when each of them has a block, and what they need meanwhile. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import {
  type Network,
  type NetworkNode,
  type NetworkOptions,
  openNetwork,
} from "../../scripts/network/network.ts";
import { freePorts } from "../../scripts/network/ports.ts";
import { cpuSeconds } from "./built-knit.ts";
import { median, report, roundTo } from "./figures.ts";

const BLOCKS = 60;
/** Blocks before the first that counts: a node runs for months, its first minutes are not what it is like. */
const WARM_BLOCKS = 120;
const COUNCIL_WARM_BLOCKS = 30;
const COUNCIL_BLOCKS = 30;

/** Arrival of a block at a node, in milliseconds since the epoch. */
interface Arrival {
  readonly node: string;
  readonly number: number;
  readonly madeMs: number;
  readonly atMs: number;
}

interface HeadNotice {
  readonly params?: { readonly result: { readonly number: string; readonly timestamp: string } };
}

/** Runs a network for some blocks and gives what its nodes told, and the processor time of each for a second. */
async function watch(
  network: Network,
  { warm = WARM_BLOCKS, blocks = BLOCKS } = {},
): Promise<{ arrivals: Arrival[]; cpu: number[] }> {
  const arrivals: Arrival[] = [];
  const stops = await Promise.all(
    network.nodes.map((node) => follow(node, (arrival) => arrivals.push(arrival))),
  );
  const reached = (number: number): Promise<void> => untilAll(arrivals, network.nodes.length, number);
  const first = Math.max(0, ...arrivals.map(({ number }) => number)) + warm;
  await reached(first);
  const times = network.nodes.map(({ pid }) => cpuSeconds(pid()));
  const started = performance.now();
  await reached(first + blocks);
  const seconds = (performance.now() - started) / 1000;
  const cpu = network.nodes.map(({ pid }, place) => (cpuSeconds(pid()) - (times[place] ?? 0)) / seconds);
  for (const stop of stops) stop();
  return { arrivals: arrivals.filter(({ number }) => number > first && number <= first + blocks), cpu };
}

/** Listens to a node's heads over its socket. */
async function follow(node: NetworkNode, tell: (arrival: Arrival) => void): Promise<() => void> {
  const socket = await untilConnected(node.socket);
  const lines = createInterface(socket).on("error", () => undefined); // the node has ended
  lines.on("line", (line) => {
    const atMs = performance.timeOrigin + performance.now();
    const head = (JSON.parse(line) as HeadNotice).params?.result;
    if (head === undefined) return;
    tell({ node: node.name, number: Number(head.number), madeMs: Number(head.timestamp) * 1000, atMs });
  });
  socket.write('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}\n');
  return () => void socket.destroy();
}

/** A node opens its socket after it has begun to answer over HTTP. */
async function untilConnected(path: string): Promise<Socket> {
  for (;;) {
    const socket = connect(path);
    try {
      await once(socket, "connect");
      return socket.on("error", () => undefined);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function untilAll(arrivals: readonly Arrival[], nodes: number, number: number): Promise<void> {
  const there = (): number =>
    new Set(arrivals.filter((each) => each.number >= number).map(({ node }) => node)).size;
  while (there() < nodes) await new Promise((resolve) => setTimeout(resolve, 100));
}

/** Measures the time of a block from the first node that has it to each other node. */
export async function benchPropagation({ scratch }: { readonly scratch: string }): Promise<void> {
  const size = { core: 1, proxy: 3, endpoint: 4 };
  await using network = await openNetwork({ size, directory: join(scratch, "mesh") });
  const { arrivals, cpu } = await watch(network);
  const firsts = new Map<number, number>();
  for (const { number, atMs } of arrivals) firsts.set(number, Math.min(atMs, firsts.get(number) ?? atMs));
  const others = arrivals.filter(({ node }) => node !== "core-0");
  const delays = others.map((each) => each.atMs - (firsts.get(each.number) ?? 0));
  const afterSecond = (type: string): number =>
    median(others.filter(({ node }) => node.startsWith(type)).map(({ atMs, madeMs }) => atMs - madeMs));
  report({
    bench: "propagation",
    nodes: network.nodes.length,
    p50Ms: roundTo(median(delays)),
    proxiesAfterSecondP50Ms: roundTo(afterSecond("proxy")),
    endpointsAfterSecondP50Ms: roundTo(afterSecond("endpoint")),
    mostMs: roundTo(Math.max(...delays)),
    idleCpuPercent: roundTo(median(cpu) * 100),
  });
}

const KCN = process.env["KNIT_PEER_KCN"];

/** Measures the time from a block's timestamp until its council has agreed on it. */
export async function benchConsensus({
  scratch,
  validators,
}: {
  readonly scratch: string;
  readonly validators: readonly number[];
}): Promise<void> {
  for (const [run, core] of validators.entries()) {
    await measureCouncil("knit", { size: councilOf(core), directory: join(scratch, `council-${run}`) });
    if (KCN === undefined) continue;
    const go = { core, binary: KCN };
    await measureCouncil("Go node", { size: councilOf(core), directory: join(scratch, `go-${run}`), go });
  }
}

function councilOf(core: number): NetworkOptions["size"] {
  return { core, proxy: 0, endpoint: 0 };
}

async function measureCouncil(program: string, terms: NetworkOptions): Promise<void> {
  const ports = await freePorts(terms.size.core);
  const flagsOf = (place: number): string[] => [...METRICS, "--prometheusport", String(ports[place])];
  await using network = await openNetwork({ ...terms, flagsOf });
  const agreed: number[] = [];
  const timer = setInterval(() => {
    for (const port of ports) void readQuorum(port).then((ms) => void (ms !== undefined && agreed.push(ms)));
  }, 1000);
  const { arrivals, cpu } = await watch(network, { warm: COUNCIL_WARM_BLOCKS, blocks: COUNCIL_BLOCKS });
  clearInterval(timer);
  const late = arrivals.map(({ atMs, madeMs }) => atMs - madeMs);
  report({
    bench: "consensus",
    program,
    validators: terms.size.core,
    enoughCommitsP50Ms: roundTo(median(agreed.slice(-COUNCIL_BLOCKS * terms.size.core))),
    afterItsSecondP50Ms: roundTo(median(late)),
    mostMs: roundTo(Math.max(...late)),
    cpuPercent: roundTo(median(cpu) * 100),
  });
}

const METRICS = ["--metrics", "--prometheus"];

/** Returns the time of the quorum of commits for the block before the newest, in milliseconds after mining began. */
async function readQuorum(port: number): Promise<number | undefined> {
  const text = await fetch(`http://127.0.0.1:${port}/metrics`).then(
    (answer) => answer.text(),
    () => "", // it has not begun to listen
  );
  const found = /^\S*vrank_commit_quorumreached\S* (\S+)$/m.exec(text)?.[1];
  return found === undefined || Number(found) === 0 ? undefined : Number(found) / 1e6;
}

/**
 * Four validators under fire: the mix of `bench/attack.ts` at each of them, and a good client each. With KNIT_PEER_KCN,
 * the path of a Go node's binary, two of them are Go nodes. One line of JSON: blocks, seconds without one, turns that a
 * validator missed (a block of a later round), whether all have one chain, and each validator's memory and waits of
 * its client. Ends with 1 when one of ours died, missed a turn or passed its limit, or when chains differ. Linux only.
 *
 *   npm run build && node bench/attack-council.ts [--max-memory 512MB] [--seconds 60 | --minutes 1]
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { toHex } from "../node/bytes/hex.ts";
import { toQuantity } from "../node/bytes/integer.ts";
import { byteSize } from "../node/options/kinds.ts";
import { agree } from "../scripts/network/heads.ts";
import { type Network, type NetworkNode, openNetwork } from "../scripts/network/network.ts";
import { freePorts } from "../scripts/network/ports.ts";
import { GO_BINARY } from "../test/support/go-node.ts";
import { loadAttack, MIX } from "./attack/attack.ts";
import { blockFigures } from "./attack/blocks.ts";
import { type GoodFigures, startGoodClient } from "./attack/good-client.ts";
import { type MemoryPeaks, watchMemory } from "./attack/memory.ts";
import { targetOf, webSocketFlags } from "./attack/network-target.ts";
import { startAttacker, stopProcess } from "./attack/processes.ts";
import { faultsOf, report } from "./support/figures.ts";

const VALIDATORS = 4;
const GO_VALIDATORS = GO_BINARY === "" ? 0 : 2;
const WARM_BLOCKS = 5;
const POLL_MS = 100;
const MEBIBYTE = 1 << 20;

const { values } = parseArgs({
  options: {
    "max-memory": { type: "string", default: "512MB" },
    seconds: { type: "string", default: "60" },
    minutes: { type: "string" },
  },
});
const seconds = values.minutes === undefined ? Number(values.seconds) : Number(values.minutes) * 60;
const limitMiB = byteSize.parse(values["max-memory"]) / MEBIBYTE;

const directory = await mkdtemp(join(tmpdir(), "knit-attack-council-"));
try {
  const ports = await freePorts(VALIDATORS);
  const attacks = await Promise.all(MIX.map(loadAttack));
  const flags = attacks.flatMap((attack) => attack.flags ?? []);
  await using network = await openNetwork({
    size: { core: VALIDATORS, proxy: 0, endpoint: 0 },
    directory,
    go: { core: GO_VALIDATORS, binary: GO_BINARY },
    flagsOf: (place) => [
      ...webSocketFlags(ports[place] ?? 0),
      ...flags,
      ...(isOurs(place) ? ["--max-memory", values["max-memory"]] : []),
    ],
  });
  await attackAll(network, ports);
} finally {
  await rm(directory, { recursive: true, force: true });
}

/** The last ones are Go nodes. */
function isOurs(place: number): boolean {
  return place < VALIDATORS - GO_VALIDATORS;
}

async function attackAll({ nodes }: Network, ports: readonly number[]): Promise<void> {
  const first = await reach(nodes, WARM_BLOCKS);
  const watched = nodes.map((node, place) => ({
    node,
    program: isOurs(place) ? "knit" : "Go node",
    memory: watchMemory(node.pid() ?? Number.NaN),
    client: startGoodClient(node.url),
  }));
  const attackers = nodes.flatMap((node, place) =>
    MIX.map((name) => startAttacker(name, targetOf(node, ports[place] ?? 0))),
  );
  await setTimeout(seconds * 1000);
  const validators = watched.map(({ node, program, memory, client }): ValidatorFigures => {
    return { program, isAlive: node.pid() !== undefined, ...client.stop(), ...memory.stop() };
  });
  await Promise.all(attackers.map(stopProcess));
  const [observer] = nodes as readonly [NetworkNode];
  const blocks = await blockFigures(observer.url, first);
  const turns = await missedTurns(nodes, { first, last: first + blocks.blocks });
  const isOneChain = await agree(nodes);
  const faults = councilFaults(validators, { ...turns, isOneChain });
  report({ bench: "attack-council", seconds, ...blocks, ...turns, isOneChain, validators, faults });
  if (faults.length > 0) process.exitCode = 1;
}

interface ValidatorFigures extends MemoryPeaks, GoodFigures {
  readonly program: string;
  readonly isAlive: boolean;
}

/** Blocks that came in a later round, by the program of the validator whose turn was the first. */
interface MissedTurns {
  readonly missedByKnit: number;
  readonly missedByGo: number;
}

async function reach(nodes: readonly NetworkNode[], number: number): Promise<number> {
  for (;;) {
    const heights = await Promise.all(nodes.map(({ ask }) => ask("eth_blockNumber")));
    if (heights.every((height) => Number(height) >= number)) return Math.max(...heights.map(Number));
    await setTimeout(POLL_MS);
  }
}

async function missedTurns(
  nodes: readonly NetworkNode[],
  { first, last }: { readonly first: number; readonly last: number },
): Promise<MissedTurns> {
  const missed = { missedByKnit: 0, missedByGo: 0 };
  const ours = new Set<string>(
    nodes.filter((_, place) => isOurs(place)).map(({ key }) => toHex(key.address)),
  );
  const [{ ask }] = nodes as readonly [NetworkNode];
  for (let number = first + 1; number <= last; number++) {
    const info = await ask("klay_getBlockWithConsensusInfoByNumber", toQuantity(number));
    const { round, originProposer } = info as { readonly round: number; readonly originProposer: string };
    if (round > 0) missed[ours.has(originProposer.toLowerCase()) ? "missedByKnit" : "missedByGo"]++;
  }
  return missed;
}

/** Bounds that do not hold. */
function councilFaults(
  validators: readonly ValidatorFigures[],
  { missedByKnit, isOneChain }: { readonly missedByKnit: number; readonly isOneChain: boolean },
): readonly string[] {
  const ours = validators.filter((_, place) => isOurs(place));
  return faultsOf([
    [ours.some(({ isAlive }) => !isAlive), "died"],
    [ours.some(({ peakOwnMiB }) => peakOwnMiB > limitMiB), "above its limit"],
    [missedByKnit > 0, "missed turns"],
    [!isOneChain, "different chains"],
  ]);
}

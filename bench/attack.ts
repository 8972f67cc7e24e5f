/**
 * A node under attack: a built node as a development chain, the named attacks from processes of their own, and a good
 * client of 20 requests a second. One line of JSON for each attack: whether the node lives, its blocks, its memory and
 * what the good client waited. Ends with 1 when the node died, left out a second, passed its limit, or when the p99 of
 * the good client was a quarter of a second or more. `--together` runs all named attacks at once; `mix` stands for four
 * hostile peers, 24 hostile HTTP clients and 100 subscribers that read nothing, together. With `--go` the node is the Go
 * node that KNIT_PEER_KCN names, the only validator of its chain. Linux only.
 *
 *   npm run build && node bench/attack.ts NAME... [--max-memory 512MB | --go] [--seconds 60 | --minutes 1] [--together]
 */
import { readdirSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { byteSize } from "../node/options/kinds.ts";
import { ATTACKS, type AttackFigures, loadAttack, MIXES } from "./attack/attack.ts";
import { type BlockFigures, blockFigures, newestBlock } from "./attack/blocks.ts";
import { startGoVictim } from "./attack/go-victim.ts";
import { startGoodClient } from "./attack/good-client.ts";
import type { GoodPeerFigures } from "./attack/good-peer.ts";
import { type MemoryPeaks, watchMemory } from "./attack/memory.ts";
import { startAttacker, startGoodPeer, stopProcess } from "./attack/processes.ts";
import { startVictim, type Victim } from "./attack/victim.ts";
import { faultsOf, report } from "./support/figures.ts";

const SAMPLE_MS = 50;
const SETTLE_MS = 2_000;
const MAX_P99_MS = 250;
const MAX_PEER_MS = 1_000;
const MEBIBYTE = 1 << 20;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    "max-memory": { type: "string" },
    seconds: { type: "string", default: "60" },
    minutes: { type: "string" },
    together: { type: "boolean", default: false },
    go: { type: "boolean", default: false },
  },
});
const limit = values["max-memory"];
const runSeconds = values.minutes === undefined ? Number(values.seconds) : Number(values.minutes) * 60;

if (positionals.length === 0) await list();
else if (values.together) await attack(positionals.flatMap((name) => MIXES[name] ?? [name]));
else for (const name of positionals) await attack(MIXES[name] ?? [name]);

async function list(): Promise<void> {
  for (const file of readdirSync(ATTACKS).sort()) {
    const name = file.slice(0, -".ts".length);
    process.stdout.write(`${name.padEnd(20)} ${(await loadAttack(name)).summary}\n`);
  }
}

async function attack(names: readonly string[]): Promise<void> {
  const attacks = await Promise.all(names.map(loadAttack));
  const flags = attacks.flatMap((each) => each.flags ?? []);
  await using victim = await (values.go ? startGoVictim(flags) : startVictim({ maxMemory: limit, flags }));
  const peer = attacks.some(({ watchesPeer }) => watchesPeer)
    ? await startGoodPeer(victim.target)
    : undefined;
  const client = startGoodClient(victim.target.http);
  await setTimeout(SETTLE_MS); // the first requests of a node compile its code
  client.stop();
  const first = await newestBlock(victim.target.http);
  const seen = await watchAttack(victim, names);
  const blocks = await blockFigures(victim.target.http, first).catch(() => undefined);
  const good = peer && ((await stopProcess(peer)) as GoodPeerFigures | undefined);
  const last = first + (blocks?.blocks ?? 0);
  const verdict = [...faults(seen, blocks), ...(peer === undefined ? [] : peerFaults(good, last))];
  report({
    bench: "attack",
    program: values.go ? "Go node" : "knit",
    attack: names.join("+"),
    maxMemory: limit ?? "none",
    ...seen,
    ...blocks,
    ...good,
    faults: verdict,
  });
  if (verdict.length > 0) process.exitCode = 1;
}

/** Observations from outside the node. */
interface Sightings extends MemoryPeaks {
  readonly seconds: number;
  readonly death: string | undefined;
  readonly p99Ms: number;
}

async function watchAttack(victim: Victim, names: readonly string[]): Promise<Sightings> {
  const startedAt = performance.now();
  const memory = watchMemory(victim.pid);
  const client = startGoodClient(victim.target.http);
  const attackers = names.map((name) => startAttacker(name, victim.target));
  const endAt = startedAt + runSeconds * 1000;
  while (performance.now() < endAt && victim.death() === undefined) await setTimeout(SAMPLE_MS);
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  const good = client.stop();
  const peaks = memory.stop();
  const death = victim.death();
  const figures = await Promise.all(
    attackers.map((child) => stopProcess(child) as Promise<AttackFigures | undefined>),
  );
  const attackersDid = Object.fromEntries(names.map((name, i) => [name, figures[i]]));
  return { seconds, death, ...peaks, ...good, ...attackersDid };
}

/** Faults that a good peer observed; the last two blocks may be in transit. */
function peerFaults(peer: GoodPeerFigures | undefined, head: number): readonly string[] {
  return faultsOf([
    [peer?.peerConnected !== true || peer.peerDropped > 0, "good peer dropped"],
    [(peer?.peerHead ?? 0) < head - 2, "good peer behind"],
    [peer !== undefined && peer.peerMaxMs >= MAX_PEER_MS, "slow for a good peer"],
  ]);
}

/** Bounds that do not hold. */
function faults(seen: Sightings, blocks: BlockFigures | undefined): readonly string[] {
  const limitMiB = limit === undefined || limit === "0" ? undefined : byteSize.parse(limit) / MEBIBYTE;
  return faultsOf([
    [seen.death !== undefined, "died"],
    [seen.death === undefined && blocks === undefined, "silent"],
    [(blocks?.secondsWithout ?? 0) > 0, "seconds without a block"],
    [limitMiB !== undefined && seen.peakOwnMiB > limitMiB, "above its limit"],
    [seen.p99Ms >= MAX_P99_MS, "slow for a good client"],
  ]);
}

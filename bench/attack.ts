/**
 * A node under attack: a built node as a development chain, the named attacks from processes of their own, and a good
 * client of 20 requests a second. One line of JSON for each attack: whether the node lives, its blocks, its memory and
 * what the good client waited. Ends with 1 when the node died, left out a second, passed its limit, or when the p99 of
 * the good client was a quarter of a second or more. `--together` runs all named attacks at once; `mix` stands for four
 * hostile peers, 24 hostile HTTP clients and 100 subscribers that read nothing, together. Linux only.
 *
 *   npm run build && node bench/attack.ts NAME... [--max-memory 512MB] [--seconds 60 | --minutes 1] [--together]
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { byteSize } from "../node/options/kinds.ts";
import { ATTACKS, type AttackFigures, type AttackTarget, loadAttack } from "./attack/attack.ts";
import { type BlockFigures, blockFigures, newestBlock } from "./attack/blocks.ts";
import { startGoodClient } from "./attack/good-client.ts";
import type { GoodPeerFigures } from "./attack/good-peer.ts";
import { startVictim, type Victim } from "./attack/victim.ts";
import { sampleOf } from "./soak/samples.ts";
import { report } from "./support/figures.ts";

const GOOD_PEER = fileURLToPath(new URL("attack/good-peer.ts", import.meta.url));
const ATTACKER = fileURLToPath(new URL("attack/attacker.ts", import.meta.url));
const SAMPLE_MS = 50;
const SETTLE_MS = 2_000;
/** An attacker that does not tell its figures by then is ended without. */
const REPORT_MS = 5_000;
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
  },
});
const limit = values["max-memory"];
const runSeconds = values.minutes === undefined ? Number(values.seconds) : Number(values.minutes) * 60;
/** Attacks that are one command together. */
const MIXES: Readonly<Record<string, readonly string[]>> = {
  mix: ["stranger-peers", "stranger-clients", "stranger-subscribers"],
};

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
  await using victim = await startVictim({
    maxMemory: limit,
    flags: attacks.flatMap(({ flags = [] }) => flags),
  });
  const peer = attacks.some(({ watchesPeer }) => watchesPeer) ? await startGoodPeer(victim) : undefined;
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
interface Sightings {
  readonly seconds: number;
  readonly death: string | undefined;
  readonly peakMiB: number;
  /** Without pages of files. */
  readonly peakOwnMiB: number;
  /** Own memory at ten moments, evenly spread. */
  readonly ownMiB: readonly number[];
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

function startAttacker(name: string, target: AttackTarget): ChildProcess {
  return fork(ATTACKER, [name, JSON.stringify(target)], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
}

/** Resolves when it is connected. */
async function startGoodPeer({ target }: Victim): Promise<ChildProcess> {
  const child = fork(GOOD_PEER, [JSON.stringify(target)], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  await once(child, "message");
  return child;
}

/** Ends an attacker or the good peer; what it tells of itself. */
async function stopProcess(child: ChildProcess): Promise<unknown> {
  if (child.exitCode !== null || child.signalCode !== null) return undefined;
  const reported = once(child, "message").then(([figures]: unknown[]) => figures);
  const gone = once(child, "exit");
  child.send("stop");
  const figures = await Promise.race([reported, setTimeout(REPORT_MS, undefined, { ref: false })]);
  child.kill("SIGKILL");
  await gone;
  return figures;
}

function watchMemory(pid: number) {
  const own: number[] = [];
  let peak = 0;
  const timer = setInterval(() => {
    try {
      const sample = sampleOf(pid);
      if (Number.isNaN(sample.own)) return; // it is dead and not yet buried
      own.push(Math.round(sample.own / MEBIBYTE));
      peak = Math.max(peak, Math.round(sample.resident / MEBIBYTE));
    } catch {
      // it has just died
    }
  }, SAMPLE_MS);
  return {
    stop: () => {
      clearInterval(timer);
      const moments = Array.from(
        { length: 10 },
        (_, i) => own[Math.ceil(((i + 1) * own.length) / 10) - 1] ?? 0,
      );
      return { peakMiB: peak, peakOwnMiB: Math.max(0, ...own), ownMiB: moments };
    },
  };
}

/** Faults that a good peer observed; the last two blocks may be in transit. */
function peerFaults(peer: GoodPeerFigures | undefined, head: number): readonly string[] {
  const all: readonly (readonly [boolean, string])[] = [
    [peer?.peerConnected !== true || peer.peerDropped > 0, "good peer dropped"],
    [(peer?.peerHead ?? 0) < head - 2, "good peer behind"],
    [peer !== undefined && peer.peerMaxMs >= MAX_PEER_MS, "slow for a good peer"],
  ];
  return all.filter(([isFault]) => isFault).map(([, fault]) => fault);
}

/** Bounds that do not hold. */
function faults(seen: Sightings, blocks: BlockFigures | undefined): readonly string[] {
  const limitMiB = limit === undefined || limit === "0" ? undefined : byteSize.parse(limit) / MEBIBYTE;
  const all: readonly (readonly [boolean, string])[] = [
    [seen.death !== undefined, "died"],
    [seen.death === undefined && blocks === undefined, "silent"],
    [(blocks?.secondsWithout ?? 0) > 0, "seconds without a block"],
    [limitMiB !== undefined && seen.peakOwnMiB > limitMiB, "above its limit"],
    [seen.p99Ms >= MAX_P99_MS, "slow for a good client"],
  ];
  return all.filter(([isFault]) => isFault).map(([, fault]) => fault);
}

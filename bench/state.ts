/**
 * The state part of blocks of 500 transfers: world, trie, batch, synced write, flush each 16 blocks. Prints one
 * JSON object. `node bench/state.ts [accounts] [blocks] [flush interval]`; without arguments 20,000 and 200,000.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fixedBytes } from "../node/bytes/integer.ts";
import { keccak256 } from "../node/crypto/keccak.ts";
import { openState } from "../node/state/open-state.ts";
import type { State } from "../node/state/state.ts";
import { trieDirectories } from "../node/state/trie-stores.ts";
import type { World } from "../node/state/world.ts";
import { openLevelStore } from "../node/store/level-store.ts";
import type { Store } from "../node/store/store.ts";

const TRANSFERS = 500;
const FEE = 25_000_000_000n * 21_000n;

interface Node {
  readonly chain: Store;
  readonly state: State;
}

const bytesWritten = (): number =>
  Number(/wchar: (\d+)/.exec(readFileSync("/proc/self/io", "latin1"))?.[1] ?? 0);
const quantile = (sorted: readonly number[], q: number): number =>
  Math.round((sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0) * 10) / 10;

async function makeBlock({ chain, state }: Node, change: (world: World) => void): Promise<void> {
  const world = state.begin();
  change(world);
  const number = state.number + 1;
  state.seal(world, { keepEmpty: number === 0 });
  const batch = chain.createBatch();
  state.accept(number, batch);
  await chain.write(batch, { sync: true });
  state.persisted(number);
  await state.flushIfDue();
}

async function close({ chain, state }: Node): Promise<void> {
  await state[Symbol.asyncDispose]();
  await chain[Symbol.asyncDispose]();
}

async function measure(accounts: number, blocks: number, flushInterval: number): Promise<object> {
  const directory = mkdtempSync(join(tmpdir(), "knit-bench-"));
  const open = async (): Promise<Node> => {
    const chain = await openLevelStore(join(directory, "chain"));
    const trie = trieDirectories(join(directory, "trie"));
    return { chain, state: await openState({ chain, trie, flushInterval }) };
  };
  const addresses = Array.from({ length: accounts }, (_, i) => keccak256(fixedBytes(i, 4)).slice(12));
  const address = (i: number): Uint8Array => addresses[i % accounts] ?? new Uint8Array(20);
  const author = new Uint8Array(20).fill(7);
  let node = await open();
  await makeBlock(node, (world) => {
    for (const one of addresses) world.addBalance(one, 10n ** 24n);
  });
  await node.state.flush();
  const times: number[] = [];
  let seed = 1;
  const random = (): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed >>> 3;
  };
  const written = bytesWritten();
  const cpu = process.threadCpuUsage();
  const started = performance.now();
  for (let n = 0; n < blocks; n++) {
    const begun = performance.now();
    await makeBlock(node, (world) => {
      for (let i = 0; i < TRANSFERS; i++) {
        const sender = address(random());
        const nonce = world.nonce(sender);
        if (world.balance(sender) < FEE + 1n) throw new Error("a sender ran dry");
        world.subtractBalance(sender, FEE + 1n);
        world.setNonce(sender, nonce + 1n);
        world.addBalance(address(random()), 1n);
        world.endTransaction();
      }
      world.addBalance(author, FEE * BigInt(TRANSFERS));
    });
    times.push(performance.now() - begun);
  }
  await node.state.flush();
  const elapsed = performance.now() - started;
  const { user, system } = process.threadCpuUsage(cpu);
  const kilobytes = (bytesWritten() - written) / 1000 / blocks;
  await close(node);
  const reopening = performance.now();
  node = await open();
  await node.state.ready;
  const reopened = performance.now() - reopening;
  const { strayNodes } = await node.state.verify();
  await close(node);
  rmSync(directory, { recursive: true });
  times.sort((a, b) => a - b);
  return {
    accounts,
    blocks,
    flushInterval,
    transfersPerSecond: Math.round((TRANSFERS * blocks * 1000) / elapsed),
    blockMs: { p50: quantile(times, 0.5), p99: quantile(times, 0.99) },
    mainThreadMsPerBlock: Math.round((user + system) / 100 / blocks) / 10,
    kilobytesPerBlock: Math.round(kilobytes),
    reopenMs: Math.round(reopened),
    strayNodes,
    residentMegabytes: Math.round(process.memoryUsage.rss() / 1e6),
  };
}

const [accounts, blocks = 200, interval = 16] = process.argv.slice(2).map(Number);
const sizes = accounts === undefined ? [20_000, 200_000] : [accounts];
const results: object[] = [];
for (const size of sizes) results.push(await measure(size, blocks, interval));
console.log(JSON.stringify({ bench: "state", transfersPerBlock: TRANSFERS, results }, undefined, 2));

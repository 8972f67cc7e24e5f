/**
 * The state part of blocks of 500 transfers: world, trie, batch, synced write, flush each 16 blocks; and of blocks that
 * write 2,000 slots of 20 contracts. Prints one JSON object.
 * `node bench/state.ts [accounts] [blocks] [flush interval]`; without arguments 20,000 and 200,000.
 */
import { bytesWritten } from "./support/built-knit.ts";
import { TransferState } from "./support/transfer-state.ts";

const TRANSFERS = 500;
const CONTRACTS = 20;
const SLOTS = 100;

const quantile = (sorted: readonly number[], q: number): number =>
  Math.round((sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0) * 10) / 10;

interface Timed {
  readonly perSecond: number;
  readonly blockMs: { readonly p50: number; readonly p99: number };
  readonly mainThreadMsPerBlock: number;
  readonly kilobytesPerBlock: number;
}

/** Runs blocks of `size` changes and flushes at the end. */
async function timeRun(
  on: TransferState,
  { blocks, size }: { readonly blocks: number; readonly size: number },
  makeBlock: (n: number) => Promise<void>,
): Promise<Timed> {
  const times: number[] = [];
  const written = bytesWritten();
  const cpu = process.threadCpuUsage();
  const started = performance.now();
  for (let n = 0; n < blocks; n++) {
    const begun = performance.now();
    await makeBlock(n);
    times.push(performance.now() - begun);
  }
  await on.state.flush();
  const elapsed = performance.now() - started;
  const { user, system } = process.threadCpuUsage(cpu);
  times.sort((a, b) => a - b);
  return {
    perSecond: Math.round((size * blocks * 1000) / elapsed),
    blockMs: { p50: quantile(times, 0.5), p99: quantile(times, 0.99) },
    mainThreadMsPerBlock: Math.round((user + system) / 100 / blocks) / 10,
    kilobytesPerBlock: Math.round((bytesWritten() - written) / 1000 / blocks),
  };
}

async function measure(accounts: number, blocks: number, flushInterval: number): Promise<object> {
  const on = new TransferState({ accounts, settings: { flushInterval } });
  await on.open();
  await on.begin();
  const transfers = await timeRun(
    on,
    { blocks, size: TRANSFERS },
    async () => void (await on.transfers(TRANSFERS)),
  );
  const slots = await timeRun(on, { blocks: blocks / 4, size: CONTRACTS * SLOTS }, async (n) => {
    await on.makeBlock((world) => {
      for (let c = 0; c < CONTRACTS; c++) {
        const contract = new Uint8Array(20).fill(100 + c);
        world.setNonce(contract, BigInt(n + 1));
        // half of them are new slots, half are those of the block before
        for (let s = 0; s < SLOTS; s++) world.setSlot(contract, BigInt((n * SLOTS) / 2 + s), BigInt(n + 1));
        world.endTransaction();
      }
    });
  });
  await on.close();
  const reopening = performance.now();
  await on.open();
  await on.state.ready;
  const reopenMs = Math.round(performance.now() - reopening);
  const { strayNodes, straySlots } = await on.state.verify();
  await on.close();
  on.remove();
  const residentMegabytes = Math.round(process.memoryUsage.rss() / 1e6);
  return {
    accounts,
    blocks,
    flushInterval,
    transfers,
    slots,
    reopenMs,
    strayNodes,
    straySlots,
    residentMegabytes,
  };
}

const [accounts, blocks = 200, interval = 16] = process.argv.slice(2).map(Number);
const sizes = accounts === undefined ? [20_000, 200_000] : [accounts];
const results: object[] = [];
for (const size of sizes) results.push(await measure(size, blocks, interval));
console.log(JSON.stringify({ bench: "state", transfersPerBlock: TRANSFERS, results }, undefined, 2));

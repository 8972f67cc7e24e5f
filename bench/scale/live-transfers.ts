/** Transfers for a running validator: signed beforehand, then sent a few at a time, so that blocks are full. */
import { setTimeout } from "node:timers/promises";
import { toHex } from "../../node/bytes/hex.ts";
import { askMany } from "../rpc/ask.ts";
import { FIRST_FRESH, grownSenders, Transfers } from "../support/grown-chain.ts";

/** Transfers of a request; ten requests a second. */
const BATCH = 50;
const BATCH_MS = 100;
/** Calls of a request for nonces. */
const NONCES = 500;

/** Requests of transfers that are ready to be sent. */
export type SignedBatches = readonly (readonly string[])[];

/** Signs transfers of 500 a second, on the nonces of the node's newest block, to accounts anywhere in the state. */
export async function signTransfers(url: string, accounts: number, seconds: number): Promise<SignedBatches> {
  const senders = grownSenders().map((address) => toHex(address));
  const nonces = new Map<string, bigint>();
  for (let first = 0; first < senders.length; first += NONCES) {
    const some = senders.slice(first, first + NONCES);
    const calls = some.map((sender) => [sender, "latest"]);
    const found = await askMany<string>(url, "eth_getTransactionCount", calls);
    for (const [i, sender] of some.entries()) nonces.set(sender, BigInt(found[i] ?? 0));
  }
  const transfers = new Transfers((address) => nonces.get(toHex(address)) ?? 0n, FIRST_FRESH);
  const one = (): string => toHex(transfers.next(accounts).raw);
  const batches = Math.ceil((seconds * 1000) / BATCH_MS);
  return Array.from({ length: batches }, () => Array.from({ length: BATCH }, one));
}

/** Transfers that are being sent. Disposing ends that; throws when the node has refused one, or none were left. */
export function sendSteadily(url: string, batches: SignedBatches): AsyncDisposable {
  const ending = new AbortController();
  const sent = send(url, batches, ending.signal);
  sent.catch(() => undefined); // it is told when it is disposed of
  return {
    async [Symbol.asyncDispose]() {
      ending.abort();
      await sent;
    },
  };
}

async function send(url: string, batches: SignedBatches, signal: AbortSignal): Promise<void> {
  let due = performance.now();
  for (const batch of batches) {
    if (signal.aborted) return;
    const calls = batch.map((raw) => [raw]);
    const hashes = await askMany<string>(url, "eth_sendRawTransaction", calls);
    if (hashes.includes(undefined)) throw new Error("the node refused a transfer");
    due += BATCH_MS;
    await setTimeout(Math.max(0, due - performance.now()));
  }
  if (!signal.aborted) throw new Error("more transfers were wanted than were signed");
}

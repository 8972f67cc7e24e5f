/** Transfers signed beforehand, and the wait until a node has mined them. */
import { toHex } from "../../node/bytes/hex.ts";
import { toQuantity } from "../../node/bytes/integer.ts";
import { addressOfKey, sign } from "../../node/crypto/secp256k1.ts";
import { signTransaction } from "../../node/model/transaction.ts";
import { TOKEN_ADDRESS, tokenTransfer } from "../../test/support/token.ts";
import { senderKey } from "../../test/support/transfer-chain.ts";
import { askMany, request } from "./ask.ts";
import { CHAIN_ID } from "./targets.ts";

/** Accounts that send live transfers. */
export const SENDERS = 200;
/** Enough for every fork and every peer. */
const PRICE = 750_000_000_000n;
const BATCH = 50;
const POLL_MS = 20;
/** Without a single new receipt. */
const PATIENCE_MS = 20_000;

/** Transactions ready to be sent: JSON-RPC batches, and the hashes of the last one of every sender. */
export interface SignedTransfers {
  readonly count: number;
  readonly bodies: readonly string[];
  readonly lastHashes: readonly string[];
}

/** Addresses of the senders. */
export function senderAddresses(): readonly Uint8Array[] {
  return Array.from({ length: SENDERS }, (_, place) => addressOfKey(senderKey(place)));
}

/** Signs transfers from all senders in turn, with the nonces that follow those of the chain at `url`. */
export async function signTransfers(url: string, count: number): Promise<SignedTransfers> {
  const each = Math.ceil(count / SENDERS);
  const nonces = await nextNonces(url);
  const raws: string[] = [];
  const lastHashes: string[] = [];
  for (let turn = 0; turn < each; turn++) {
    for (let place = 0; place < SENDERS; place++) {
      const tx = transfer(place, (nonces[place] ?? 0) + turn);
      raws.push(toHex(tx.raw));
      if (turn === each - 1) lastHashes.push(toHex(tx.hash));
    }
  }
  return { count: raws.length, bodies: batches(raws), lastHashes };
}

/** Transfers of tokens by the first sender, as bytes to send in this order. */
export async function signTokenTransfers(url: string, count: number): Promise<readonly string[]> {
  const [first = 0] = await nextNonces(url);
  const input = tokenTransfer(addressOfKey(senderKey(1)), 1);
  return Array.from({ length: count }, (_, at) => {
    const nonce = BigInt(first + at);
    return toHex(signTransfer(0, { nonce, gas: 100_000n, to: TOKEN_ADDRESS, value: 0n, input }).raw);
  });
}

/** Resolves when all have their receipt. Throws when no further one gets it for a while. */
export async function allMined(url: string, hashes: readonly string[]): Promise<void> {
  let until = performance.now() + PATIENCE_MS;
  let left = hashes;
  while (left.length > 0) {
    if (performance.now() > until) throw new Error(`${left.length} senders wait for their last receipt`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const receipts = await askMany<object>(
      url,
      "eth_getTransactionReceipt",
      left.map((hash) => [hash]),
    );
    const waiting = left.filter((_, at) => receipts[at] === null || receipts[at] === undefined);
    if (waiting.length < left.length) until = performance.now() + PATIENCE_MS;
    left = waiting;
  }
}

async function nextNonces(url: string): Promise<readonly number[]> {
  const calls = senderAddresses().map((address) => [toHex(address), "latest"]);
  return (await askMany<string>(url, "eth_getTransactionCount", calls)).map(Number);
}

function transfer(place: number, nonce: number) {
  const to = addressOfKey(senderKey(SENDERS + place));
  return signTransfer(place, { nonce: BigInt(nonce), gas: 21_000n, to, value: 1n, input: new Uint8Array(0) });
}

interface Sent {
  readonly nonce: bigint;
  readonly gas: bigint;
  readonly to: Uint8Array;
  readonly value: bigint;
  readonly input: Uint8Array;
}

function signTransfer(place: number, what: Sent) {
  const draft = { code: 0, gasFeeCap: PRICE, gasTipCap: PRICE, ...what };
  return signTransaction(draft, BigInt(CHAIN_ID), (digest) => sign(digest, senderKey(place)));
}

function batches(raws: readonly string[]): string[] {
  const bodies: string[] = [];
  for (let at = 0; at < raws.length; at += BATCH) {
    const calls = raws.slice(at, at + BATCH).map((raw, id) => request("eth_sendRawTransaction", [raw], id));
    bodies.push(`[${calls.join(",")}]`);
  }
  return bodies;
}

/** Ten thousand coins. */
export const BALANCE: string = toQuantity(10_000n * 10n ** 18n);

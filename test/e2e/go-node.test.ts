/**
 * The Go node judges blocks made here: a chain of every fork level is imported by it, so headers, seals, roots,
 * base fees, fees and rewards are what it computes itself. Needs its binary: KNIT_PEER_KCN.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { forks } from "../../node/config/forks.ts";
import { addressOfKey, sign } from "../../node/crypto/secp256k1.ts";
import { assembleTransaction, signTransaction, type Transaction } from "../../node/model/transaction.ts";
import { signAsFeePayer } from "../../node/model/transaction-signers.ts";
import { hasGoNode, importWithGoNode } from "../support/go-node.ts";
import { CHAIN_ID, makeTransferChain, senderKey } from "../support/transfer-chain.ts";

const ETHEREUM_TYPES = [0, 0x7801, 0x7802];
/** Randomness and what came after it need contracts in the genesis, which chains made here do not have. */
const levels = forks.filter(({ ordered, changes }) => ordered && !changes.randao && !changes.blobGas);
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-go-node-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const judged = hasGoNode ? test : test.skip;
const reason = hasGoNode ? "" : " (skipped: KNIT_PEER_KCN names no Go node)";

judged.each([
  ["no fork", 0, {}],
  ...levels.map(({ name }, i) => [name, i + 1, {}] as [string, number, object]),
  ["no fork, fees at once", 0, { deferredTxFee: false }],
  ["all forks, fees at once", levels.length, { deferredTxFee: false }],
] as [string, number, object][])(
  `the Go node imports a chain made here: %s${reason}`,
  async (name, count, reward) => {
    const active = levels.slice(0, count).map(({ configKey }) => configKey);
    const config = Object.fromEntries(active.map((key) => [key, 0]));
    const types = active.includes("ethTxTypeCompatibleBlock") ? ETHEREUM_TYPES : [0];
    for (const [policy, deriveShaImpl] of [
      [0, 2],
      [2, 0],
      [0, 1],
    ] as const) {
      const chain = join(directory, `${name}-${policy}-${deriveShaImpl}`);
      const istanbul = { epoch: 604_800, policy, sub: 22 };
      await makeTransferChain(chain, {
        accounts: 40,
        blocks: 12,
        transfers: 20,
        types,
        config: { ...config, istanbul, deriveShaImpl },
        reward,
      });
      expect((await importWithGoNode(chain, `${chain}-go`))?.seconds).toBeGreaterThan(0);
    }
  },
  120_000,
);

/** A transfer whose fee payer's V lies 27 or 28 below 2 * chain id + 8. */
function paidFromBelow(nonce: bigint): Transaction {
  const chainId = BigInt(CHAIN_ID);
  const [from, feePayer] = [senderKey(0), senderKey(1)].map(addressOfKey) as [Uint8Array, Uint8Array];
  const price = 25_000_000_000n;
  const terms = { gas: 100_000n, gasFeeCap: price, gasTipCap: price, value: 1n, input: new Uint8Array(0) };
  const draft = { code: 0x09, nonce, to: feePayer, fields: { from }, ...terms };
  const sent = signTransaction(draft, chainId, (digest) => sign(digest, senderKey(0)));
  const tx = signAsFeePayer(sent, { feePayer, chainId }, (digest) => sign(digest, senderKey(1)));
  const payerSignatures = (tx.fields.payerSignatures ?? []).map((signature) => {
    const parity = signature.v - 2n * chainId - 35n;
    return { ...signature, v: 2n * chainId + 8n - 27n - parity };
  });
  return assembleTransaction({ ...draft, fields: { ...tx.fields, payerSignatures } }, chainId, tx.signatures);
}

judged(
  `the Go node imports a block in which a fee payer's V lies below 2 * chain id + 8${reason}`,
  async () => {
    const chain = join(directory, "payer-below");
    const last = Array.from({ length: 8 }, (_, nonce) => paidFromBelow(BigInt(nonce)));
    await makeTransferChain(chain, { accounts: 2, blocks: 1, transfers: 0, last });
    expect((await importWithGoNode(chain, `${chain}-go`))?.seconds).toBeGreaterThan(0);
  },
);

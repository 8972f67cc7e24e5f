/** Work of a node that is killed, and the conditions that must hold when it runs again: one row a kind. */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "@jest/globals";
import { itemAt } from "../../node/bytes/rlp.ts";
import { readBlockFile } from "../../node/chain/block-file.ts";
import { decodeBlock } from "../../node/model/block.ts";
import { call } from "./rpc-client.ts";

/** A node under work. */
export interface KilledNode {
  readonly url: string;
  readonly datadir: string;
  /** Transactions that wait in the journal. */
  readonly noted: string[];
  /** Never the same twice. */
  readonly stroke: number;
}

/** One kind. */
export interface KillKind {
  readonly name: string;
  /** Beside those of all kinds. */
  readonly flags?: readonly string[];
  /** One stroke of work: done over and over until the plug is pulled. */
  readonly work?: (node: KilledNode) => Promise<unknown>;
  /** Asked of the node that is started afterwards, and of all later ones. */
  readonly check?: (node: KilledNode) => Promise<void>;
}

/** All kinds. Blocks are made and transfers sent in each of them. */
export const killKinds: readonly KillKind[] = [
  { name: "making blocks" },
  { name: "migration", work: ({ url }) => ignoreRefusal(call(url, "admin_startStateMigration")) },
  {
    name: "saving trie nodes",
    flags: ["--state.block-interval", "1"],
    work: ({ url }) => ignoreRefusal(call(url, "admin_saveTrieNodeToDisk")),
  },
  { name: "beginning an archive", flags: ["--gcmode", "archive"] },
  {
    name: "letting go of states",
    flags: ["--state.live-pruning", "--state.live-pruning-retention", "2", "--state.block-interval", "1"],
  },
  { name: "export", work: exportChain, check: findWholeFiles },
  { name: "journal", work: submit, check: findSubmitted },
];

/** Of all kinds, so that none loses what another has left: what waits in the journal, above all. */
export const killFlags: readonly string[] = [
  "--rpcapi",
  "admin,chain,eth",
  "--txpool.journal-interval",
  "1s",
  "--txpool.keeplocals",
  "--txpool.nonexec-slots.account",
  "1000",
  "--txpool.nonexec-slots.all",
  "4000",
];
/** As many as are sure to fit. */
const MAX_SUBMITTED = 300;

/** An error answer is an answer, such as that one is running already. */
async function ignoreRefusal(answer: Promise<unknown>): Promise<void> {
  await answer.catch((error: { code?: unknown }) => {
    if (typeof error.code !== "number") throw error;
  });
}

function exportChain({ url, datadir, stroke }: KilledNode): Promise<unknown> {
  return call(url, "admin_exportChain", join(datadir, `${stroke}.rlp${stroke % 2 === 0 ? ".gz" : ""}`));
}

async function findWholeFiles({ datadir }: KilledNode): Promise<void> {
  for (const name of await readdir(datadir)) {
    if (!/^\d+\.rlp/.test(name)) continue; // what was not finished has another name
    let next = 0;
    const file = join(datadir, name);
    for await (const { raw } of readBlockFile(file)) {
      expect(itemAt(raw, 0).raw.length).toBe(raw.length);
      expect(decodeBlock(raw).header.number).toBe(next++);
    }
    expect(next).toBeGreaterThan(0);
    await rm(file); // it is whole: nobody writes to it again
  }
}

/** A transaction that waits for others, so no block takes it. */
async function submit({ url, noted, stroke }: KilledNode): Promise<void> {
  if (noted.length >= MAX_SUBMITTED) return;
  const [from, to] = ((await call(url, "eth_accounts")) as string[]).slice(5);
  const nonce = `0x${(1_000 + stroke).toString(16)}`;
  noted.push(
    (await call(url, "eth_sendTransaction", { from, to, value: "0x1", gas: "0x5208", nonce })) as string,
  );
}

async function findSubmitted({ url, noted }: KilledNode): Promise<void> {
  for (const hash of noted) expect(await call(url, "eth_getTransactionByHash", hash)).toMatchObject({ hash });
}

/**
 * Blocks of the worst that contracts can do, against the Go node: for each program one block of transactions that run
 * it until their gas or the limit of computation cost ends them. With KNIT_PEER_KCN the Go node imports the same blocks
 * in the same run. `ratio` is how many times longer a block takes here: a block that the Go node fills in 250 ms takes
 * `ratio` times as long. In the order of the ratios.
 *
 *   node bench/worst-blocks.ts [--only NAME]
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bareHex, toHex } from "../node/bytes/hex.ts";
import { fixedBytes } from "../node/bytes/integer.ts";
import { rawBlock } from "../node/chain/block-rows.ts";
import { forks } from "../node/config/forks.ts";
import { parseGenesis } from "../node/config/genesis.ts";
import { addressOfKey, sign } from "../node/crypto/secp256k1.ts";
import { decodeBlock } from "../node/model/block.ts";
import { signTransaction, type Transaction } from "../node/model/transaction.ts";
import { aChain } from "../test/support/chain.ts";
import { assemble } from "../test/support/evm.ts";
import { timeBlocksWithGoNode } from "../test/support/go-node.ts";
import { makeBlock, makerGenesis, senderKey } from "../test/support/transfer-chain.ts";
import { report, rounded } from "./support/figures.ts";
import { BIG, worstBodies, worstInputs } from "./support/worst-programs.ts";

const { values } = parseArgs({ options: { only: { type: "string" } } });
const SENDERS = 12;
const GAS = 40_000_000n;
const PRICE = 750_000_000_000n;
/** What Osaka brings is left out: the Go node makes no Osaka chain without randomness. */
const NOT_YET = new Set(["CLZ", "p256 verify"]);

interface Program {
  readonly name: string;
  readonly code: Uint8Array;
  readonly input: Uint8Array;
}

const programs = [
  ...Object.entries(worstBodies).map(([name, body]) => ofBody(name, body)),
  ...worstInputs.map(ofInput),
]
  .filter(({ name }) => !NOT_YET.has(name))
  .filter(({ name }) => values.only === undefined || name === values.only);

/** Runs the body again and again, a word of 256 bits on the stack. */
function ofBody(name: string, body: string): Program {
  const unrolled = Array.from({ length: 24 }, () => body).join(" ");
  return { name, code: assemble(`${BIG} loop: ${unrolled} @loop JUMP`), input: new Uint8Array(64).fill(7) };
}

/** Calls the precompiled contract with the call's data again and again. */
function ofInput([number, name, input]: (typeof worstInputs)[number]): Program {
  const call = `0 0 CALLDATASIZE 0 0x${number.toString(16).padStart(4, "0")} GAS STATICCALL POP`;
  return { name, code: assemble(`CALLDATASIZE 0 0 CALLDATACOPY loop: ${call} @loop JUMP`), input };
}

const place = (index: number): Uint8Array => fixedBytes(0x10000 + index, 20);

function genesisOf(): string {
  const levels = forks.filter(
    ({ ordered, changes }) => ordered && changes.randao !== true && changes.blobGas !== true,
  );
  const config = Object.fromEntries(levels.map(({ configKey }) => [configKey, 0]));
  const rich = { balance: "0x21e19e0c9bab240000000" };
  const alloc = Object.fromEntries([
    ...Array.from({ length: SENDERS }, (_, i) => [bareHex(addressOfKey(senderKey(i))), rich] as const),
    ...programs.map(
      ({ code }, i) => [bareHex(place(i)), { balance: "0x21e19e0c9bab24000", code: toHex(code) }] as const,
    ),
    [bareHex(fixedBytes(0xbad, 20)), { balance: "0x0", code: "0xfe" }] as const,
  ]);
  return makerGenesis(alloc, config);
}

function transactionsOf(index: number, chainId: bigint): Transaction[] {
  const { input } = programs[index] ?? { input: new Uint8Array(0) };
  return Array.from({ length: SENDERS }, (_, i) => {
    const content = { code: 0, nonce: BigInt(index), gas: GAS, gasFeeCap: PRICE, gasTipCap: PRICE };
    const draft = { ...content, to: place(index), value: 0n, input };
    return signTransaction(draft, chainId, (digest) => sign(digest, senderKey(i)));
  });
}

async function madeBlocks(genesis: string): Promise<Uint8Array[]> {
  await using made = await aChain(parseGenesis(genesis));
  for (const index of programs.keys()) {
    await makeBlock(made, made.state, transactionsOf(index, made.chain.config.chainId));
  }
  await made.writer.settle();
  return programs.map((_, i) => rawBlock(made.store, i + 1) ?? new Uint8Array(0));
}

/** Seconds of execution and sealing, senders found as an import finds them: ahead. */
async function timeHere(genesis: string, blocks: readonly Uint8Array[]): Promise<number[]> {
  await using chain = await aChain(parseGenesis(genesis));
  const seconds: number[] = [];
  for (const raw of blocks) {
    const block = decodeBlock(raw);
    const started = performance.now();
    await chain.writer.insert(block);
    seconds.push((performance.now() - started) / 1000);
  }
  await chain.writer.settle();
  return seconds;
}

const slowest = (row: object): number => ("ratio" in row ? Number(row.ratio) : 0);

const scratch = await mkdtemp(join(tmpdir(), "knit-bench-worst-"));
try {
  const genesis = genesisOf();
  const file = join(scratch, "genesis.json");
  await writeFile(file, genesis);
  const blocks = await madeBlocks(genesis);
  const here = await timeHere(genesis, blocks);
  const peer = await timeBlocksWithGoNode(file, blocks, join(scratch, "go"));
  const rows = programs.map(({ name }, i) => {
    const [ours = Number.NaN, theirs] = [here[i], peer?.[i]];
    const { gasUsed } = decodeBlock(blocks[i] ?? new Uint8Array(0)).header;
    const figures = { name, mgas: rounded(Number(gasUsed) / 1e6), seconds: rounded(ours) };
    return theirs === undefined
      ? figures
      : { ...figures, peerSeconds: rounded(theirs), ratio: rounded(ours / theirs) };
  });
  for (const row of rows.toSorted((a, b) => slowest(b) - slowest(a)))
    report({ bench: "worst-blocks", ...row });
} finally {
  await rm(scratch, { recursive: true, force: true });
}

/**
 * Blocks of the worst that contracts can do, against the Go node: for each program one block of transactions that run
 * it until their gas or the limit of computation cost ends them. With KNIT_PEER_KCN the Go node imports each block
 * right after it was imported here. `ratio` is how many times longer it takes here: a block that the Go node fills in
 * 250 ms takes `ratio` times as long; `cpuRatio` is the same of CPU time, which other programs disturb little. The last
 * line has the slowest.
 *
 *   node bench/worst-blocks.ts [--only TEXT]    the programs whose names contain the text
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
import { type GoImporter, openGoImporter } from "../test/support/go-node.ts";
import { makeBlock, makerGenesis, senderKey } from "../test/support/transfer-chain.ts";
import { report, roundTo } from "./support/figures.ts";
import { BIG, worstBodies, worstInputs } from "./support/worst-programs.ts";

const { values } = parseArgs({ options: { only: { type: "string" } } });
const SENDERS = 3;
const GAS = 40_000_000n;
const PRICE = 750_000_000_000n;
/** Programs of Osaka are excluded, because the Go node makes no Osaka chain without randomness. */
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
  .filter(({ name }) => name.includes(values.only ?? ""));

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

type Chain = Awaited<ReturnType<typeof aChain>>;

async function madeBlock(made: Chain, index: number): Promise<Uint8Array> {
  await makeBlock(made, made.state, transactionsOf(index, made.chain.config.chainId));
  await made.writer.settle();
  return rawBlock(made.store, index + 1) ?? new Uint8Array(0);
}

/** Elapsed time and CPU time of a block. */
interface Took {
  readonly seconds: number;
  readonly cpu: number;
}

/** Execution and sealing, senders found as an import finds them: ahead. */
async function tookHere({ writer }: Chain, raw: Uint8Array): Promise<Took> {
  const block = decodeBlock(raw);
  const [started, before] = [performance.now(), process.cpuUsage()];
  await writer.insert(block);
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(before);
  await writer.settle();
  return { seconds, cpu: (user + system) / 1e6 };
}

async function tookGo(go: GoImporter, raw: Uint8Array): Promise<Took> {
  const before = go.cpuSeconds();
  const seconds = await go.secondsOf(raw);
  return { seconds, cpu: go.cpuSeconds() - before };
}

async function run(scratch: string): Promise<void> {
  const genesis = genesisOf();
  const file = join(scratch, "genesis.json");
  await writeFile(file, genesis);
  await using made = await aChain(parseGenesis(genesis));
  await using here = await aChain(parseGenesis(genesis));
  await using go = await openGoImporter({ genesis: file, directory: join(scratch, "go") });
  let slowest = { name: "", cpuRatio: 0 };
  for (const [index, { name }] of programs.entries()) {
    const raw = await madeBlock(made, index);
    const ours = await tookHere(here, raw);
    const theirs = go && (await tookGo(go, raw));
    const mgas = roundTo(Number(decodeBlock(raw).header.gasUsed) / 1e6);
    report({
      bench: "worst-blocks",
      name,
      mgas,
      seconds: roundTo(ours.seconds),
      ...comparison(ours, theirs),
    });
    const cpuRatio = theirs === undefined ? 0 : roundTo(ours.cpu / theirs.cpu);
    if (cpuRatio > slowest.cpuRatio) slowest = { name, cpuRatio };
  }
  if (go !== undefined) report({ bench: "worst-blocks", slowest });
}

function comparison(ours: Took, theirs: Took | undefined): Record<string, number> {
  if (theirs === undefined) return {};
  return {
    peerSeconds: roundTo(theirs.seconds),
    ratio: roundTo(ours.seconds / theirs.seconds),
    cpuRatio: roundTo(ours.cpu / theirs.cpu),
  };
}

const scratch = await mkdtemp(join(tmpdir(), "knit-bench-worst-"));
try {
  await run(scratch);
} finally {
  await rm(scratch, { recursive: true, force: true });
}

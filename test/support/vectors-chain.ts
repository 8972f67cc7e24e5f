/**
 * A recorded chain's folder: its formats, then every block executed on a chain of its own, then what the Go node
 * answered at the end. Parts that this release cannot run are "not yet".
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { fromHex, toHex } from "../../node/bytes/hex.ts";
import { parseGenesis } from "../../node/config/genesis.ts";
import { decodeBlock } from "../../node/model/block.ts";
import { accountJson } from "../../node/rpc/chain-state.ts";
import { aChain, type TestChain } from "./chain.ts";
import { compareRecordedChain } from "./chain-vectors.ts";
import { type RecordedChain, readRecordedChain } from "./recorded-chain.ts";
import { type Comparison, reason, Tally } from "./tally.ts";
import { compareElections } from "./vectors-consensus.ts";
import {
  compareRefusals,
  type Refusal,
  readSteps,
  refusals,
  type Step,
  sentTransaction,
  submitRefused,
} from "./vectors-steps.ts";
import { traceComparer } from "./vectors-traces.ts";

interface StateFile {
  readonly accounts?: Readonly<Record<string, { readonly account: unknown; readonly code?: string }>>;
}

/** A chain, and what its pool refused. */
interface Recorded {
  readonly chain: RecordedChain;
  readonly refused: readonly Refusal[];
}

/** Errors that say what this release lacks, not what a block has wrong. */
const LACKS = new Set(["unsupported"]);

/** Judges a folder with genesis.json, the blocks and whatever JSON was kept beside them. */
export async function chainFolder(directory: string): Promise<Comparison> {
  const tally = new Tally();
  tally.add("formats", await compareRecordedChain(directory));
  const chain = readRecordedChain(directory);
  compareElections(tally, chain);
  const steps = readSteps(directory);
  stepHashes(tally, steps);
  await execution(tally, directory, { chain, refused: refusals(steps) });
  return tally.comparison;
}

/** The kept state, empty where none was kept. */
function keptState(directory: string): StateFile {
  const path = join(directory, "state.json.gz");
  return existsSync(path) ? (JSON.parse(gunzipSync(readFileSync(path)).toString()) as StateFile) : {};
}

/** Checks submitted transactions: each decodes to its hashes, whatever became of it. */
function stepHashes(tally: Tally, steps: readonly Step[]): void {
  for (const { name, raw, hash, senderTxHash = hash } of steps) {
    const hashes = (): object => {
      const tx = sentTransaction(raw);
      return { hash: toHex(tx.hash), senderTxHash: toHex(tx.senderTxHash) };
    };
    tally.holds(`steps.json ${name}`, hashes, { hash, senderTxHash });
  }
}

/** Imports every block, which compares gas, bloom and all roots, and looks at the state that is left. */
async function execution(
  tally: Tally,
  directory: string,
  { chain: recorded, refused }: Recorded,
): Promise<void> {
  try {
    const genesis = parseGenesis(readFileSync(join(directory, "genesis.json"), "utf8"));
    await using chain = await aChain(genesis);
    const compareTraces = traceComparer(directory, genesis, tally);
    const { blocks } = recorded;
    const texts = new Map<string, string[]>();
    const [first] = blocks;
    tally.same("block 0", toHex(chain.chain.genesisHash), first && toHex(decodeBlock(first).hash));
    for (const item of blocks.slice(1)) {
      const block = decodeBlock(item);
      compareTraces(chain, block);
      await chain.writer.insert(block);
      await chain.writer.settle();
      submitRefused(chain.chain, refused, texts);
      tally.pass();
    }
    compareRefusals(tally, refused, texts);
    stateFile(tally, chain, keptState(directory));
  } catch (error) {
    const lacking = LACKS.has(String((error as { code?: unknown }).code));
    if (lacking) tally.notYet("execution", reason(error));
    else tally.fail(`execution: expected every block to be taken, found ${reason(error)}`);
  }
}

/** The state that execution has left, against what the Go node answered. */
function stateFile(tally: Tally, { chain }: TestChain, { accounts = {} }: StateFile): void {
  const view = chain.stateAt(chain.head().header.number);
  for (const [address, { account, code }] of Object.entries(accounts)) {
    const found = view.account(fromHex(address));
    const own: unknown = found && JSON.parse(JSON.stringify(accountJson(found)));
    tally.same(`state.json.gz account ${address}`, own ?? null, account);
    if (code !== undefined)
      tally.same(`state.json.gz code of ${address}`, toHex(view.code(fromHex(address))), code);
  }
}

/** Recorded call traces: each transaction of a recorded chain traced again, before its block is taken. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { toHex } from "../../node/bytes/hex.ts";
import type { Genesis } from "../../node/config/genesis.ts";
import { recoverProposer } from "../../node/consensus/seal.ts";
import { type CallTrace, createCallTracer, framelessCall } from "../../node/evm/tracers/call-tracer.ts";
import { blockContext } from "../../node/execution/block-context.ts";
import { verifySender } from "../../node/execution/participants.ts";
import { beginBlock } from "../../node/execution/system-call.ts";
import { type BlockContext, executeTransaction } from "../../node/execution/transaction.ts";
import type { Block } from "../../node/model/block.ts";
import { parseExtra } from "../../node/model/istanbul-extra.ts";
import type { Transaction } from "../../node/model/transaction.ts";
import type { World } from "../../node/state/world/world.ts";
import type { TestChain } from "./chain.ts";
import type { Tally } from "./tally.ts";

/** Answers of the Go node to `debug_traceTransaction` with its call tracer, by transaction hash. */
export type RecordedTraces = Readonly<Record<string, CallTrace>>;

/** Compares the traces of a block that is about to be taken. */
export type TraceComparer = (chain: TestChain, block: Block) => void;

/** The comparer of a folder; one that does nothing where no traces were kept. */
export function traceComparer(directory: string, genesis: Genesis, tally: Tally): TraceComparer {
  const path = join(directory, "calltraces.json.gz");
  if (!existsSync(path)) return () => undefined;
  const recorded = JSON.parse(gunzipSync(readFileSync(path)).toString()) as RecordedTraces;
  return (chain, block) => {
    const { header } = block;
    const author = recoverProposer(header, parseExtra(header.extra)) ?? new Uint8Array(20);
    const blockHash = (number: number): Uint8Array | undefined => chain.chain.block(number)?.hash;
    const context = blockContext(genesis.config, header, { author, blockHash });
    const world = chain.state.begin();
    beginBlock(world, context);
    for (const tx of block.transactions) {
      const hash = toHex(tx.hash);
      const found = (): unknown => traceOf(world, tx, context);
      // Members are compared in their order too.
      tally.holds(`trace of ${hash}`, () => JSON.stringify(found()), JSON.stringify(recorded[hash]));
    }
  };
}

function traceOf(world: World, tx: Transaction, context: BlockContext): CallTrace {
  const { tracer, result } = createCallTracer();
  const sender = verifySender(world, tx, context).address;
  const { receipt } = executeTransaction(world, tx, context, tracer);
  const gas = { gasLimit: tx.gas, gasUsed: receipt.gasUsed };
  const { to = sender, input, value } = tx;
  return result(gas) ?? framelessCall({ from: sender, to, input, value, ...gas });
}

/** `eth_simulateV1`: calls in blocks that follow one of the chain. Runs in a reader thread, with a deadline. */
import { toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import { type BlockReference, blockReference, referencedNumber } from "../calls/arguments/block-number.ts";
import { simulationArgs } from "../calls/arguments/simulation.ts";
import type { ChainReading, OpenReading } from "../calls/chain-reading.ts";
import { type CallLimits, requireSuccess } from "../calls/run-call.ts";
import { runSimulation, type SimulatedBlock, type SimulatedCallOutcome } from "../calls/simulation.ts";
import { rulesAt } from "../config/rules.ts";
import { optional } from "../jsonrpc/codec.ts";
import { writtenAs } from "../jsonrpc/codecs/plain.ts";
import { RpcError, rpcCode } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema } from "../jsonrpc/schemas.ts";
import { STATUS_SUCCESS } from "../model/receipt-status.ts";
import { type BlockMembers, type DescribedChain, ethBlock } from "../presenters/block.ts";
import { simulatedBlockSchema } from "../presenters/block-schemas.ts";
import { logJson } from "../presenters/receipt.ts";

/** Dependencies of the method. */
export interface SimulationMethodDeps {
  readonly open: OpenReading;
  readonly limits: CallLimits;
  /** Deadline of a simulation, in milliseconds. */
  readonly timeoutMs: number;
  /** Members of Ethereum's blocks; their gas limit is the default of a simulated block. */
  readonly blockMembers: BlockMembers;
}

const LATEST: BlockReference = { number: "latest" };
/** Code of a call that failed, other than by a revert. */
const VM_ERROR = -32015;

/** Returns the method; the node registers it and its reader threads serve it. */
export function simulationMethods(deps: SimulationMethodDeps): Method[] {
  const { open, limits, timeoutMs, blockMembers } = deps;
  return [
    method({
      name: "eth_simulateV1",
      summary:
        "Runs calls in blocks that follow a block of the chain, with overrides of blocks and state, and returns these blocks with the results. Their state root is zero; the base fee of a validated block is that of the block before them.",
      params: { simulation: simulationArgs, block: optional(blockReference, LATEST) },
      result: writtenAs("block with calls[]", arraySchema(simulatedBlockSchema)),
      runs: "reader",
      expires: { afterMs: timeoutMs, message: "execution aborted" },
      handle: async ({ simulation, block }) => {
        using reading = open();
        const number = referencedNumber(reading, block);
        const run = { reading, number, limits, gasLimit: blockMembers.gasLimit };
        const blocks = runSimulation(run, simulation);
        const full = simulation.returnFullTransactions === true;
        const texts = blocks.map((each) => blockText(reading, each, { full, members: blockMembers }));
        return `[${(await Promise.all(texts)).join(",")}]`;
      },
    }),
  ];
}

async function blockText(
  { config }: ChainReading,
  simulated: SimulatedBlock,
  { full, members }: { readonly full: boolean; readonly members: BlockMembers },
): Promise<string> {
  const { block, gasLimit, feeRecipient } = simulated;
  const chain: DescribedChain = {
    config,
    rules: (number) => rulesAt(config, number),
    author: () => feeRecipient,
    gasLimit: () => gasLimit,
    totalBlockScore: () => block.header.blockScore,
  };
  const text = await ethBlock(chain, block, {
    members: { ...members, totalScore: false, miner: "author" },
    full,
  });
  return `{"calls":${JSON.stringify(callsJson(simulated))},${text.slice(1)}`;
}

function callsJson({ block, calls }: SimulatedBlock): object[] {
  let logIndex = 0;
  return calls.map((outcome, transactionIndex) => {
    const { transition, logs } = outcome;
    const { number, time } = block.header;
    const transactionHash = block.transactions[transactionIndex]?.hash ?? block.hash;
    const place = { number, blockHash: block.hash, transactionHash, transactionIndex };
    return {
      returnData: transition.status === STATUS_SUCCESS ? toHex(transition.output) : "0x",
      logs: logs.map((log) => ({
        ...logJson(log, { ...place, logIndex: logIndex++ }),
        blockTimestamp: toQuantity(time),
      })),
      gasUsed: toQuantity(transition.gasUsed),
      maxUsedGas: toQuantity(transition.gasNeeded),
      status: transition.status === STATUS_SUCCESS ? "0x1" : "0x0",
      ...errorMember(outcome),
    };
  });
}

function errorMember({ transition }: SimulatedCallOutcome): { readonly error?: object } {
  try {
    requireSuccess(transition, {});
    return {};
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const isRevert = error.code === rpcCode.reverted;
    const { message } = error;
    return {
      error: isRevert
        ? { code: rpcCode.reverted, message, data: toHex(transition.output) }
        : { code: VM_ERROR, message: transition.failure ?? message },
    };
  }
}

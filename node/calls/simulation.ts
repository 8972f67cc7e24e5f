/**
 * `eth_simulateV1` of Ethereum's execution APIs: calls in blocks that follow one of the chain, each on the state that
 * those before it left. The blocks have no seals, no rewards and no state root.
 */
import type { Address, Hash } from "../bytes/brands.ts";
import { blockContext } from "../execution/block-context.ts";
import { ExecutionError, type ExecutionErrorCode } from "../execution/error.ts";
import { feeCapBelowBaseFee } from "../execution/fees.ts";
import { type SimulatedCall, simulate } from "../execution/simulate.ts";
import { beginBlock } from "../execution/system-call.ts";
import type { BlockContext } from "../execution/transaction.ts";
import type { Transition } from "../execution/transition.ts";
import { failure, RpcError, rpcCode } from "../jsonrpc/errors.ts";
import { type Block, createBlock } from "../model/block.ts";
import { bloomOf, mergeBlooms } from "../model/bloom.ts";
import { blockHash, type Header } from "../model/header.ts";
import { listRoot } from "../model/list-root.ts";
import { type EventLog, encodeReceipt, type Receipt } from "../model/receipt.ts";
import type { Transaction, TransactionDraft } from "../model/transaction.ts";
import type { World } from "../state/world/world.ts";
import { applyOverrides } from "./apply-overrides.ts";
import type { BlockArgs, SimulationArgs } from "./arguments/simulation.ts";
import type { AccountOverride } from "./arguments/state-overrides.ts";
import type { CallArgs } from "./arguments/transaction-args.ts";
import type { ChainReading } from "./chain-reading.ts";
import { impersonate } from "./impersonation.ts";
import type { CallLimits } from "./run-call.ts";
import { checkPrices } from "./transaction-draft.ts";
import { createTransferLogs } from "./transfer-logs.ts";

/** Outcome of one call. */
export interface SimulatedCallOutcome {
  readonly transition: Transition;
  readonly logs: readonly EventLog[];
}

/** One simulated block. */
export interface SimulatedBlock {
  readonly block: Block;
  readonly gasLimit: bigint;
  readonly feeRecipient: Address;
  readonly calls: readonly SimulatedCallOutcome[];
}

/** Dependencies of a simulation. */
export interface SimulationRun {
  readonly reading: ChainReading;
  /** Number of the block that the simulated ones follow. */
  readonly number: number;
  readonly limits: CallLimits;
  /** Gas limit of a block that sets none. */
  readonly gasLimit: bigint;
}

/** Codes of the execution APIs for a call that no block may contain. */
const CODES: Partial<Record<ExecutionErrorCode, number>> = {
  "nonce-too-low": -38010,
  "nonce-too-high": -38011,
  "bad-fee-caps": -38012,
  "fee-cap-below-base-fee": -38012,
  "intrinsic-gas": -38013,
  "floor-gas": -38013,
  "insufficient-balance": -38014,
  "insufficient-balance-for-gas": -38014,
  "initcode-too-large": -38025,
};
const GAS_LIMIT_REACHED = -38015;
const NUMBERS_OUT_OF_ORDER = -38020;
const TIMES_OUT_OF_ORDER = -38021;
const TOO_MANY_BLOCKS = -38026;
/** Maximum number of blocks, those between given numbers included. */
const MAX_BLOCKS = 256;
const NO_ADDRESS: Address = new Uint8Array(20);
const NO_HASH: Hash = new Uint8Array(32);
const LEGACY = 0;
const DYNAMIC_FEE = 0x7802;
const SET_CODE = 0x7804;

/** Runs a simulation. Throws `RpcError` for one that cannot be run. */
export function runSimulation(run: SimulationRun, args: SimulationArgs): SimulatedBlock[] {
  const { reading, number } = run;
  const base = reading.header(number);
  if (base === undefined) throw failure("header not found");
  const { blockStateCalls = [] } = args;
  if (blockStateCalls.length === 0) throw failure("empty input");
  const world = reading.worldAt(number);
  const blocks: SimulatedBlock[] = [];
  for (const { args: blockArgs, header } of plannedBlocks(base, blockStateCalls, args)) {
    const parentHash = blocks.at(-1)?.block.hash ?? blockHash(base);
    const simulation = new BlockSimulation(run, { ...header, parentHash }, { args, blockArgs, blocks });
    blocks.push(simulation.run(world));
  }
  return blocks;
}

interface PlannedBlock {
  readonly args: BlockArgs;
  readonly header: Header;
}

/** Returns the headers of the blocks, with empty ones between numbers that are not consecutive. */
function plannedBlocks(
  base: Header,
  asked: readonly BlockArgs[],
  { validation = false }: SimulationArgs,
): PlannedBlock[] {
  const planned: PlannedBlock[] = [];
  let last = base;
  const add = (args: BlockArgs, number: number): void => {
    const { time, baseFeePerGas, prevRandao, feeRecipient } = args.blockOverrides ?? {};
    const header = {
      ...last,
      number,
      time: time === undefined ? last.time + 1 : Number(time),
      rewardbase: feeRecipient ?? NO_ADDRESS,
      stateRoot: NO_HASH,
      timeFoS: 0,
      governance: new Uint8Array(0),
      vote: new Uint8Array(0),
      baseFee: base.baseFee === undefined ? undefined : (baseFeePerGas ?? (validation ? base.baseFee : 0n)),
      mixHash: prevRandao ?? (base.mixHash && NO_HASH),
      blobGasUsed: base.blobGasUsed && 0n,
    };
    if (header.time <= last.time)
      throw new RpcError(
        TIMES_OUT_OF_ORDER,
        `block timestamps must be in order: ${header.time} <= ${last.time}`,
      );
    planned.push({ args, header });
    last = header;
  };
  for (const args of asked) {
    const number = args.blockOverrides?.number ?? BigInt(last.number + 1);
    if (number <= BigInt(last.number))
      throw new RpcError(NUMBERS_OUT_OF_ORDER, `block numbers must be in order: ${number} <= ${last.number}`);
    if (number - BigInt(base.number) > BigInt(MAX_BLOCKS))
      throw new RpcError(TOO_MANY_BLOCKS, "too many blocks");
    while (BigInt(last.number + 1) < number) add({}, last.number + 1);
    add(args, Number(number));
  }
  return planned;
}

interface BlockSimulationOptions {
  readonly args: SimulationArgs;
  readonly blockArgs: BlockArgs;
  /** The simulated blocks before this one. */
  readonly blocks: readonly SimulatedBlock[];
}

/** One block of a simulation. */
class BlockSimulation {
  readonly #run: SimulationRun;
  readonly #header: Header;
  readonly #options: BlockSimulationOptions;
  readonly #context: BlockContext;
  readonly #gasLimit: bigint;
  #gasUsed = 0n;

  constructor(run: SimulationRun, header: Header, options: BlockSimulationOptions) {
    const { gasLimit, feeRecipient = NO_ADDRESS, blobBaseFee } = options.blockArgs.blockOverrides ?? {};
    this.#run = run;
    this.#header = header;
    this.#options = options;
    this.#gasLimit = gasLimit ?? options.blocks.at(-1)?.gasLimit ?? run.gasLimit;
    const context = blockContext(run.reading.config, header, {
      author: feeRecipient,
      blockHash: (number) => this.#hashOf(number),
    });
    const { block } = context;
    this.#context = {
      ...context,
      block: {
        ...block,
        gasLimit: gasLimit ?? block.gasLimit,
        blobBaseFee: blobBaseFee ?? block.blobBaseFee,
      },
    };
  }

  run(world: World): SimulatedBlock {
    const { blockArgs } = this.#options;
    beginBlock(world, this.#context);
    overrideState(world, blockArgs.stateOverrides ?? [], this.#context.rules.vmVersion);
    const transactions: Transaction[] = [];
    const receipts: Receipt[] = [];
    const calls = (blockArgs.calls ?? []).map((call) => {
      const tx = this.#transactionOf(world, call);
      const outcome = this.#runCall(world, call, tx);
      transactions.push(tx);
      receipts.push(receiptOf(tx, outcome));
      return outcome;
    });
    const { deriveShaImpl } = this.#run.reading.config;
    const header = {
      ...this.#header,
      gasUsed: this.#gasUsed,
      bloom: mergeBlooms(receipts.map(({ bloom }) => bloom)),
      transactionsRoot: listRoot(
        deriveShaImpl,
        transactions.map(({ raw }) => raw),
      ),
      receiptsRoot: listRoot(deriveShaImpl, receipts.map(encodeReceipt)),
    };
    const { feeRecipient = NO_ADDRESS } = blockArgs.blockOverrides ?? {};
    return { block: createBlock(header, transactions), gasLimit: this.#gasLimit, feeRecipient, calls };
  }

  #hashOf(number: number): Hash | undefined {
    const simulated = this.#options.blocks.find(({ block }) => block.header.number === number);
    if (simulated !== undefined) return simulated.block.hash;
    const header = number > this.#run.number ? undefined : this.#run.reading.header(number);
    return header && blockHash(header);
  }

  /** Returns the transaction of a call: unsigned, of the type that its members say. */
  #transactionOf(world: World, call: CallArgs): Transaction {
    const { from = NO_ADDRESS, to, value = 0n, input, data } = call;
    const draft = {
      ...typeOf(call),
      nonce: call.nonce ?? world.nonce(from),
      value,
      to,
      input: input ?? data ?? new Uint8Array(0),
      gas: this.#gasOf(call),
    };
    return impersonate(draft, this.#run.reading.config.chainId, from);
  }

  #gasOf({ gas }: CallArgs): bigint {
    const { gasCap } = this.#run.limits;
    const left = this.#gasLimit - this.#gasUsed;
    if (gas !== undefined && gas > left)
      throw new RpcError(
        GAS_LIMIT_REACHED,
        `block gas limit reached: ${this.#gasUsed + gas} > ${this.#gasLimit}`,
      );
    const wanted = gas ?? left;
    return gasCap !== 0n && gasCap < wanted ? gasCap : wanted;
  }

  #runCall(world: World, args: CallArgs, tx: Transaction): SimulatedCallOutcome {
    const { traceTransfers = false } = this.#options.args;
    const transfers = createTransferLogs(() => world.logs.length);
    checkPrices(args);
    try {
      const call = this.#messageOf(world, args, tx);
      const tracer = traceTransfers ? transfers.tracer : undefined;
      const transition = simulate(world, call, { context: this.#context, tracer });
      const logs = traceTransfers ? transfers.mergedWith(world.logs) : [...world.logs];
      this.#gasUsed += transition.gasUsed;
      world.endTransaction();
      return { transition, logs };
    } catch (error) {
      if (!(error instanceof ExecutionError)) throw error;
      const { code, message } = error;
      throw new RpcError(CODES[code] ?? rpcCode.serverError, `err: ${message} (supplied gas ${tx.gas})`);
    }
  }

  /** Returns the message of a call, which pays for its gas only when it is validated. Throws `ExecutionError`. */
  #messageOf(world: World, args: CallArgs, tx: Transaction): SimulatedCall {
    const { validation = false } = this.#options.args;
    const { from = NO_ADDRESS, accessList, authorizationList } = args;
    const { to, value, input, gas } = tx;
    const price = validation ? this.#context.block.baseFee : 0n;
    const gasFeeCap = validation ? tx.gasFeeCap : 0n;
    if (validation) checkNonce(world, args, from);
    if (gasFeeCap < price) throw feeCapBelowBaseFee(from, gasFeeCap, price);
    const prices = { price, gasFeeCap, gasTipCap: 0n, granted: 0n };
    return { from, to, value, input, gas, accessList, authorizationList, ...prices };
  }
}

/** Returns the members of a call's transaction that its type decides. */
function typeOf(call: CallArgs): Pick<TransactionDraft, "code" | "gasFeeCap" | "gasTipCap" | "fields"> {
  const { gasPrice, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n, accessList = [], authorizationList } = call;
  if (gasPrice !== undefined) return { code: LEGACY, gasFeeCap: gasPrice, gasTipCap: gasPrice, fields: {} };
  const caps = { gasFeeCap: maxFeePerGas, gasTipCap: maxPriorityFeePerGas };
  return authorizationList === undefined
    ? { code: DYNAMIC_FEE, ...caps, fields: { accessList } }
    : { code: SET_CODE, ...caps, fields: { accessList, authorizationList } };
}

/**
 * Applies state overrides as committed state. An account whose code is overridden is a contract afterwards: another
 * one without balance and nonce would be removed as empty, with its code.
 */
function overrideState(world: World, overrides: readonly AccountOverride[], vmVersion: number): void {
  applyOverrides(world, overrides, {});
  for (const { address, code } of overrides) {
    const account = world.account(address);
    if (code !== undefined && code.length > 0 && account?.codeInfo === 0)
      world.setAccount(address, { ...account, kind: "contract", codeInfo: vmVersion << 4 });
  }
  if (overrides.length > 0) world.endTransaction();
}

function checkNonce(world: World, { nonce: asked }: CallArgs, from: Address): void {
  const nonce = world.nonce(from);
  if (asked === undefined || asked === nonce) return;
  if (asked < nonce) throw new ExecutionError("nonce-too-low", `nonce too low: next ${nonce}, call ${asked}`);
  throw new ExecutionError("nonce-too-high", `nonce too high: next ${nonce}, call ${asked}`);
}

function receiptOf(tx: Transaction, { transition, logs }: SimulatedCallOutcome): Receipt {
  const { status, gasUsed, created } = transition;
  const own = [...logs];
  return {
    status,
    gasUsed,
    bloom: bloomOf(own),
    logs: own,
    transactionHash: tx.hash,
    contractAddress: created,
  };
}

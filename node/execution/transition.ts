/**
 * The state transition of one message: checks, gas bought, executed, gas given back, fee credited (execution.md
 * 3.3). It leaves the world's transaction open, for its receipt to be read; the caller ends it.
 */
import { bytesToBigint } from "../bytes/integer.ts";
import type { Rules } from "../config/rules.ts";
import { checksumAddress } from "../crypto/checksum.ts";
import { createAddress } from "../evm/address.ts";
import { codeAt, delegationIn } from "../evm/code.ts";
import { createEvm, type EvmBlock } from "../evm/evm.ts";
import type { Tracer } from "../evm/tracer.ts";
import { decodeAccountKey } from "../model/account-key-decode.ts";
import { checkUpdate, updatedKey } from "../model/account-key-update.ts";
import { STATUS_SUCCESS } from "../model/receipt-status.ts";
import type { World } from "../state/world/world.ts";
import { applyAuthorizations } from "./authorizations.ts";
import { ExecutionError } from "./error.ts";
import { buyGas, checkCaps, feeCapBelowBaseFee, insufficientValue, refundGas } from "./fees.ts";
import type { ExecutionMessage } from "./message.ts";
import { statusOf } from "./status.ts";

/** Where a message runs. */
export interface TransitionDeps {
  readonly chainId: bigint;
  readonly rules: Rules;
  readonly block: EvmBlock;
  /** Most blobs that a transaction of this chain may carry. */
  readonly maxBlobs: number;
  /** Who is credited with the fee at once; undefined where fees are paid with the block's reward. */
  readonly feeReceiver: Uint8Array | undefined;
  /** Opcode computation cost at which a message fails; the rules' when left out. */
  readonly computationLimit?: number | undefined;
  readonly tracer?: Tracer | undefined;
  /** See `EvmOptions`. */
  readonly gasBudget?: number | undefined;
}

/** What a message did. */
export interface Transition {
  /** `STATUS_SUCCESS` or a code of `receipt-status.ts`, with its text. */
  readonly status: number;
  readonly failure: string | undefined;
  readonly gasUsed: bigint;
  /** What the code returned or reverted with. */
  readonly output: Uint8Array;
  /** Where a contract was to be made. */
  readonly created: Uint8Array | undefined;
  /** Computation cost of the code that ran. */
  readonly computation: number;
}

/** What running the action came to. */
interface ActionResult extends Omit<Transition, "gasUsed"> {
  readonly gasLeft: bigint;
}

const MAX_NONCE = 0xffff_ffff_ffff_ffffn;
const NOTHING = new Uint8Array(0);
const BLOB_VERSION = 1;

/** Runs `message` on `world`. Throws `ExecutionError` where no block may hold it; the world is then as before. */
export function applyMessage(world: World, message: ExecutionMessage, context: TransitionDeps): Transition {
  const mark = world.snapshot();
  try {
    prepare(world, message, context);
  } catch (error) {
    world.revert(mark);
    throw error;
  }
  const ran = run(world, message, context);
  const gasUsed = gasAfterRefunds(world, message, ran.gasLeft, context.rules);
  refundGas(world, message, message.gas - gasUsed);
  if (context.feeReceiver !== undefined) world.addBalance(context.feeReceiver, gasUsed * message.price);
  const { gasLeft: _, ...done } = ran;
  return { ...done, gasUsed };
}

/** Everything that may refuse the message; the gas is bought and the transaction's sets are ready afterwards. */
function prepare(world: World, message: ExecutionMessage, context: TransitionDeps): void {
  const { rules, block } = context;
  checkNonce(world, message);
  if (rules.checksPriceCaps) checkPriceCaps(message, block.baseFee);
  checkBlobs(message, context);
  checkAuthorizations(message);
  if (rules.blobGas) checkCaps(world, message);
  buyGas(world, message, block.blobBaseFee);
  checkGas(message);
  if (message.value > 0n && world.balance(message.sender) < message.value) throw insufficientValue();
  warm(world, message, context);
  const { maxInitcodeSize } = rules;
  const runsInput = message.action === "call" && (message.to === undefined || message.isNobody);
  if (runsInput && maxInitcodeSize !== undefined && message.input.length > maxInitcodeSize) {
    const sizes = `code size ${message.input.length} limit ${maxInitcodeSize}`;
    throw new ExecutionError("initcode-too-large", `max initcode size exceeded: ${sizes}`);
  }
}

function checkNonce(world: World, { sender, nonce: theirs }: ExecutionMessage): void {
  const nonce = world.nonce(sender);
  if (nonce < theirs) throw new ExecutionError("nonce-too-high", "nonce too high");
  if (nonce > theirs) throw new ExecutionError("nonce-too-low", "nonce too low");
  if (nonce !== MAX_NONCE) return;
  const numbers = `address ${checksumAddress(sender)}, nonce: ${nonce}`;
  throw new ExecutionError("nonce-max", `nonce has max value: ${numbers}`);
}

/** Calls that nobody pays for name no caps. */
function checkPriceCaps({ sender, gasFeeCap, gasTipCap }: ExecutionMessage, baseFee: bigint): void {
  if (gasFeeCap === 0n && gasTipCap === 0n) return;
  if (gasFeeCap >> 256n !== 0n) {
    const length = `maxFeePerGas bit length: ${bitLength(gasFeeCap)}`;
    throw badCaps("max fee per gas higher than 2^256-1", sender, length);
  }
  if (gasTipCap >> 256n !== 0n) {
    const length = `maxPriorityFeePerGas bit length: ${bitLength(gasTipCap)}`;
    throw badCaps("max priority fee per gas higher than 2^256-1", sender, length);
  }
  if (gasFeeCap < gasTipCap) {
    const numbers = `maxPriorityFeePerGas: ${gasTipCap}, maxFeePerGas: ${gasFeeCap}`;
    // The Go node words it the wrong way round.
    throw badCaps("max fee per gas higher than max priority fee per gas", sender, numbers);
  }
  if (gasFeeCap < baseFee) throw feeCapBelowBaseFee(sender, gasFeeCap, baseFee);
}

function badCaps(reason: string, sender: Uint8Array, numbers: string): ExecutionError {
  return new ExecutionError("bad-fee-caps", `${reason}: address ${checksumAddress(sender)}, ${numbers}`);
}

function bitLength(value: bigint): number {
  return value.toString(2).length;
}

/** Checks the blobs of a message that has any (EIP-4844). */
function checkBlobs(message: ExecutionMessage, { maxBlobs, block }: TransitionDeps): void {
  const { blobHashes, sender, maxFeePerBlobGas } = message;
  if (blobHashes === undefined) return;
  if (blobHashes.length === 0) throw new ExecutionError("bad-blobs", "blob transaction missing blob hashes");
  if (blobHashes.length > maxBlobs)
    throw new ExecutionError("bad-blobs", "blob transaction has too many blobs");
  const strange = blobHashes.findIndex((hash) => hash[0] !== BLOB_VERSION);
  if (strange >= 0) throw new ExecutionError("bad-blobs", `blob ${strange} has invalid hash version`);
  if (maxFeePerBlobGas >= block.blobBaseFee) return;
  const numbers = `blobGasFeeCap: ${maxFeePerBlobGas}, blobBaseFee: ${block.blobBaseFee}`;
  throw new ExecutionError(
    "bad-blobs",
    `max fee per blob gas less than block blob gas fee: address ${checksumAddress(sender)} ${numbers}`,
  );
}

/** Checks the authorizations of a message that may have some (EIP-7702). */
function checkAuthorizations({ authorizationList, sender }: ExecutionMessage): void {
  if (authorizationList?.length !== 0) return;
  throw new ExecutionError(
    "bad-authorizations",
    `EIP-7702 transaction with empty auth list (sender ${checksumAddress(sender)})`,
  );
}

function checkGas({ gas, intrinsicGas, floorGas }: ExecutionMessage): void {
  if (gas < intrinsicGas) throw new ExecutionError("intrinsic-gas", "intrinsic gas too low");
  if (gas >= floorGas) return;
  const numbers = `have ${gas}, want ${floorGas}`;
  throw new ExecutionError("floor-gas", `insufficient gas for floor data gas cost: ${numbers}`);
}

/** The addresses and slots that cost less from the start (EIP-2929, EIP-3651, EIP-2930). */
function warm(world: World, message: ExecutionMessage, { rules, block }: TransitionDeps): void {
  if (!rules.accessSets) return;
  world.warmAddress(message.sender);
  world.warmAddress(message.payer);
  if (message.to !== undefined && !message.isNobody) world.warmAddress(message.to);
  if (rules.warmsAuthor) world.warmAddress(block.author);
  if (!rules.warmsAccessList) return;
  for (const { address, storageKeys } of message.accessList) {
    world.warmAddress(address);
    for (const key of storageKeys) world.warmSlot(address, bytesToBigint(key));
  }
}

function run(world: World, message: ExecutionMessage, context: TransitionDeps): ActionResult {
  const gas = message.gas - message.intrinsicGas;
  if (message.action === "call") return runCode(world, message, gas, context);
  world.setNonce(message.sender, message.nonce + 1n);
  const problem = message.action === "key-update" ? updateKey(world, message) : undefined;
  return {
    status: problem?.status ?? STATUS_SUCCESS,
    failure: problem?.message,
    gasLeft: gas,
    output: NOTHING,
    created: createAddress(message.sender, message.nonce),
    computation: 0,
  };
}

function updateKey(
  world: World,
  { sender, key }: ExecutionMessage,
): { status: number; message: string } | undefined {
  const account = world.account(sender);
  if (account === undefined || key === undefined) return undefined; // it has a nonce, and the kind has a key
  const next = decodeAccountKey(key);
  const problem = checkUpdate(account.key, next);
  if (problem === undefined) world.setAccount(sender, { ...account, key: updatedKey(account.key, next) });
  return problem;
}

function runCode(
  world: World,
  message: ExecutionMessage,
  gas: bigint,
  context: TransitionDeps,
): ActionResult {
  const { sender, to, input, value, nonce } = message;
  const evm = evmFor(world, message, context);
  if (to === undefined) {
    const { failure, ...rest } = evm.create({ caller: sender, code: input, value, gas });
    return { ...rest, ...statusOf(failure), created: createAddress(sender, nonce) };
  }
  world.setNonce(sender, nonce + 1n);
  if (context.rules.delegations && !message.isNobody) applyDelegations(world, message, to, context);
  const { failure, gasLeft, output, computation } = evm.call({ caller: sender, to, input, value, gas });
  return {
    gasLeft,
    output,
    computation,
    ...statusOf(failure),
    created: message.isNobody ? createAddress(sender, nonce) : undefined,
  };
}

function applyDelegations(
  world: World,
  message: ExecutionMessage,
  to: Uint8Array,
  context: TransitionDeps,
): void {
  if (message.authorizationList !== undefined) applyAuthorizations(world, message.authorizationList, context);
  const target = delegationIn(codeAt(world, to).bytes);
  if (target !== undefined) world.warmAddress(target);
}

function evmFor(
  world: World,
  message: ExecutionMessage,
  context: TransitionDeps,
): ReturnType<typeof createEvm> {
  const { rules, chainId, block, computationLimit, tracer, gasBudget } = context;
  return createEvm({
    world,
    rules,
    chainId,
    block,
    transaction: {
      origin: message.sender,
      gasPrice: message.price,
      feePayer: message.payer,
      blobHashes: message.blobHashes ?? [],
    },
    ...(computationLimit !== undefined && { computationLimit }),
    ...(tracer !== undefined && { tracer }),
    gasBudget,
  });
}

/** Gas used after refunds, at least the floor. */
function gasAfterRefunds(world: World, message: ExecutionMessage, gasLeft: bigint, rules: Rules): bigint {
  const used = message.gas - gasLeft;
  const most = used / rules.refundQuotient;
  const refund = BigInt(world.refund);
  const net = used - (refund < most ? refund : most);
  return net > message.floorGas ? net : message.floorGas;
}

/**
 * State transition of one message: checks, purchase of gas, execution, refund, fee
 * (`blockchain/state_transition.go@v2.2.2`). The world's transaction stays open, since its receipt is read
 * afterwards; the caller ends it.
 */
import type { Address } from "../bytes/brands.ts";
import { bytesToBigint } from "../bytes/integer.ts";
import type { Rules } from "../config/rules.ts";
import { checksumAddress } from "../crypto/checksum.ts";
import { createAddress } from "../evm/address.ts";
import { codeAt, delegationIn } from "../evm/code.ts";
import { createEvm, type EvmBlock } from "../evm/evm.ts";
import type { EvmFailure, EvmFailureCode } from "../evm/failure.ts";
import type { Tracer } from "../evm/tracer.ts";
import { decodeAccountKey } from "../model/account-key-decode.ts";
import { checkUpdate, updatedKey } from "../model/account-key-update.ts";
import { STATUS_SUCCESS } from "../model/receipt-status.ts";
import type { World } from "../state/world/world.ts";
import { applyAuthorizations } from "./authorizations.ts";
import { ExecutionError } from "./error.ts";
import { buyGas, checkCaps, feeCapBelowBaseFee, insufficientValue, refundGas } from "./fees.ts";
import type { ExecutionMessage } from "./message.ts";

/** Dependencies of the transition. */
export interface TransitionDeps {
  readonly chainId: bigint;
  readonly rules: Rules;
  readonly block: EvmBlock;
  /** Maximum number of blobs of a transaction. */
  readonly maxBlobs: number;
  /** Account credited with the fee at once; undefined where fees are paid with the block reward. */
  readonly feeReceiver: Address | undefined;
  /** Limit of the computation cost; the rules' limit when absent. */
  readonly computationLimit?: number | undefined;
  readonly tracer?: Tracer | undefined;
  /** Gas budget, see `EvmOptions`. */
  readonly gasBudget?: number | undefined;
}

/** Result of a message. */
export interface Transition {
  /** `STATUS_SUCCESS` or another code of `receipt-status.ts`, followed by its text. */
  readonly status: number;
  readonly failure: string | undefined;
  readonly gasUsed: bigint;
  /** Gas used before refunds, at least the floor: the gas that the message needs. */
  readonly gasNeeded: bigint;
  /** Data returned or reverted with. */
  readonly output: Uint8Array;
  /** Address of the created contract. */
  readonly created: Address | undefined;
  /** Computation cost of the executed code. */
  readonly computation: number;
}

/** Result of a message's action. */
interface ActionResult extends Omit<Transition, "gasUsed" | "gasNeeded"> {
  readonly gasLeft: bigint;
}

const MAX_NONCE = 0xffff_ffff_ffff_ffffn;
const NOTHING = new Uint8Array(0);
const BLOB_VERSION = 1;

/**
 * Applies `message` to `world`. Throws `ExecutionError` for a message that no block may contain; the world is
 * unchanged then.
 */
export function applyMessage(world: World, message: ExecutionMessage, deps: TransitionDeps): Transition {
  const mark = world.snapshot();
  try {
    checkAndBuyGas(world, message, deps);
  } catch (error) {
    world.revert(mark);
    throw error;
  }
  const ran = run(world, message, deps);
  const { gasUsed, gasNeeded } = gasOf(world, message, ran.gasLeft, deps.rules);
  // The fee comes before the refund, which may take from a sender who receives the fee; the Go node refunds first, and a
  // balance may be negative until the transaction ends.
  if (deps.feeReceiver !== undefined) world.addBalance(deps.feeReceiver, gasUsed * message.price);
  refundGas(world, message, message.gas - gasUsed);
  const { gasLeft: _, ...done } = ran;
  return { ...done, gasUsed, gasNeeded };
}

/** Runs every check of a message, buys its gas and prepares the access sets. */
function checkAndBuyGas(world: World, message: ExecutionMessage, deps: TransitionDeps): void {
  const { rules, block } = deps;
  checkNonce(world, message);
  if (rules.checksPriceCaps) checkPriceCaps(message, block.baseFee);
  checkBlobs(message, deps);
  checkAuthorizations(message);
  if (rules.blobGas) checkCaps(world, message);
  buyGas(world, message, block.blobBaseFee);
  checkGas(message);
  if (message.value > 0n && world.balance(message.sender) < message.value) throw insufficientValue();
  warmAccessSets(world, message, deps);
  checkInitcodeSize(message, rules);
}

/** Limits the input of every message without a recipient (EIP-3860), that of an anchoring transaction too. */
function checkInitcodeSize(
  { to, hasZeroRecipient, input }: ExecutionMessage,
  { maxInitcodeSize }: Rules,
): void {
  if (maxInitcodeSize === undefined || input.length <= maxInitcodeSize) return;
  if (to !== undefined && !hasZeroRecipient) return;
  const sizes = `code size ${input.length} limit ${maxInitcodeSize}`;
  throw new ExecutionError("initcode-too-large", `max initcode size exceeded: ${sizes}`);
}

function checkNonce(world: World, { sender, nonce: theirs }: ExecutionMessage): void {
  const nonce = world.nonce(sender);
  if (nonce < theirs) throw new ExecutionError("nonce-too-high", "nonce too high");
  if (nonce > theirs) throw new ExecutionError("nonce-too-low", "nonce too low");
  if (nonce !== MAX_NONCE) return;
  const numbers = `address ${checksumAddress(sender)}, nonce: ${nonce}`;
  throw new ExecutionError("nonce-max", `nonce has max value: ${numbers}`);
}

/** Checks the caps; simulated calls without a price have none. */
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

function badCaps(reason: string, sender: Address, numbers: string): ExecutionError {
  return new ExecutionError("bad-fee-caps", `${reason}: address ${checksumAddress(sender)}, ${numbers}`);
}

function bitLength(value: bigint): number {
  return value.toString(2).length;
}

/** Checks the blobs of a message (EIP-4844). */
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

/** Checks the authorizations of a message (EIP-7702). */
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

/** Warms the initial addresses and slots (EIP-2929, EIP-2930, EIP-3651). */
function warmAccessSets(world: World, message: ExecutionMessage, { rules, block }: TransitionDeps): void {
  if (!rules.accessSets) return;
  world.warmAddress(message.sender);
  world.warmAddress(message.payer);
  if (message.to !== undefined && !message.hasZeroRecipient) world.warmAddress(message.to);
  if (rules.warmsAuthor) world.warmAddress(block.author);
  if (!rules.warmsAccessList) return;
  for (const { address, storageKeys } of message.accessList) {
    world.warmAddress(address);
    for (const key of storageKeys) world.warmSlot(address, bytesToBigint(key));
  }
}

function run(world: World, message: ExecutionMessage, deps: TransitionDeps): ActionResult {
  const gas = message.gas - message.intrinsicGas;
  if (message.action === "call") return runCode(world, message, gas, deps);
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
  if (account === undefined || key === undefined) return undefined; // never: the account has a nonce, and the type a key
  // A copy: the account's key would keep the message that the transaction came in.
  const next = decodeAccountKey(Uint8Array.from(key));
  const problem = checkUpdate(account.key, next);
  if (problem === undefined) world.setAccount(sender, { ...account, key: updatedKey(account.key, next) });
  return problem;
}

function runCode(world: World, message: ExecutionMessage, gas: bigint, deps: TransitionDeps): ActionResult {
  const { sender, to, input, value, nonce } = message;
  const evm = evmFor(world, message, deps);
  if (to === undefined) {
    const { failure, ...rest } = evm.create({ caller: sender, code: input, value, gas });
    return { ...rest, ...statusOf(failure), created: createAddress(sender, nonce) };
  }
  world.setNonce(sender, nonce + 1n);
  if (deps.rules.delegations && !message.hasZeroRecipient) applyDelegations(world, message, to, deps);
  const { failure, gasLeft, output, computation } = evm.call({ caller: sender, to, input, value, gas });
  return {
    gasLeft,
    output,
    computation,
    ...statusOf(failure),
    created: message.hasZeroRecipient ? createAddress(sender, nonce) : undefined,
  };
}

function applyDelegations(world: World, message: ExecutionMessage, to: Address, deps: TransitionDeps): void {
  if (message.authorizationList !== undefined) applyAuthorizations(world, message.authorizationList, deps);
  const target = delegationIn(codeAt(world, to).bytes);
  if (target !== undefined) world.warmAddress(target);
}

function evmFor(world: World, message: ExecutionMessage, deps: TransitionDeps): ReturnType<typeof createEvm> {
  const { rules, chainId, block, computationLimit, tracer, gasBudget } = deps;
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

/** Gas used after and before refunds, each at least the floor. */
function gasOf(
  world: World,
  { gas, floorGas }: ExecutionMessage,
  gasLeft: bigint,
  rules: Rules,
): Pick<Transition, "gasUsed" | "gasNeeded"> {
  const used = gas - gasLeft;
  const most = used / rules.refundQuotient;
  const refund = BigInt(world.refund);
  const net = used - (refund < most ? refund : most);
  return { gasUsed: net > floorGas ? net : floorGas, gasNeeded: used > floorGas ? used : floorGas };
}

/** Status of failures without a status of their own. */
const VM_ERROR = 0x02;
const STATUSES: ReadonlyMap<EvmFailureCode, number> = new Map([
  ["depth", 0x03],
  ["address-collision", 0x04],
  ["code-store-out-of-gas", 0x05],
  ["code-size", 0x06],
  ["out-of-gas", 0x07],
  ["write-protection", 0x08],
  ["reverted", 0x09],
  ["computation-limit", 0x0a],
]);

/**
 * Returns the receipt status and text of an EVM failure, as the Go node's
 * (`blockchain/types/receipt.go@v2.2.2`).
 */
export function statusOf(failure: EvmFailure | undefined): {
  readonly status: number;
  readonly failure: string | undefined;
} {
  if (failure === undefined) return { status: STATUS_SUCCESS, failure: undefined };
  return { status: STATUSES.get(failure.code) ?? VM_ERROR, failure: failure.message };
}

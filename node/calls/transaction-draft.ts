/** Fills in Ethereum's transaction object to a draft that can be signed. */
import type { Address } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { toQuantity } from "../bytes/integer.ts";
import type { Chain } from "../chain/chain.ts";
import { failure } from "../jsonrpc/errors.ts";
import type { CallOrigin } from "../jsonrpc/method.ts";
import type { TransactionDraft } from "../model/transaction.ts";
import type { TxPool } from "../txpool/pool.ts";
import type { CallArgs } from "./arguments/transaction-args.ts";
import { suggestedPrice, suggestedTip } from "./gas-price.ts";

/** Sources of the defaults of a draft. */
export interface DraftSource {
  readonly chain: Chain;
  readonly pool: Pick<TxPool, "nonce">;
}

/** Code of the legacy type, the first of those that Ethereum's transaction object can become. */
export const LEGACY = 0;
/** Code of the type with an access list (EIP-2930). */
export const ACCESS_LIST = 0x7801;
/** Code of the type with a fee cap and a tip (EIP-1559). */
export const DYNAMIC_FEE = 0x7802;
/** Code of the type with authorizations (EIP-7702). */
export const SET_CODE = 0x7804;
const NOTHING = new Uint8Array(0);
const NO_ADDRESS: Address = new Uint8Array(20);

/** Estimates gas on the newest state, in a reader thread. Rejects with `RpcError`. */
export type EstimateGas = (args: CallArgs, origin: CallOrigin) => Promise<bigint>;

/** A transaction object with a gas limit. */
export type GivenGas = CallArgs & { readonly gas: bigint };

/**
 * Adds an estimated gas limit to a transaction object without one, estimated with the prices that it will offer. Throws
 * `RpcError` for what no draft could be made of.
 */
export async function withGas(
  source: DraftSource,
  args: CallArgs,
  estimate: (priced: CallArgs) => Promise<bigint>,
): Promise<GivenGas> {
  const { gas } = args;
  if (gas !== undefined) return { ...args, gas };
  const priced = { ...args, ...ethPrices(source, args) };
  checkNotEmpty(args, ethInput(args));
  return { ...args, gas: await estimate(priced) };
}

/**
 * Creates a draft of Ethereum's transaction object. Its type is the newest one that its members and the rules allow
 * (`setDefaults` and `toTransaction` of `EthTransactionArgs` in `api/tx_args.go@v2.2.2`).
 */
export function ethDraft(source: DraftSource, args: GivenGas): TransactionDraft {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas = 0n } = ethPrices(source, args);
  const input = ethInput(args);
  checkNotEmpty(args, input);
  checkSetCodeRecipient(args);
  const { accessList, authorizationList } = args;
  return {
    code: kindOf(args, maxFeePerGas),
    nonce: args.nonce ?? source.pool.nonce(args.from ?? NO_ADDRESS),
    value: args.value ?? 0n,
    to: args.to,
    input,
    gas: args.gas,
    // As on the Go node, a single price leaves the caps of authorizations at 0: the pool refuses such a transaction.
    ...(gasPrice === undefined || authorizationList !== undefined
      ? { gasFeeCap: maxFeePerGas ?? 0n, gasTipCap: maxPriorityFeePerGas }
      : { gasFeeCap: gasPrice, gasTipCap: gasPrice }),
    fields: {
      ...(accessList === undefined ? {} : { accessList }),
      ...(authorizationList === undefined ? {} : { authorizationList }),
    },
  };
}

/** Returns the type in the Go node's order: authorizations, fee caps, access list. */
function kindOf({ authorizationList, accessList }: CallArgs, feeCap: bigint | undefined): number {
  if (authorizationList !== undefined) return SET_CODE;
  if (feeCap !== undefined) return DYNAMIC_FEE;
  return accessList === undefined ? LEGACY : ACCESS_LIST;
}

type OfferedPrices = Pick<CallArgs, "gasPrice" | "maxFeePerGas" | "maxPriorityFeePerGas">;

/**
 * Returns the prices that Ethereum's transaction object offers: its own, or the node's suggestions by the rules of the
 * head. Throws `RpcError` when no block could include them.
 */
export function ethPrices({ chain }: Pick<DraftSource, "chain">, args: CallArgs): OfferedPrices {
  checkOnePrice(args);
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = args;
  const { acceptedTypes, baseFee: hasBaseFee } = chain.rules(chain.head().header.number);
  if (maxFeePerGas !== undefined && maxPriorityFeePerGas !== undefined) {
    if (hasBaseFee) checkCoversBaseFee(suggestedPrice(chain), maxFeePerGas);
    else checkCapAboveTip(maxFeePerGas, maxPriorityFeePerGas);
    return { maxFeePerGas, maxPriorityFeePerGas };
  }
  if (gasPrice === undefined && acceptedTypes.has(DYNAMIC_FEE)) {
    const { gasFeeCap, gasTipCap } = feeCaps({ chain }, args, hasBaseFee);
    return { maxFeePerGas: gasFeeCap, maxPriorityFeePerGas: gasTipCap };
  }
  if (maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined) {
    throw failure("maxFeePerGas or maxPriorityFeePerGas specified but london is not active yet");
  }
  return { gasPrice: gasPrice ?? suggestedPrice(chain) };
}

/** Checks that prices do not contradict each other. Throws `RpcError`. */
export function checkPrices(args: CallArgs): void {
  checkOnePrice(args);
  const { maxFeePerGas, maxPriorityFeePerGas } = args;
  if (
    maxFeePerGas !== undefined &&
    maxPriorityFeePerGas !== undefined &&
    maxFeePerGas < maxPriorityFeePerGas
  ) {
    throw failure("MaxPriorityFeePerGas is greater than MaxFeePerGas");
  }
}

/** Checks that a transaction with authorizations has a recipient (EIP-7702). Throws `RpcError`. */
export function checkSetCodeRecipient({ authorizationList, to }: CallArgs): void {
  if (authorizationList === undefined || to !== undefined) return;
  throw failure("SetCodeTx must have a non-nil recipient address");
}

/** Returns the input of Kaia's transaction object, `input` or `data`. Throws `RpcError` when they differ. */
export function inputOf(args: CallArgs): Uint8Array {
  return oneInput(
    args,
    'Both "data" and "input" are set and not equal. Please use "input" to pass transaction call data.',
  );
}

/** Returns the input of Ethereum's transaction object. Throws `RpcError` when `input` and `data` differ. */
export function ethInput(args: CallArgs): Uint8Array {
  return oneInput(
    args,
    'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data',
  );
}

function oneInput({ data, input }: CallArgs, difference: string): Uint8Array {
  if (data !== undefined && input !== undefined && !equalBytes(data, input)) throw failure(difference);
  return input ?? data ?? NOTHING;
}

/** Checks that a gas price does not come with fee caps. Throws `RpcError`. */
export function checkOnePrice({ gasPrice, maxFeePerGas, maxPriorityFeePerGas }: CallArgs): void {
  if (gasPrice !== undefined && (maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined)) {
    throw failure("both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified");
  }
}

/** Checks that a contract creation has input. Throws `RpcError`. */
export function checkNotEmpty({ to }: CallArgs, input: Uint8Array): void {
  if (to === undefined && input.length === 0) throw failure("contract creation without any data provided");
}

/**
 * Checks, once it is signed, that a typed transaction names this chain. Throws `RpcError`. Go nodes find the key first.
 */
export function checkSignedChain(
  { chain }: Pick<DraftSource, "chain">,
  { code }: TransactionDraft,
  { chainId = chain.config.chainId }: CallArgs,
): void {
  if (code >= ACCESS_LIST && chainId !== chain.config.chainId) throw failure("invalid chain id for signer");
}

/** Returns the price fields of a type without fee caps. */
export function singlePrice({ chain }: DraftSource, { gasPrice = suggestedPrice(chain) }: CallArgs) {
  return { gasFeeCap: gasPrice, gasTipCap: gasPrice };
}

/**
 * Returns both fee caps, the node's suggestions where the object has none. Throws `RpcError` when no block could include
 * them.
 */
export function feeCaps({ chain }: Pick<DraftSource, "chain">, args: CallArgs, hasBaseFee: boolean) {
  const price = suggestedPrice(chain);
  const gasTipCap = args.maxPriorityFeePerGas ?? suggestedTip(chain);
  const gasFeeCap = args.maxFeePerGas ?? (hasBaseFee ? price : gasTipCap);
  if (hasBaseFee) checkCoversBaseFee(price, gasFeeCap);
  else if (gasTipCap !== price || gasFeeCap !== price) {
    throw failure(`only ${price.toString(16)} is allowed to be used as maxFeePerGas and maxPriorityPerGas`);
  }
  checkCapAboveTip(gasFeeCap, gasTipCap);
  return { gasFeeCap, gasTipCap };
}

/** Checks a cap against half the suggested price, which the Go node takes for the base fee. Throws `RpcError`. */
export function checkCoversBaseFee(price: bigint, gasFeeCap: bigint): void {
  if (gasFeeCap < price / 2n) throw failure(`maxFeePerGas (${toQuantity(gasFeeCap)}) < BaseFee (${price})`);
}

/** Checks a cap against the tip. Throws `RpcError`. */
export function checkCapAboveTip(gasFeeCap: bigint, gasTipCap: bigint): void {
  if (gasFeeCap >= gasTipCap) return;
  throw failure(`maxFeePerGas (${toQuantity(gasFeeCap)}) < maxPriorityFeePerGas (${toQuantity(gasTipCap)})`);
}

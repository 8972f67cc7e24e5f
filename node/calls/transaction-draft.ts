/** Fills in Ethereum's transaction object to a draft that can be signed. */
import { equalBytes } from "../bytes/compare.ts";
import type { Chain } from "../chain/chain.ts";
import { failure } from "../jsonrpc/errors.ts";
import type { TransactionDraft } from "../model/transaction.ts";
import type { TransactionContent } from "../model/transaction-type.ts";
import type { TxPool } from "../txpool/pool.ts";
import type { CallArgs } from "./arguments/transaction-args.ts";
import { suggestedPrice, suggestedTip } from "./gas-price.ts";

/** Sources of the defaults of a draft. */
export interface DraftSource {
  readonly chain: Chain;
  readonly pool: Pick<TxPool, "nonce">;
}

const ACCESS_LIST = 0x7801;
const DYNAMIC_FEE = 0x7802;
const SET_CODE = 0x7804;
const NOTHING = new Uint8Array(0);
const NO_ADDRESS = new Uint8Array(20);

/** Estimates gas on the newest state, in a reader thread. Rejects with `RpcError`. */
export type EstimateGas = (args: CallArgs) => Promise<bigint>;

/** A transaction object with a gas limit. */
export type GivenGas = CallArgs & { readonly gas: bigint };

/** Adds an estimated gas limit to a transaction object without one. */
export async function withGas(args: CallArgs, estimate: EstimateGas): Promise<GivenGas> {
  if (args.gas !== undefined) return { ...args, gas: args.gas };
  checkNotEmpty(args, inputOf(args));
  return { ...args, gas: await estimate(args) };
}

/**
 * Creates a draft of Ethereum's transaction object. Its type is the newest one that its members and the next
 * block's rules allow.
 */
export function ethDraft(source: DraftSource, args: GivenGas): TransactionDraft {
  checkPrices(args);
  const code = kindOf(source, args);
  const content = unpricedContent(source, args);
  checkSetCodeRecipient(args);
  return { code, ...content, ...pricesFor(code, source, args) };
}

/** Returns the type in the Go node's order: authorizations, fee caps, access list. */
function kindOf({ chain }: DraftSource, args: CallArgs): number {
  if (args.authorizationList !== undefined) return SET_CODE;
  const { acceptedTypes } = chain.rules(chain.head().header.number + 1);
  const offersCaps = args.maxFeePerGas !== undefined || args.maxPriorityFeePerGas !== undefined;
  if (offersCaps || (args.gasPrice === undefined && acceptedTypes.has(DYNAMIC_FEE))) return DYNAMIC_FEE;
  return args.accessList === undefined ? 0 : ACCESS_LIST;
}

function pricesFor(code: number, source: DraftSource, args: CallArgs) {
  if (code === DYNAMIC_FEE) return feeCaps(source, args);
  if (code !== SET_CODE) return singlePrice(source, args);
  // As on the Go node, a single price leaves the caps of authorizations at 0: the pool refuses such a transaction.
  return args.gasPrice === undefined ? feeCaps(source, args) : { gasFeeCap: 0n, gasTipCap: 0n };
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

/** Returns the input of a transaction object, `input` or `data`. Throws `RpcError` when they differ. */
export function inputOf({ data, input }: CallArgs): Uint8Array {
  if (data !== undefined && input !== undefined && !equalBytes(data, input)) {
    throw failure(
      'Both "data" and "input" are set and not equal. Please use "input" to pass transaction call data.',
    );
  }
  return input ?? data ?? NOTHING;
}

/** Checks that a gas price does not come with fee caps. Throws `RpcError`. */
export function checkOnePrice({ gasPrice, maxFeePerGas, maxPriorityFeePerGas }: CallArgs): void {
  if (gasPrice !== undefined && (maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined)) {
    throw failure("both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified");
  }
}

type Unpriced = Omit<TransactionContent, "gasFeeCap" | "gasTipCap" | "chainId">;

/** Checks the chain id, and that a contract creation has input. Throws `RpcError`. */
export function checkContent(
  { chain }: { readonly chain: { readonly config: Pick<Chain["config"], "chainId"> } },
  args: CallArgs & { input: Uint8Array },
): void {
  checkNotEmpty(args, args.input);
  if (args.chainId !== undefined && args.chainId !== chain.config.chainId) {
    throw failure(`chainId does not match node's (have=${args.chainId}, want=${chain.config.chainId})`);
  }
}

function checkNotEmpty({ to }: CallArgs, input: Uint8Array): void {
  if (to === undefined && input.length === 0) throw failure("contract creation without any data provided");
}

function unpricedContent({ chain, pool }: DraftSource, args: GivenGas): Unpriced {
  const input = inputOf(args);
  checkContent({ chain }, { ...args, input });
  const { accessList, authorizationList } = args;
  return {
    nonce: args.nonce ?? pool.nonce(args.from ?? NO_ADDRESS),
    value: args.value ?? 0n,
    to: args.to,
    input,
    gas: args.gas,
    fields: {
      ...(accessList === undefined ? {} : { accessList }),
      ...(authorizationList === undefined ? {} : { authorizationList }),
    },
  };
}

/** Returns the price fields of a type without fee caps. */
export function singlePrice({ chain }: DraftSource, { gasPrice = suggestedPrice(chain) }: CallArgs) {
  return { gasFeeCap: gasPrice, gasTipCap: gasPrice };
}

/** Returns both fee caps. Throws `RpcError` when the next block cannot include them. */
export function feeCaps({ chain }: Pick<DraftSource, "chain">, args: CallArgs) {
  const baseFee = chain.nextBaseFee();
  const gasTipCap = args.maxPriorityFeePerGas ?? suggestedTip(chain);
  const gasFeeCap = args.maxFeePerGas ?? (baseFee === undefined ? gasTipCap : baseFee * 2n + gasTipCap);
  if (baseFee === undefined) checkUnitPrice(suggestedPrice(chain), gasFeeCap, gasTipCap);
  if (gasFeeCap < gasTipCap)
    throw failure(`maxFeePerGas (${gasFeeCap}) < maxPriorityFeePerGas (${gasTipCap})`);
  if (baseFee !== undefined && gasFeeCap < baseFee)
    throw failure(`maxFeePerGas (${gasFeeCap}) < BaseFee (${baseFee})`);
  return { gasFeeCap, gasTipCap };
}

function checkUnitPrice(unitPrice: bigint, ...offered: readonly bigint[]): void {
  if (offered.every((price) => price === unitPrice)) return;
  throw failure(
    `only 0x${unitPrice.toString(16)} is allowed to be used as maxFeePerGas and maxPriorityPerGas`,
  );
}

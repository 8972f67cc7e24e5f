/** From what a caller says about a transaction to a draft that can be signed: the rest is filled in. */
import { equalBytes } from "../../bytes/compare.ts";
import type { Chain } from "../../chain/chain.ts";
import { checkExecutable } from "../../execution/participants.ts";
import { signTransaction, type Transaction, type TransactionDraft } from "../../model/transaction.ts";
import { transactionType } from "../../model/transaction-table.ts";
import type { TransactionContent } from "../../model/transaction-type.ts";
import type { TxPool } from "../../txpool/pool.ts";
import type { CallArgs, SendArgs } from "../codecs/transaction-args.ts";
import { failure } from "../errors.ts";
import { suggestedPrice, suggestedTip } from "./fees.ts";

/** Where what is missing comes from. */
export interface DraftSource {
  readonly chain: Chain;
  readonly pool: Pick<TxPool, "nonce">;
}

/** The Go node's default: enough for a transfer and a little input. */
const DEFAULT_GAS = 90_000n;
const ACCESS_LIST = 0x7801;
const DYNAMIC_FEE = 0x7802;
const NOTHING = new Uint8Array(0);
const NO_ADDRESS = new Uint8Array(20);

/** A draft of the chain's own transaction object; legacy unless it says otherwise. Throws `RpcError` or `TransactionError`. */
export function chainDraft(source: DraftSource, args: SendArgs): TransactionDraft {
  const { typeInt: code = 0, feePayer } = args;
  checkExecutable({ type: transactionType(code) }); // what the pool would refuse is not filled in and signed
  if (feePayer !== undefined) throw failure("invalid fee payer is set");
  if (code !== 0 && args.data !== undefined)
    throw failure(`json:"data" is not a field of ${transactionType(code).name}`);
  const content = completed(source, args, args.gas ?? DEFAULT_GAS);
  if (code !== DYNAMIC_FEE) return { code, ...content, ...singlePrice(source, args) };
  if (args.gasPrice !== undefined)
    throw failure('json:"gasPrice" is not a field of TxTypeEthereumDynamicFee');
  return { code, ...content, ...caps(source, args) };
}

/** A draft of Ethereum's transaction object: the newest kind that fits what it says and the next block's rules. */
export function ethDraft(source: DraftSource, args: CallArgs): TransactionDraft {
  checkPrices(args);
  const { acceptedTypes } = source.chain.rules(source.chain.head().header.number + 1);
  const offersCaps = args.maxFeePerGas !== undefined || args.maxPriorityFeePerGas !== undefined;
  const code =
    offersCaps || (args.gasPrice === undefined && acceptedTypes.has(DYNAMIC_FEE))
      ? DYNAMIC_FEE
      : oneKind(args);
  const content = completed(source, args, args.gas);
  return { code, ...content, ...(code === DYNAMIC_FEE ? caps(source, args) : singlePrice(source, args)) };
}

function oneKind({ accessList }: CallArgs): number {
  return accessList === undefined ? 0 : ACCESS_LIST;
}

/** Throws `RpcError` for prices that exclude each other. */
export function checkPrices({ gasPrice, maxFeePerGas, maxPriorityFeePerGas }: CallArgs): void {
  if (gasPrice !== undefined && (maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined)) {
    throw failure("both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified");
  }
  if (
    maxFeePerGas !== undefined &&
    maxPriorityFeePerGas !== undefined &&
    maxFeePerGas < maxPriorityFeePerGas
  ) {
    throw failure("MaxPriorityFeePerGas is greater than MaxFeePerGas");
  }
}

/** The input of a transaction object, which has two names. Throws `RpcError` when they contradict each other. */
function inputOf({ data, input }: CallArgs): Uint8Array {
  if (data !== undefined && input !== undefined && !equalBytes(data, input)) {
    throw failure(
      'Both "data" and "input" are set and not equal. Please use "input" to pass transaction call data.',
    );
  }
  return input ?? data ?? NOTHING;
}

type Unpriced = Omit<TransactionContent, "gasFeeCap" | "gasTipCap" | "chainId">;

function completed({ chain, pool }: DraftSource, args: CallArgs, gas: bigint | undefined): Unpriced {
  const input = inputOf(args);
  if (args.to === undefined && input.length === 0)
    throw failure("contract creation without any data provided");
  if (args.chainId !== undefined && args.chainId !== chain.config.chainId) {
    throw failure(`chainId does not match node's (have=${args.chainId}, want=${chain.config.chainId})`);
  }
  const content = {
    nonce: args.nonce ?? pool.nonce(args.from ?? NO_ADDRESS),
    value: args.value ?? 0n,
    to: args.to,
    input,
    fields: args.accessList === undefined ? {} : { accessList: args.accessList },
  };
  return { ...content, gas: gas ?? requiredGas(chain, { ...args, input }) };
}

/** The gas of a transaction that runs no code. */
export function requiredGas(chain: Chain, args: CallArgs): bigint {
  const rules = chain.rules(chain.head().header.number);
  const content: TransactionContent = {
    nonce: 0n,
    gas: 0n,
    gasFeeCap: 0n,
    gasTipCap: 0n,
    value: args.value ?? 0n,
    to: args.to,
    input: inputOf(args),
    chainId: undefined,
    fields: args.accessList === undefined ? {} : { accessList: args.accessList },
  };
  const kind = transactionType(oneKind(args));
  const [due, floor] = [kind.intrinsicGas(content, rules), kind.floorGas(content, rules)];
  return due > floor ? due : floor;
}

function singlePrice({ chain }: DraftSource, { gasPrice = suggestedPrice(chain) }: CallArgs) {
  return { gasFeeCap: gasPrice, gasTipCap: gasPrice };
}

function caps({ chain }: DraftSource, args: CallArgs) {
  const baseFee = chain.nextBaseFee();
  const gasTipCap = args.maxPriorityFeePerGas ?? suggestedTip(chain);
  const gasFeeCap = args.maxFeePerGas ?? (baseFee === undefined ? gasTipCap : baseFee * 2n + gasTipCap);
  if (gasFeeCap < gasTipCap)
    throw failure(`maxFeePerGas (${gasFeeCap}) < maxPriorityFeePerGas (${gasTipCap})`);
  if (baseFee !== undefined && gasFeeCap < baseFee)
    throw failure(`maxFeePerGas (${gasFeeCap}) < BaseFee (${baseFee})`);
  return { gasFeeCap, gasTipCap };
}

/** Signs a draft where the signature takes its time, as when a key has to be decrypted for it. */
export async function signLater(
  draft: TransactionDraft,
  chainId: bigint,
  sign: (digest: Uint8Array) => Promise<Uint8Array>,
): Promise<Transaction> {
  let digest = NOTHING;
  signTransaction(draft, chainId, (wanted) => {
    digest = new Uint8Array(wanted);
    return PLACEHOLDER;
  });
  const signature = await sign(digest);
  return signTransaction(draft, chainId, () => signature);
}

/** r and s of 1: a well-formed signature, thrown away once the digest is known. */
const PLACEHOLDER = new Uint8Array(65);
PLACEHOLDER[31] = 1;
PLACEHOLDER[63] = 1;

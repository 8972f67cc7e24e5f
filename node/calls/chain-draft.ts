/** Fills in Kaia's transaction object of any type to a draft that can be signed. */

import type { Address } from "../bytes/brands.ts";
import { failure } from "../jsonrpc/errors.ts";
import type { TransactionDraft } from "../model/transaction.ts";
import { transactionTypes } from "../model/transaction-table.ts";
import type { TransactionContent, TransactionType } from "../model/transaction-type.ts";
import type { SendArgs } from "./arguments/transaction-args.ts";
import {
  ACCESS_LIST,
  checkNotEmpty,
  type DraftSource,
  DYNAMIC_FEE,
  feeCaps,
  inputOf,
  LEGACY,
  SET_CODE,
  singlePrice,
} from "./transaction-draft.ts";

/** The Go node's default gas limit, enough for a transfer with a little input. */
const DEFAULT_GAS = 90_000n;
const NOTHING = new Uint8Array(0);
const NO_ADDRESS: Address = new Uint8Array(20);

/** Members of the object in the order in which the Go node checks them. */
const MEMBERS = [
  "to",
  "gas",
  "gasPrice",
  "maxPriorityFeePerGas",
  "maxFeePerGas",
  "value",
  "nonce",
  "data",
  "input",
  "codeFormat",
  "humanReadable",
  "key",
  "accessList",
  "chainId",
  "authorizationList",
  "feePayer",
  "feeRatio",
] as const satisfies readonly (keyof SendArgs)[];

/** Members whose tags in the Go node, which its errors quote, have an option. */
const OMITTED_WHEN_EMPTY: ReadonlySet<string> = new Set(["accessList", "chainId", "authorizationList"]);

/** Members with a default. */
const FILLED_IN: ReadonlySet<string> = new Set(["gas", "gasPrice", "nonce"]);

/** Creates a draft of the type in the object, legacy by default. Throws `RpcError`. */
export function chainDraft(source: DraftSource, args: SendArgs): TransactionDraft {
  const type = typeOf(args.typeInt ?? 0);
  return namesSender(type) ? familyDraft(source, type, args) : ethereumDraft(source, type, args);
}

/** High byte of the numbers of Ethereum's types. */
const ETHEREUM_TYPES = 0x78;
/** Numbers that have a name and no type. */
const RESERVED_TYPES: ReadonlyMap<number, string> = new Map([
  [0x18, "TxTypeAccountCreation"],
  [0x40, "TxTypeBatch"],
]);

/** Returns the transaction type of a type number. Throws `RpcError`. */
export function typeOf(code: number): TransactionType {
  const type = transactionTypes.find((row) => row.code === code);
  if (type === undefined) {
    const isEthereum = code >> 8 === ETHEREUM_TYPES;
    const name = RESERVED_TYPES.get(code) ?? "UndefinedTxType";
    throw failure(isEthereum ? "undefined tx type" : `json:"typeInt" is not a field of ${name}`);
  }
  return type;
}

/**
 * Returns true for Kaia's own types, whose sender is a field and whose signers follow from the account key.
 */
export function namesSender(type: TransactionType): boolean {
  return "from" in type.json(BLANK);
}

/**
 * Creates a draft of a legacy or Ethereum transaction (`setDefaults` and `toTransaction` of `SendTxArgs` in
 * `api/tx_args.go@v2.2.2`).
 */
function ethereumDraft(source: DraftSource, type: TransactionType, args: SendArgs): TransactionDraft {
  const offersCaps = type.code === DYNAMIC_FEE || type.code === SET_CODE;
  const { baseFee: hasBaseFee } = source.chain.rules(source.chain.head().header.number + 1);
  const prices = offersCaps ? feeCaps(source, args, hasBaseFee) : singlePrice(source, args);
  const isLegacy = type.code === LEGACY;
  const input = isLegacy ? inputOf(args) : (args.input ?? NOTHING);
  if (isLegacy) checkNotEmpty(args, input);
  else checkTypedMembers(type, args);
  const { accessList, authorizationList } = args;
  return {
    code: type.code,
    ...filledIn(source, args),
    value: args.value ?? 0n,
    to: args.to,
    input,
    fields: {
      ...(accessList === undefined || isLegacy ? {} : { accessList }),
      ...(authorizationList === undefined || isLegacy ? {} : { authorizationList }),
    },
    ...prices,
  };
}

/** Members that every typed Ethereum transaction takes. The Go node ignores `data`. */
const TYPED_MEMBERS = ["to", "gas", "value", "nonce", "data", "input", "accessList", "chainId"];
const PRICE_MEMBERS: Readonly<Record<number, readonly string[]>> = {
  [ACCESS_LIST]: ["gasPrice"],
  [DYNAMIC_FEE]: ["maxFeePerGas", "maxPriorityFeePerGas"],
  [SET_CODE]: ["maxFeePerGas", "maxPriorityFeePerGas", "authorizationList"],
};

/**
 * Checks the members of a typed Ethereum transaction in the Go node's order. Throws `RpcError` for a missing or a
 * foreign one, and for every blob transaction, which the Go node never completes.
 */
function checkTypedMembers({ code }: TransactionType, args: SendArgs): void {
  const prices = PRICE_MEMBERS[code];
  if (prices === undefined || (code === SET_CODE && args.to === undefined)) {
    throw failure("To must be a type of common.Address");
  }
  if (args.accessList === undefined) throw failure("AccessList must be a type of AccessList");
  if (code === SET_CODE && args.authorizationList === undefined) {
    throw failure("AuthorizationList must be a type of AuthorizationList");
  }
  const taken = new Set([...TYPED_MEMBERS, ...prices]);
  if (MEMBERS.some((member) => args[member] !== undefined && !taken.has(member))) {
    throw failure("undefined key remains");
  }
}

/**
 * Creates a draft of one of Kaia's own types. Every member of the type is required and all others are
 * refused.
 */
function familyDraft(source: DraftSource, type: TransactionType, args: SendArgs): TransactionDraft {
  checkMembers(type, args);
  const { from = NO_ADDRESS, key, humanReadable, codeFormat, feePayer, feeRatio } = args;
  return {
    code: type.code,
    ...filledIn(source, args),
    value: args.value ?? 0n,
    to: args.to,
    input: args.input ?? NOTHING,
    fields: {
      from,
      ...(key === undefined ? {} : { key }),
      ...(humanReadable === undefined ? {} : { humanReadable }),
      ...(codeFormat === undefined ? {} : { codeFormat }),
      ...(feePayer === undefined ? {} : { feePayer }),
      ...(feeRatio === undefined ? {} : { feeRatio }),
    },
    ...singlePrice(source, args),
  };
}

function checkMembers(type: TransactionType, args: SendArgs): void {
  const own = type.json(BLANK);
  for (const member of MEMBERS) {
    const belongs = member in own || (member === "feePayer" && type.payerDigest !== undefined);
    const given = args[member] !== undefined;
    const tag = `json:"${member}${OMITTED_WHEN_EMPTY.has(member) ? ",omitempty" : ""}"`;
    if (given && !belongs) throw failure(`${tag} is not a field of ${type.name}`);
    if (!given && belongs && !mayBeMissing(type, member)) {
      throw failure(`${tag} is required for ${type.name}`);
    }
  }
  if (args.to !== undefined && type.creates(BLANK)) {
    throw failure("contract deploy transaction can't have a recipient address");
  }
}

/** Returns true for members with a default, and for the recipient of a contract deployment. */
function mayBeMissing(type: TransactionType, member: string): boolean {
  return FILLED_IN.has(member) || (member === "to" && type.creates(BLANK));
}

function filledIn({ pool }: DraftSource, { nonce, gas = DEFAULT_GAS, from = NO_ADDRESS }: SendArgs) {
  return { nonce: nonce ?? pool.nonce(from), gas };
}

/** A content with all fields, used to find the members of each type. */
const BLANK: TransactionContent = {
  nonce: 0n,
  gas: 0n,
  gasFeeCap: 0n,
  gasTipCap: 0n,
  value: 0n,
  to: NO_ADDRESS,
  input: NOTHING,
  chainId: 0n,
  fields: {},
};

/** Checks that a typed Ethereum transaction to sign names its prices. Throws `RpcError`. */
export function checkNamedPrices(args: SendArgs): void {
  const { typeInt = 0, gasPrice, maxFeePerGas, maxPriorityFeePerGas } = args;
  if (typeInt >> 8 !== ETHEREUM_TYPES || gasPrice !== undefined) return;
  if (maxFeePerGas === undefined || maxPriorityFeePerGas === undefined)
    throw failure("missing gasPrice or maxFeePerGas/maxPriorityFeePerGas");
}

/**
 * Checks that a transaction for a fee payer has all the members that its sender signed. Throws `RpcError`.
 */
export function checkPayerRequest({ typeInt, nonce, gas, gasPrice, signatures }: SendArgs): void {
  if (typeInt === undefined) throw failure("tx should have a type value");
  if (nonce === undefined) throw failure("nonce of the sender is not set");
  if (gas === undefined) throw failure("gas limit is not set");
  if (gasPrice === undefined) throw failure("gas price is not set");
  if (signatures === undefined) throw failure("sender signature is not set");
}

/** From the chain's own transaction object, of any kind, to a draft that can be signed: the rest is filled in. */

import { failure } from "../jsonrpc/errors.ts";
import type { TransactionDraft } from "../model/transaction.ts";
import { transactionTypes } from "../model/transaction-table.ts";
import type { TransactionContent, TransactionType } from "../model/transaction-type.ts";
import type { SendArgs } from "./arguments/transaction-args.ts";
import { caps, checkContent, type DraftSource, inputOf, singlePrice } from "./transaction-draft.ts";

/** The Go node's default: enough for a transfer and a little input. */
const DEFAULT_GAS = 90_000n;
const NOTHING = new Uint8Array(0);
const NO_ADDRESS = new Uint8Array(20);

/** The members of the object in the order in which the Go node looks at them. */
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

/** Members that are filled in when they are left out. */
const FILLED_IN: ReadonlySet<string> = new Set(["gas", "gasPrice", "nonce"]);

/** A draft of the kind that the object names, legacy when it names none. Throws `RpcError`. */
export function chainDraft(source: DraftSource, args: SendArgs): TransactionDraft {
  const type = typeOf(args.typeInt ?? 0);
  return namesSender(type) ? familyDraft(source, type, args) : ethereumDraft(source, type, args);
}

/** The row of a kind's number. Throws `RpcError`. */
export function typeOf(code: number): TransactionType {
  const type = transactionTypes.find((row) => row.code === code);
  if (type === undefined) throw failure('json:"typeInt" is not a field of UndefinedTxType');
  return type;
}

/** True for the chain's own kinds, whose key on the account says who may sign; false for those of Ethereum. */
export function namesSender(type: TransactionType): boolean {
  return "from" in type.json(BLANK);
}

/** Legacy and Ethereum's kinds: what they lack is ignored. */
function ethereumDraft(source: DraftSource, type: TransactionType, args: SendArgs): TransactionDraft {
  const shown = type.json(BLANK);
  if ("blobVersionedHashes" in shown)
    throw failure(`json:"blobVersionedHashes" is required for ${type.name}`);
  const input = inputOf(args);
  checkContent(source, { ...args, input });
  if (args.to === undefined && !type.creates({ ...BLANK, to: undefined })) {
    throw failure(`json:"to" is required for ${type.name}`);
  }
  const { accessList, authorizationList } = args;
  return {
    code: type.code,
    ...filledIn(source, args),
    value: args.value ?? 0n,
    to: args.to,
    input,
    fields: {
      ...(accessList === undefined ? {} : { accessList }),
      ...(authorizationList === undefined ? {} : { authorizationList }),
    },
    ...("maxFeePerGas" in shown ? caps(source, args) : singlePrice(source, args)),
  };
}

/** The chain's own kinds: every member that the kind has is needed, every other is refused. */
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
    if (given && !belongs) throw failure(`json:"${member}" is not a field of ${type.name}`);
    if (!given && belongs && !mayBeMissing(type, member)) {
      throw failure(`json:"${member}" is required for ${type.name}`);
    }
  }
  if (args.to !== undefined && type.creates(BLANK)) {
    throw failure("contract deploy transaction can't have a recipient address");
  }
}

/** Gas, price and nonce are filled in, and a contract to be made has no address yet. */
function mayBeMissing(type: TransactionType, member: string): boolean {
  return FILLED_IN.has(member) || (member === "to" && type.creates(BLANK));
}

function filledIn({ pool }: DraftSource, { nonce, gas = DEFAULT_GAS, from = NO_ADDRESS }: SendArgs) {
  return { nonce: nonce ?? pool.nonce(from), gas };
}

/** A content of every kind, to ask the rows which members they have. */
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

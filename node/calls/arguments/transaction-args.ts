/** Codecs of transaction objects in parameters: Kaia's, Ethereum's and those of calls. */
import { toHex } from "../../bytes/hex.ts";
import { integerBytes, toQuantity } from "../../bytes/integer.ts";
import {
  type Codec,
  type Decoded,
  type Decoder,
  object,
  requiredObject,
  wrongKind,
} from "../../jsonrpc/codec.ts";
import {
  address,
  data,
  hash,
  listOf,
  quantity,
  quantity64,
  quantity256,
  storageKey,
} from "../../jsonrpc/codecs/hex.ts";
import { boolean, integer } from "../../jsonrpc/codecs/plain.ts";
import { arraySchema, schemaRefs } from "../../jsonrpc/schemas.ts";
import { authorizationsJson } from "../../model/authorization.ts";
import type { AccessListEntry, Authorization, Signature } from "../../model/transaction-type.ts";

const accessListEntry = requiredObject("access list entry", "types.AccessTuple", {
  address,
  storageKeys: listOf(storageKey, "[]common.Hash"),
});

const accessList: Decoder<readonly AccessListEntry[]> = {
  label: "access list",
  schema: arraySchema(accessListEntry.schema),
  decode(json) {
    if (!Array.isArray(json)) throw wrongKind(json, "types.AccessList");
    return json.map((entry) => accessListEntry.decode(entry));
  },
};

const authorizationEntry = requiredObject("authorization", "types.SetCodeAuthorization", {
  chainId: quantity256,
  address,
  nonce: quantity64,
  yParity: quantity64,
  r: quantity256,
  s: quantity256,
});

/** Decoder of authorizations (EIP-7702). Of `yParity` the Go node keeps the lowest byte. */
const authorizationList: Decoder<readonly Authorization[]> = {
  label: "authorization list",
  schema: arraySchema(authorizationEntry.schema),
  decode(json) {
    if (!Array.isArray(json)) throw wrongKind(json, "[]types.SetCodeAuthorization");
    return json.map((entry) => {
      const { yParity, r, s, ...given } = authorizationEntry.decode(entry);
      return { ...given, yParity: Number(yParity & 0xffn), r: integerBytes(r), s: integerBytes(s) };
    });
  },
};

const signature = object("signature", "types.TxSignatureJSON", { V: quantity, R: quantity, S: quantity });

/** Decoder of existing signatures, in the form of results. */
const signatures: Decoder<readonly Signature[]> = {
  label: "signatures",
  schema: arraySchema(signature.schema),
  decode(json) {
    if (!Array.isArray(json)) throw wrongKind(json, "types.TxSignaturesJSON");
    return json.map((entry) => {
      const { V = 0n, R = 0n, S = 0n } = signature.decode(entry);
      return { v: V, r: integerBytes(R), s: integerBytes(S) };
    });
  },
};

const callFields = {
  from: address,
  to: address,
  gas: quantity64,
  gasPrice: quantity,
  maxFeePerGas: quantity,
  maxPriorityFeePerGas: quantity,
  value: quantity,
  data,
  input: data,
  accessList,
  chainId: quantity,
};

/** Transaction object of Kaia's sending methods. */
export const sendArgs = object("transaction", "api.SendTxArgs", {
  ...callFields,
  nonce: quantity64,
  typeInt: integer("types.TxType", 0, 0xffff),
  codeFormat: integer("params.CodeFormat", 0, 255),
  humanReadable: boolean,
  key: data,
  feePayer: address,
  feeRatio: integer("types.FeeRatio", 0, 255),
  authorizationList,
  signatures,
});

/** Transaction object of `personal_sendValueTransfer`. */
export const valueTransferArgs = object("value transfer", "api.ValueTransferTxArgs", {
  from: address,
  gas: quantity64,
  gasPrice: quantity,
  to: address,
  value: quantity,
  nonce: quantity64,
});

/** Transaction object of `personal_sendAccountUpdate`. */
export const accountUpdateArgs = object("account update", "api.AccountUpdateTxArgs", {
  from: address,
  gas: quantity64,
  gasPrice: quantity,
  nonce: quantity64,
  key: data,
});

const ethFields = { ...callFields, nonce: quantity64, authorizationList };

/** Transaction object of Ethereum's sending and estimating methods and of `createAccessList`. */
export const ethArgs = object("transaction", "api.EthTransactionArgs", ethFields);

/** Transaction object of Kaia's calling and estimating methods; it has no authorization list. */
export const callArgs = object("call", "api.CallArgs", callFields);

/** A decoded call or Ethereum transaction, all members optional. */
export type CallArgs = Partial<Decoded<typeof ethFields>>;

/** A decoded transaction object of Kaia's sending methods. */
export type SendArgs = typeof sendArgs extends Decoder<infer T> ? T : never;

/** Codec of a transaction hash. */
export const transactionHash: Codec<Uint8Array> = {
  ...hash,
  label: "transaction hash",
  schema: schemaRefs.transactionHash,
};

/** Encodes a transaction object as JSON, to pass it to a reader thread. */
export function callArgsJson(args: CallArgs): object {
  const json: Record<string, unknown> = {};
  const { authorizationList: authorizations, ...plain } = args;
  for (const [name, value] of Object.entries(plain)) json[name] = argumentJson(value);
  if (authorizations !== undefined) json["authorizationList"] = authorizationsJson(authorizations);
  return json;
}

function argumentJson(value: unknown): unknown {
  if (typeof value === "bigint") return toQuantity(value);
  if (value instanceof Uint8Array) return toHex(value);
  if (Array.isArray(value)) return value.map(argumentJson);
  return typeof value === "object" && value !== null ? callArgsJson(value) : value;
}

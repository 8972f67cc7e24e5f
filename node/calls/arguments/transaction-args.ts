/** The transaction objects that callers send: the chain's own, Ethereum's and that of calls. */
import { integerBytes } from "../../bytes/integer.ts";
import {
  type Codec,
  type Decoded,
  type Decoder,
  object,
  requiredObject,
  wrongKind,
} from "../../jsonrpc/codec.ts";
import { address, data, hash, listOf, quantity, quantity64, quantity256 } from "../../jsonrpc/codecs/hex.ts";
import { boolean, integer } from "../../jsonrpc/codecs/plain.ts";
import { arraySchema, schemaRefs } from "../../jsonrpc/schemas.ts";
import type { AccessListEntry, Authorization, Signature } from "../../model/transaction-type.ts";

const accessListEntry = requiredObject("access list entry", "types.AccessTuple", {
  address,
  storageKeys: listOf(hash, "[]common.Hash"),
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

/** Lets accounts run others' code as their own (EIP-7702). Of `yParity` the Go node keeps the lowest byte. */
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

/** Signatures that somebody has made already, as answers show them. */
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

/** What the chain's sending methods take. */
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

/** What `personal_sendValueTransfer` takes. */
export const valueTransferArgs = object("value transfer", "api.ValueTransferTxArgs", {
  from: address,
  gas: quantity64,
  gasPrice: quantity,
  to: address,
  value: quantity,
  nonce: quantity64,
});

/** What `personal_sendAccountUpdate` takes. */
export const accountUpdateArgs = object("account update", "api.AccountUpdateTxArgs", {
  from: address,
  gas: quantity64,
  gasPrice: quantity,
  nonce: quantity64,
  key: data,
});

const ethFields = { ...callFields, nonce: quantity64, authorizationList };

/** What Ethereum's sending and estimating methods take, and `createAccessList` of both. */
export const ethArgs = object("transaction", "api.EthTransactionArgs", ethFields);

/** What the chain's calling and estimating methods take; an authorization list is none of its members. */
export const callArgs = object("call", "api.CallArgs", callFields);

/** What a call or a transaction to be filled in is described by. */
export type CallArgs = Partial<Decoded<typeof ethFields>>;

/** What `sendArgs` decodes to. */
export type SendArgs = typeof sendArgs extends Decoder<infer T> ? T : never;

/** A transaction's hash, as results. */
export const transactionHash: Codec<Uint8Array> = {
  ...hash,
  label: "transaction hash",
  schema: schemaRefs.transactionHash,
};

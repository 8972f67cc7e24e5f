/** The transaction objects that callers send: the chain's own, Ethereum's and that of calls. */
import type { AccessListEntry } from "../../model/transaction-type.ts";
import { type Codec, type Decoded, type Decoder, object, wrongKind } from "../codec.ts";
import { address, anything, data, hash, listOf, quantity, quantity64 } from "./hex.ts";
import { boolean, integer } from "./plain.ts";

const accessListEntry = object("access list entry", "types.AccessTuple", {
  address,
  storageKeys: listOf(hash, "[]common.Hash"),
});

const accessList: Decoder<readonly AccessListEntry[]> = {
  label: "access list",
  decode(json) {
    if (!Array.isArray(json)) throw wrongKind(json, "types.AccessList");
    return json.map((entry) => {
      const { address: account = new Uint8Array(20), storageKeys = [] } = accessListEntry.decode(entry);
      return { address: account, storageKeys };
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
  nonce: quantity64,
  data,
  input: data,
  accessList,
  chainId: quantity,
};

/** What the chain's sending methods take. */
export const sendArgs = object("transaction", "api.SendTxArgs", {
  ...callFields,
  typeInt: integer("types.TxType", 0, 0xffff),
  codeFormat: integer("params.CodeFormat", 0, 255),
  humanReadable: boolean,
  key: data,
  feePayer: address,
  feeRatio: integer("types.FeeRatio", 0, 255),
  signatures: anything,
});

/** What Ethereum's sending and estimating methods take. */
export const ethArgs = object("transaction", "api.EthTransactionArgs", callFields);

/** What the chain's estimating method takes. */
export const callArgs = object("call", "api.CallArgs", callFields);

/** The members that all three have. */
export type CallArgs = Partial<Decoded<typeof callFields>>;

/** What `sendArgs` decodes to. */
export type SendArgs = typeof sendArgs extends Decoder<infer T> ? T : never;

/** A transaction's hash, as results. */
export const transactionHash: Codec<Uint8Array> = { ...hash, label: "transaction hash" };

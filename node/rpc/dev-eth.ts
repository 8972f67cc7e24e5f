/** Methods of the module `eth` that Anvil has beside those of other nodes, on a development chain. */
import { toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import { type BlockReference, blockReference } from "../calls/arguments/block-number.ts";
import type { Chain } from "../chain/chain.ts";
import { type Codec, CodecError, type Decoder, optional } from "../jsonrpc/codec.ts";
import { address, nullable, quantity, storageKey } from "../jsonrpc/codecs/hex.ts";
import { plain, text } from "../jsonrpc/codecs/plain.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, mapSchema, recordSchema, schemaRefs } from "../jsonrpc/schemas.ts";
import type { Ask } from "./own-calls.ts";

/** Dependencies of the methods. */
export interface DevEthDeps {
  readonly chain: Pick<Chain, "nextBaseFee">;
  /** Calls the node's own methods, on a fork with what they read. */
  readonly ask: Ask;
}

/** Slots of one answer. */
const MAX_SLOTS = 1_024;

/** A block in any form, as the text that names it. */
const block: Decoder<string> = {
  label: blockReference.label,
  schema: blockReference.schema,
  decode(json) {
    const reference: BlockReference = blockReference.decode(json) ?? { number: "latest" };
    if (reference.hash !== undefined) return toHex(reference.hash);
    const { number } = reference;
    return typeof number === "number" ? toQuantity(number) : number;
  },
};

const { quantity: quantitySchema, hash: hashSchema, data } = schemaRefs;
const accountSchema = recordSchema({
  nonce: quantitySchema,
  balance: quantitySchema,
  storageRoot: hashSchema,
  codeHash: hashSchema,
});
const infoSchema = recordSchema({ balance: quantitySchema, nonce: quantitySchema, code: data });

/** The methods. */
export function devEthMethods({ chain, ask }: DevEthDeps): Method[] {
  const params = { account: text, block: optional(block, "latest") };
  return [
    method({
      name: "eth_baseFee",
      summary:
        "On a development chain: returns the base fee of the next block, in peb; null before the base fee fork (Magma).",
      params: {},
      result: nullable(quantity),
      handle: () => chain.nextBaseFee(),
    }),
    method({
      name: "eth_networkId",
      summary: "On a development chain: returns the network id, as `net_version` does.",
      params: {},
      result: plain<unknown>("text", { type: "string" }),
      handle: () => ask("net_version"),
    }),
    method({
      name: "eth_getAccount",
      summary:
        "On a development chain: returns nonce, balance, storage root and code hash of an account, in Ethereum's form.",
      params,
      result: plain<object>("{nonce, balance, storageRoot, codeHash}", accountSchema),
      handle: async ({ account, block: at }) => {
        const { nonce, balance, storageHash, codeHash } = (await ask(
          "eth_getProof",
          account,
          [],
          at,
        )) as Proof;
        return { nonce, balance, storageRoot: storageHash, codeHash };
      },
    }),
    method({
      name: "eth_getAccountInfo",
      summary: "On a development chain: returns balance, nonce and code of an account.",
      params,
      result: plain<object>("{balance, nonce, code}", infoSchema),
      handle: async ({ account, block: at }) => {
        const [balance, nonce, code] = await Promise.all(
          ["eth_getBalance", "eth_getTransactionCount", "eth_getCode"].map((name) => ask(name, account, at)),
        );
        return { balance, nonce, code };
      },
    }),
    method({
      name: "eth_getStorageValues",
      summary: "On a development chain: returns the values of storage slots by account, up to 1,024 in all.",
      params: { slots: slotLists, block: optional(block, "latest") },
      result: plain<object>("{account: hash[]}", mapSchema("values by account", arraySchema(hashSchema))),
      handle: async ({ slots, block: at }) => {
        const answer: Record<string, readonly unknown[]> = {};
        for (const [account, keys] of slots)
          answer[account] = await Promise.all(keys.map((key) => ask("eth_getStorageAt", account, key, at)));
        return answer;
      },
    }),
  ];
}

/** Answer of `eth_getProof`. */
interface Proof {
  readonly nonce: string;
  readonly balance: string;
  readonly storageHash: string;
  readonly codeHash: string;
}

type SlotLists = readonly (readonly [account: string, keys: readonly string[]])[];

/** Slots by account, as Anvil takes them: `{"0x...": ["0x...", ...]}`. */
const slotLists: Codec<SlotLists> = {
  label: "{account: hash[]}",
  schema: {
    ...mapSchema("slots by account", arraySchema(hashSchema)),
    propertyNames: schemaRefs.address,
  },
  decode(json) {
    if (typeof json !== "object" || json === null || Array.isArray(json))
      throw new CodecError("want an object of slots by account");
    const lists = Object.entries(json).map(([account, keys]) => {
      if (!Array.isArray(keys)) throw new CodecError("want a list of slots for each account");
      return [toHex(address.decode(account)), keys.map((key) => toHex(storageKey.decode(key)))] as const;
    });
    const count = lists.reduce((sum, [, keys]) => sum + keys.length, 0);
    if (count > MAX_SLOTS) throw new CodecError(`${count} slots are too many: at most ${MAX_SLOTS}`);
    return lists;
  },
  encode: (value) => JSON.stringify(Object.fromEntries(value)),
};

/** Decoder of state overrides, the third parameter of `eth_call`. */
import type { Address, StorageKey } from "../../bytes/brands.ts";
import { type Decoder, KeptError, object, wrongKind } from "../../jsonrpc/codec.ts";
import { address, data, hash, quantity, quantity64, storageKey } from "../../jsonrpc/codecs/hex.ts";
import { jsonKind } from "../../jsonrpc/json-text.ts";
import { mapSchema } from "../../jsonrpc/schemas.ts";

/** Overrides of one account. `state` replaces its whole storage, `stateDiff` replaces single slots. */
export interface AccountOverride {
  readonly address: Address;
  readonly nonce?: bigint | undefined;
  readonly code?: Uint8Array | undefined;
  readonly balance?: bigint | undefined;
  readonly state?: readonly SlotOverride[] | undefined;
  readonly stateDiff?: readonly SlotOverride[] | undefined;
}

/** Key and value of a slot, 32 bytes each. */
export type SlotOverride = readonly [key: StorageKey, value: Uint8Array];

const slots: Decoder<readonly SlotOverride[]> = {
  label: "slots",
  schema: mapSchema("slots", hash.schema),
  decode(json) {
    if (jsonKind(json) !== "object") throw wrongKind(json, "map[common.Hash]common.Hash");
    return Object.entries(json as object).map(([key, value]) => [storageKey.decode(key), hash.decode(value)]);
  },
};

const override = object("override", "api.EthOverrideAccount", {
  nonce: quantity64,
  code: data,
  balance: quantity,
  state: slots,
  stateDiff: slots,
});

/** Decoder of an object with overrides by address. */
export const stateOverrides: Decoder<readonly AccountOverride[]> = {
  label: "state overrides",
  schema: mapSchema("state overrides", override.schema),
  decode(json) {
    if (jsonKind(json) !== "object") throw wrongKind(json, "api.EthStateOverride");
    const kept = new KeptError();
    const overrides = Object.entries(json as object).map(([account, changes]) => {
      const given = kept.decode(() => override.decode(changes));
      return { address: address.decode(account), ...given };
    });
    kept.end();
    return overrides;
  },
};

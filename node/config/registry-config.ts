/** The contract registry (KIP-149) in a chain configuration: `randaoRegistry`. */
import type { Address } from "../bytes/brands.ts";
import { fromBareHex } from "../bytes/hex.ts";
import { ConfigError } from "./error.ts";
import { member, readObject, readText } from "./json-reader.ts";

/** Initial content of the registry. */
export interface RegistryConfig {
  /** Records in ascending order of names. */
  readonly records: readonly { readonly name: string; readonly address: Address }[];
  readonly owner: Address;
}

/** Reads `randaoRegistry`. Throws `ConfigError` `bad-chain-config`. */
export function parseRegistry(json: unknown): RegistryConfig | undefined {
  if (json === undefined) return undefined;
  const registry = readObject(json, "randaoRegistry");
  const records = readObject(member(registry, "records") ?? {}, "randaoRegistry.records");
  return {
    records: Object.keys(records)
      .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      .map((name) => ({ name, address: addressOf(readText(records, name, ""), name) })),
    owner: addressOf(readText(registry, "owner", `0x${"00".repeat(20)}`), "owner"),
  };
}

function addressOf(text: string, name: string): Address {
  const digits = text.replace(/^0x/i, "");
  if (/^[0-9a-f]{40}$/i.test(digits)) return fromBareHex(digits);
  const message = `randaoRegistry.${name} is not an address: ${text.slice(0, 60)}`;
  throw new ConfigError("bad-chain-config", message);
}

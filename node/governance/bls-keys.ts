/**
 * BLS keys of proposers, from the key registry contract (KIP-113) that the contract registry (KIP-149) names.
 */
import type { Address } from "../bytes/brands.ts";
import { bareHex, mapKey } from "../bytes/hex.ts";
import type { ChainConfig } from "../config/chain-config.ts";
import { rulesAt } from "../config/rules.ts";
import { RecentMap } from "../runtime/recent-map.ts";
import type { ContractReader } from "./contract-reader.ts";
import { GovernanceError } from "./error.ts";
import {
  activeContract,
  REGISTRY,
  type RegisteredKey,
  type RegisteredNode,
  registeredKeys,
} from "./system-contracts.ts";

/** BLS keys by block and node. */
export interface BlsKeys {
  /**
   * Returns the key of a node as registered before block `number`. Throws `GovernanceError`, `StateError`
   * `state-missing`.
   */
  key(number: number, node: Address): RegisteredKey | undefined;
  /** Returns all keys. Throws as `key`. */
  all(number: number): readonly RegisteredNode[];
}

type KeysByNode = ReadonlyMap<string, RegisteredNode>;

/** Name of the key registry in the contract registry. */
const KEYS_NAME = "KIP113";
/** Cached results; they change with the storage of a contract. */
const CACHED = 8;

/** Opens the keys of a chain. */
export function openBlsKeys(chain: {
  readonly config: ChainConfig;
  readonly contracts: (number: number) => ContractReader;
}): BlsKeys {
  const cached = new RecentMap<KeysByNode>(CACHED);
  const keysAt = (number: number): KeysByNode => {
    const reader = chain.contracts(number - 1);
    const address = contractOf(chain.config, number, reader);
    const version = storageVersion(reader, address);
    let keys = cached.get(version);
    if (keys === undefined) {
      keys = new Map(registeredKeys(reader, address).map((each) => [mapKey(each.node), each]));
      cached.set(version, keys);
    }
    return keys;
  };
  return {
    key: (number, node) => keysAt(number).get(mapKey(node))?.key,
    all: (number) => [...keysAt(number).values()],
  };
}

/**
 * Returns the key registry's address. At the block that installs the contract registry it is the configured
 * one.
 */
function contractOf(config: ChainConfig, number: number, reader: ContractReader): Address {
  const installs = !rulesAt(config, number - 1).randao;
  const address = installs
    ? config.randaoRegistry?.records.find(({ name }) => name === KEYS_NAME)?.address
    : activeContract(reader, KEYS_NAME);
  if (address === undefined) throw new GovernanceError("no-key", "no registry of BLS keys");
  return address;
}

function storageVersion(reader: ContractReader, address: Address): string {
  const roots = [address, REGISTRY].map((each) => {
    const account = reader.account(each);
    return account === undefined ? "" : bareHex(account.storageRoot);
  });
  return `${bareHex(address)}:${roots.join(":")}`;
}

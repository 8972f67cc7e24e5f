/** BLS keys of proposers, out of the registry contract (KIP-113) that the registry of contracts (KIP-149) names. */
import { bareHex, mapKey } from "../bytes/hex.ts";
import type { ChainConfig } from "../config/chain-config.ts";
import { rulesAt } from "../config/rules.ts";
import { RecentMap } from "../state/recent-map.ts";
import type { ContractReader } from "./contract-reader.ts";
import { GovernanceError } from "./error.ts";
import {
  activeContract,
  REGISTRY,
  type RegisteredKey,
  type RegisteredNode,
  registeredKeys,
} from "./system-contracts.ts";

/** Keys by block and node. */
export interface KeyBook {
  /** As registered before block `number`. Throws `GovernanceError`, `StateError` `state-missing`. */
  key(number: number, node: Uint8Array): RegisteredKey | undefined;
  /** All of them. Throws as `key`. */
  all(number: number): readonly RegisteredNode[];
}

type Keys = ReadonlyMap<string, RegisteredNode>;

/** The name under which the contract of keys is registered. */
const KEYS_NAME = "KIP113";
/** Answers kept: they change when a contract's storage does. */
const CACHED = 8;

/** Opens the book of a chain. */
export function openKeyBook(chain: {
  readonly config: ChainConfig;
  readonly contracts: (number: number) => ContractReader;
}): KeyBook {
  const cached = new RecentMap<Keys>(CACHED);
  const keysAt = (number: number): Keys => {
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

/** At the block that installs the registry the chain's configuration names the contract. */
function contractOf(config: ChainConfig, number: number, reader: ContractReader): Uint8Array {
  const installs = !rulesAt(config, number - 1).randao;
  const address = installs
    ? config.randaoRegistry?.records.find(({ name }) => name === KEYS_NAME)?.address
    : activeContract(reader, KEYS_NAME);
  if (address === undefined) throw new GovernanceError("no-key", "no registry of BLS keys");
  return address;
}

function storageVersion(reader: ContractReader, address: Uint8Array): string {
  const roots = [address, REGISTRY].map((each) => {
    const account = reader.account(each);
    return account === undefined ? "" : bareHex(account.storageRoot);
  });
  return `${bareHex(address)}:${roots.join(":")}`;
}

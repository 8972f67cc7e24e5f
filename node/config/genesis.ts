/**
 * The genesis of a chain: its configuration, the fields of block 0 and the initial accounts
 * (`blockchain/genesis.go@v2.2.2`). Unknown members are ignored, private keys among them.
 */
import type { Address, Hash, StorageKey } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { decodeRlp, listItems, stringBytes } from "../bytes/rlp.ts";
import { type ChainConfig, parseChainConfig } from "./chain-config.ts";
import { ConfigError } from "./error.ts";
import { parseExactJson } from "./exact-json.ts";
import { checkForkOrder } from "./forks.ts";
import { readAddress, readBytes, readHash, readQuantity, readSlot } from "./genesis-reader.ts";
import { type JsonObject, member, readObject } from "./json-reader.ts";

/** An account of block 0. */
export interface GenesisAccount {
  readonly address: Address;
  readonly balance: bigint;
  readonly nonce: bigint;
  readonly code: Uint8Array | undefined;
  /** Slots and values, 32 bytes each. */
  readonly storage: readonly (readonly [slot: StorageKey, value: Uint8Array])[] | undefined;
}

/** A parsed genesis. Absent fields have their defaults, except `blockScore`. */
export interface Genesis {
  readonly config: ChainConfig;
  readonly timestamp: number;
  readonly extraData: Uint8Array;
  /** `undefined` stands for 0 in the total block score and `DEFAULT_BLOCK_SCORE` in the header. */
  readonly blockScore: bigint | undefined;
  readonly alloc: readonly GenesisAccount[];
  readonly number: bigint;
  readonly gasUsed: bigint;
  readonly parentHash: Hash;
}

/** Maximum length of a genesis file, in characters. */
export const MAX_GENESIS_LENGTH = 64 * 1024 * 1024;
/** Block score of block 0 when the genesis has none. */
export const DEFAULT_BLOCK_SCORE = 131_072n;

const UINT64_BITS = 64;
/** Maximum bytes of the extra data: some 10,000 validators. */
const MAX_EXTRA = 200 * 1024;

/** Parses a genesis file. Throws `ConfigError` `bad-json`, `bad-genesis` or `bad-chain-config`. */
export function parseGenesis(text: string): Genesis {
  if (text.length > MAX_GENESIS_LENGTH) {
    throw genesisError(`a genesis has at most ${MAX_GENESIS_LENGTH} characters, this one ${text.length}`);
  }
  const genesis = readObject(parseExactJson(text), "genesis");
  const config = member(genesis, "config");
  if (config === undefined) throw genesisError("genesis has no chain configuration");
  const timestamp = readQuantity(genesis, "timestamp", UINT64_BITS) ?? 0n;
  if (timestamp > BigInt(Number.MAX_SAFE_INTEGER)) throw genesisError(`timestamp is too large: ${timestamp}`);
  return {
    config: parseChainConfig(config),
    timestamp: Number(timestamp),
    extraData: readExtra(genesis),
    blockScore: readQuantity(genesis, "blockScore", 256),
    alloc: parseAlloc(genesis),
    number: readQuantity(genesis, "number", UINT64_BITS) ?? 0n,
    gasUsed: readQuantity(genesis, "gasUsed", UINT64_BITS) ?? 0n,
    parentHash: readHash(genesis, "parentHash") ?? new Uint8Array(32),
  };
}

function readExtra(genesis: JsonObject): Uint8Array {
  const extra = readBytes(genesis, "extraData") ?? new Uint8Array(0);
  if (extra.length <= MAX_EXTRA) return extra;
  throw genesisError(`extraData has at most ${MAX_EXTRA} bytes, this one ${extra.length}`);
}

function parseAlloc(genesis: JsonObject): readonly GenesisAccount[] {
  const alloc = member(genesis, "alloc");
  if (alloc === undefined) throw genesisError("missing required field 'alloc' for Genesis");
  const accounts = new Map<string, GenesisAccount>();
  for (const [key, value] of Object.entries(readObject(alloc, "alloc"))) {
    const digits = readAddress(key);
    accounts.set(digits, parseAccount(digits, readObject(value, `alloc of ${key}`)));
  }
  return [...accounts.values()];
}

function parseAccount(digits: string, json: JsonObject): GenesisAccount {
  const balance = readQuantity(json, "balance", 256);
  if (balance === undefined)
    throw genesisError(`missing required field 'balance' for GenesisAccount (${digits})`);
  const storage = member(json, "storage");
  return {
    address: new Uint8Array(Buffer.from(digits, "hex")),
    balance,
    nonce: readQuantity(json, "nonce", UINT64_BITS) ?? 0n,
    code: readBytes(json, "code"),
    storage:
      storage === undefined
        ? undefined
        : Object.entries(readObject(storage, "storage")).map(
            ([slot, value]) => [readSlot(slot), readSlot(value)] as const,
          ),
  };
}

/**
 * Checks a genesis before block 0 is written: the order of forks, block number 0 and, in single mode, that the
 * governing node is a validator. Throws `ConfigError`.
 */
export function checkGenesis(genesis: Genesis): void {
  checkForkOrder(genesis.config);
  checkGoverningNode(genesis);
  if (genesis.number !== 0n) throw genesisError("can't commit genesis block with number > 0");
}

function checkGoverningNode({ config, extraData }: Genesis): void {
  const { governanceMode, governingNode } = config.governance;
  if (governanceMode.toLowerCase() !== "single") return;
  if (!validatorsOf(extraData).some((validator) => equalBytes(validator, governingNode))) {
    throw genesisError("governingNode is not in the validator list");
  }
}

/** Returns the validators: the first item of the list after 32 bytes of vanity. */
function validatorsOf(extra: Uint8Array): readonly Uint8Array[] {
  try {
    const [validators] = listItems(decodeRlp(extra.subarray(32)));
    if (validators !== undefined) return listItems(validators).map(stringBytes);
  } catch (cause) {
    throw genesisError("invalid istanbul header extra-data", cause);
  }
  throw genesisError("invalid istanbul header extra-data");
}

function genesisError(message: string, cause?: unknown): ConfigError {
  return new ConfigError("bad-genesis", message, { cause });
}

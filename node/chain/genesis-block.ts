/** Block 0: the accounts of a genesis as state, its header, and the rows that make a database a chain's. */
import type { Hash } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { bareHex } from "../bytes/hex.ts";
import { bytesToBigint } from "../bytes/integer.ts";
import { DEFAULT_BLOCK_SCORE, type Genesis, type GenesisAccount } from "../config/genesis.ts";
import { genesisGovernance } from "../config/genesis-governance.ts";
import { type Rules, rulesAt } from "../config/rules.ts";
import { delegationIn } from "../evm/code.ts";
import { emptyAccount } from "../model/account.ts";
import { FAIL_KEY } from "../model/account-key.ts";
import { type Block, createBlock } from "../model/block.ts";
import { EMPTY_BLOOM } from "../model/bloom.ts";
import type { Header } from "../model/header.ts";
import { listRoot } from "../model/list-root.ts";
import { openState } from "../state/open-state.ts";
import type { SealedState, State } from "../state/state.ts";
import { memoryTries } from "../state/trie/generations.ts";
import type { World } from "../state/world/world.ts";
import { createMemoryStore } from "../store/memory-store.ts";
import type { Store } from "../store/store.ts";
import { BlockRows, writeBlockRows } from "./block-rows.ts";
import { checkConfigChange } from "./config-change.ts";
import { ChainError } from "./error.ts";
import { putConfig, storedConfig } from "./stored-config.ts";
import { putGenesisSupply } from "./supply.ts";

/** The databases that get block 0. */
export interface GenesisTarget {
  readonly store: Store;
  readonly state: State;
}

/**
 * Writes block 0 and the chain's configuration into an empty database, synced. In one that holds this very block
 * already, the configuration is renewed. Throws `ChainError` `genesis-mismatch` in one of another chain.
 */
export async function writeGenesis(target: GenesisTarget, genesis: Genesis): Promise<Block> {
  const { store, state } = target;
  const known = new BlockRows(store).block(0);
  if (known !== undefined) return renewConfig(target, known, genesis);
  const batch = store.createBatch();
  const { block, sealed } = genesisBlock(state, genesis);
  writeBlockRows(batch, block, []);
  putConfig(batch, genesis.config);
  putGenesisSupply(
    batch,
    genesis.alloc.map(({ balance }) => balance),
  );
  sealed.commit(0, batch);
  await store.write(batch, { sync: true });
  state.markPersisted(0);
  return block;
}

/** Block 0 and its sealed state. */
function genesisBlock(
  state: State,
  genesis: Genesis,
): { readonly block: Block; readonly sealed: SealedState } {
  const world = state.begin();
  const rules = rulesAt(genesis.config, 0);
  for (const account of genesis.alloc) putAccount(world, account, rules);
  const sealed = state.seal(world, { keepEmpty: true });
  return { block: createBlock(genesisHeader(genesis, sealed.root), []), sealed };
}

/** Returns the header of block 0 for the state root of the genesis allocation (`blockchain/genesis.go@v2.2.2`). */
export function genesisHeader(genesis: Genesis, stateRoot: Hash): Header {
  const { config } = genesis;
  const rules = rulesAt(config, 0);
  const emptyRoot = listRoot(config.deriveShaImpl, []);
  return {
    parentHash: genesis.parentHash,
    rewardbase: new Uint8Array(20),
    stateRoot,
    transactionsRoot: emptyRoot,
    receiptsRoot: emptyRoot,
    bloom: EMPTY_BLOOM,
    blockScore: genesis.blockScore ?? DEFAULT_BLOCK_SCORE,
    number: Number(genesis.number),
    gasUsed: genesis.gasUsed,
    time: genesis.timestamp,
    timeFoS: 0,
    extra: genesis.extraData,
    governance: genesisGovernance(config),
    vote: new Uint8Array(0),
    baseFee: rules.baseFee ? config.governance.kip71.lowerBoundBaseFee : undefined,
    randomReveal: rules.randao ? new Uint8Array(96) : undefined,
    mixHash: rules.randao ? new Uint8Array(32) : undefined,
    blobGasUsed: rules.blobGas ? 0n : undefined,
    excessBlobGas: rules.blobGas ? 0n : undefined,
  };
}

/** Block 0 of a genesis, written nowhere. */
export async function createGenesisBlock(genesis: Genesis): Promise<Block> {
  await using scratch = await openState({ chain: createMemoryStore(), trie: memoryTries() });
  const { block, sealed } = genesisBlock(scratch, genesis);
  sealed.discard();
  return block;
}

async function renewConfig({ store, state }: GenesisTarget, known: Block, genesis: Genesis): Promise<Block> {
  const same = await createGenesisBlock(genesis);
  if (!equalBytes(same.hash, known.hash)) {
    const [have, want] = [known.hash, same.hash].map((hash) => bareHex(hash.subarray(0, 8)));
    throw new ChainError(
      "genesis-mismatch",
      `database already contains an incompatible genesis block (have ${have}, new ${want})`,
    );
  }
  checkConfigChange(storedConfig(store), genesis.config, state.number);
  const batch = store.createBatch();
  putConfig(batch, genesis.config);
  await store.write(batch, { sync: true });
  return known;
}

/** Puts one account of the genesis into the world: code or storage make it a contract, or a delegating account. */
function putAccount(world: World, given: GenesisAccount, rules: Rules): void {
  const { address, balance, nonce, code, storage = [] } = given;
  const plain = { ...emptyAccount(), balance, nonce };
  const isEoa =
    code === undefined
      ? storage.length === 0 || rules.delegations
      : rules.delegations && delegationIn(code) !== undefined;
  const codeInfo = code === undefined ? 0 : rules.vmVersion << 4;
  world.setAccount(
    address,
    isEoa ? { ...plain, codeInfo } : { ...plain, kind: "contract", key: FAIL_KEY, codeInfo },
  );
  if (code !== undefined) world.setCode(address, code);
  for (const [key, value] of storage) world.setSlot(address, bytesToBigint(key), bytesToBigint(value));
}

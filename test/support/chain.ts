/** Chains in memory, from the recorded one or a genesis of their own. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { itemAt } from "../../node/bytes/rlp.ts";
import { writeGenesis } from "../../node/chain/genesis-block.ts";
import type { OpenChain } from "../../node/chain/open-chain.ts";
import { openConsensusChain } from "../../node/compose/consensus-chain.ts";
import { type Genesis, parseGenesis } from "../../node/config/genesis.ts";
import { type Block, decodeBlock } from "../../node/model/block.ts";
import { silentLog } from "../../node/observe/log.ts";
import { systemClock } from "../../node/runtime/clock.ts";
import { openState, type StateOptions } from "../../node/state/open-state.ts";
import type { State } from "../../node/state/state.ts";
import { memoryTries } from "../../node/state/trie/generations.ts";
import { createMemoryStore } from "../../node/store/memory-store.ts";
import type { Store } from "../../node/store/store.ts";

/** Folder of the recorded chain of transfers. */
export const RECORDED = fileURLToPath(new URL("../vectors/chains/transfers/", import.meta.url));

/** A chain and what it stands on. */
export interface TestChain extends OpenChain, AsyncDisposable {
  readonly store: Store;
  readonly state: State;
}

/** A disk that is low when a test says so. */
interface TestDisk {
  readonly isLow: boolean;
}

/** A chain in memory with block 0 of `genesis`. */
export async function aChain(
  genesis: Genesis,
  {
    disk,
    ...settings
  }: Omit<StateOptions, "chain" | "trie"> &
    Partial<Pick<StateOptions, "trie">> & { readonly disk?: TestDisk } = {},
): Promise<TestChain> {
  const store = createMemoryStore();
  const state = await openState({ chain: store, trie: memoryTries(), ...settings });
  await writeGenesis({ store, state }, genesis);
  const database = { store, state, ...(disk && { disk }), [Symbol.asyncDispose]: async () => undefined };
  const dispose = async (): Promise<void> => {
    await state[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  };
  return {
    ...(await openConsensusChain(database, silentLog, systemClock)),
    store,
    state,
    [Symbol.asyncDispose]: dispose,
  };
}

export async function recordedGenesis(): Promise<Genesis> {
  return parseGenesis(await readFile(`${RECORDED}genesis.json`, "utf8"));
}

/** Raw blocks of the recorded chain, block 0 first. */
export async function recordedBlocks(): Promise<Uint8Array[]> {
  const bytes = new Uint8Array(gunzipSync(await readFile(`${RECORDED}chain.rlp.gz`)));
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += blocks.at(-1)?.length ?? 0) blocks.push(itemAt(bytes, at).raw);
  return blocks;
}

let decoded: Promise<readonly Block[]> | undefined;

/** Blocks of the recorded chain, block 0 first. All callers get the same ones, so their senders are recovered once. */
export function decodedBlocks(): Promise<readonly Block[]> {
  decoded ??= recordedBlocks().then((raws) => raws.map((raw) => decodeBlock(raw)));
  return decoded;
}

/** Parses a recorded JSON file. */
export async function recordedJson<T>(name: string): Promise<T> {
  return JSON.parse(gunzipSync(await readFile(`${RECORDED}${name}`)).toString("utf8")) as T; // named by the caller
}

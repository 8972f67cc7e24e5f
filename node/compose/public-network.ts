/** A node of a public network: its chain begins with that network's block 0 and follows the built-in configuration. */
import { toHex } from "../bytes/hex.ts";
import { messageOf } from "../bytes/message-of.ts";
import { BlockRows } from "../chain/block-rows.ts";
import { type ConfigConflict, configConflict } from "../chain/config-change.ts";
import { ChainError } from "../chain/error.ts";
import { writeGenesis } from "../chain/genesis-block.ts";
import { putConfig, storedConfig } from "../chain/stored-config.ts";
import { type ChainConfig, chainConfigJson, parseChainConfig } from "../config/chain-config.ts";
import { exactJsonText, parseExactJson } from "../config/exact-json.ts";
import { parseGenesis } from "../config/genesis.ts";
import { kairos, mainnet, type NetworkPreset, publicNetworkOf } from "../config/presets/networks.ts";
import type { Log } from "../observe/log.ts";
import { systemClock } from "../runtime/clock.ts";
import { openConsensusChain } from "./consensus-chain.ts";
import type { Database } from "./database.ts";
import type { NodeOptions } from "./options.ts";

/** Gives an empty database the network's block 0. Throws `ChainError` `genesis-mismatch` for another chain. */
export async function beginPublicChain(database: Database, { publicNetwork }: NodeOptions): Promise<void> {
  if (publicNetwork === undefined) return;
  const { name, genesis, genesisHash } = { mainnet, kairos }[publicNetwork];
  const known = new BlockRows(database.store).block(0);
  if (known !== undefined) {
    if (toHex(known.hash) === genesisHash) return;
    throw new ChainError("genesis-mismatch", `this data directory contains a chain other than the ${name}'s`);
  }
  await database.state.ready;
  await writeGenesis(database, parseGenesis(exactJsonText(genesis())));
}

/**
 * Replaces the stored configuration of a public network by the built-in one, as the Go node does at every start
 * (`blockchain/genesis.go@v2.2.2`, `SetupGenesisBlock`): an old genesis file does not keep old forks. Blocks that
 * were made under another fork number are removed first. Other chains and empty databases are left alone. Throws
 * `ChainError` `genesis-mismatch` when those blocks cannot be removed.
 */
export async function renewPublicConfig(database: Database, log: Log): Promise<void> {
  const genesis = new BlockRows(database.store).block(0);
  const network = genesis && publicNetworkOf(toHex(genesis.hash));
  if (network !== undefined) await renewConfig(database, network, log);
}

/** The same for a network that is given: its block 0 is that of the database. */
export async function renewConfig(
  database: Database,
  network: Pick<NetworkPreset, "name" | "config">,
  log: Log,
): Promise<void> {
  const { store, state } = database;
  const stored = storedConfig(store);
  const builtIn = parseChainConfig(parseExactJson(exactJsonText(network.config)));
  const members = differentMembers(stored, builtIn);
  if (members.length === 0) return;
  const conflict = configConflict(stored, builtIn, state.number);
  if (conflict !== undefined) await rewindTo(conflict, database, log);
  const batch = store.createBatch();
  putConfig(batch, builtIn);
  await store.write(batch, { sync: true });
  log.warn({ network: network.name, members }, "replaced the stored chain configuration by the built-in one");
}

/** Members of the chain configuration that are not the same in both. */
function differentMembers(one: ChainConfig, other: ChainConfig): readonly string[] {
  const [left, right] = [one, other].map((config) => new Map(Object.entries(chainConfigJson(config))));
  const names = new Set([...(left?.keys() ?? []), ...(right?.keys() ?? [])]);
  return [...names].filter((name) => exactJsonText(left?.get(name)) !== exactJsonText(right?.get(name)));
}

async function rewindTo(
  { message, rewindTo: number }: ConfigConflict,
  database: Database,
  log: Log,
): Promise<void> {
  log.error({ number, reason: message }, "rewinding chain to upgrade configuration");
  const { writer } = await openConsensusChain(database, log, systemClock);
  try {
    await writer.exclusively(() => writer.setHead(number));
  } catch (cause) {
    const advice = "remove the data directory's chain and catch up again";
    throw new ChainError("genesis-mismatch", `${message}: ${messageOf(cause)}; ${advice}`, { cause });
  }
}

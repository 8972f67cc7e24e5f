/** A node of a public network: its chain begins with that network's block 0. */
import { toHex } from "../bytes/hex.ts";
import { BlockRows } from "../chain/block-rows.ts";
import { ChainError } from "../chain/error.ts";
import { writeGenesis } from "../chain/genesis-block.ts";
import { exactJsonText } from "../config/exact-json.ts";
import { parseGenesis } from "../config/genesis.ts";
import type { NodeOptions } from "../config/options.ts";
import { kairos, mainnet } from "../config/presets/networks.ts";
import type { Database } from "./database.ts";

/**
 * Gives an empty database the network's block 0. Throws `ChainError` `genesis-mismatch` for one with another chain
 * and `no-genesis` where block 0 is not included here.
 */
export async function beginPublicChain(database: Database, { publicNetwork }: NodeOptions): Promise<void> {
  if (publicNetwork === undefined) return;
  const { name, genesis, genesisHash } = { mainnet, kairos }[publicNetwork];
  const known = new BlockRows(database.store).block(0);
  if (known !== undefined) {
    if (toHex(known.hash) === genesisHash) return;
    throw new ChainError("genesis-mismatch", `this data directory holds another chain than the ${name}'s`);
  }
  if (genesis === undefined)
    throw new ChainError(
      "no-genesis",
      `the genesis file of the ${name} is not included: knit init GENESIS first`,
    );
  await database.state.ready;
  await writeGenesis(database, parseGenesis(exactJsonText(genesis)));
}

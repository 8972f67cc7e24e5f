/** Data directories with long chains, whose blocks are made in place: no file of blocks is written and imported. */
import { mkdir } from "node:fs/promises";
import { toHex } from "../../node/bytes/hex.ts";
import { openConsensusChain } from "../../node/compose/consensus-chain.ts";
import { openDatabase } from "../../node/compose/database.ts";
import { initDatadir } from "../../node/compose/offline-jobs.ts";
import { silentLog } from "../../node/observe/log.ts";
import { systemClock } from "../../node/runtime/clock.ts";
import { makeTransferBlocks, type TransferChainOptions, transferGenesis } from "./transfer-chain.ts";
import { optionsOf } from "./whole-directory.ts";

/** A data directory that no node runs on. */
export interface MadeDirectory {
  /** Content of the genesis file. */
  readonly genesis: string;
  /** The newest block. */
  readonly head: { readonly number: number; readonly hash: string };
}

/** Makes a chain of transfers in a new data directory. */
export async function makeTransferDirectory(
  datadir: string,
  terms: TransferChainOptions,
): Promise<MadeDirectory> {
  const options = optionsOf(datadir);
  const genesis = transferGenesis(terms);
  await mkdir(options.paths.instance, { recursive: true });
  await initDatadir(options, genesis);
  await using database = await openDatabase(options, silentLog);
  await database.state.ready;
  const open = await openConsensusChain(database, silentLog, systemClock);
  await makeTransferBlocks(open, database.state, terms);
  const { header, hash } = open.chain.head();
  return { genesis, head: { number: header.number, hash: toHex(hash) } };
}

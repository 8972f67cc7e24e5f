/** The chain of a database with its consensus rules: what every command that touches blocks begins with. */
import type { FileBlock } from "../chain/block-file.ts";
import { BlockRows } from "../chain/block-rows.ts";
import type { Chain } from "../chain/chain.ts";
import {
  type ImportOptions,
  type ImportOutcome,
  type ImportTarget,
  importBlocks,
} from "../chain/importer.ts";
import { type ChainDeps, type OpenChain, openChain } from "../chain/open-chain.ts";
import { storedConfig } from "../chain/stored-config.ts";
import { blobLimits } from "../config/blob-schedule.ts";
import type { ChainConfig } from "../config/chain-config.ts";
import { rulesAt } from "../config/rules.ts";
import type { ForkFieldDeps } from "../consensus/fork-fields.ts";
import type { HeaderChain } from "../consensus/header-chain.ts";
import { verifyHeader } from "../consensus/header-rules.ts";
import { type BlsChecks, loadBlsChecks, mixOf } from "../consensus/randomness.ts";
import { rememberKey } from "../consensus/reveals.ts";
import { authorOf, recoverSealers } from "../consensus/sealers.ts";
import type { Recoverer } from "../crypto/recoverer.ts";
import type { Governance } from "../governance/governance.ts";
import type { Header } from "../model/header.ts";
import type { DiskSpace } from "../observe/disk-space.ts";
import type { Log } from "../observe/log.ts";
import type { Clock } from "../runtime/clock.ts";
import { createPause } from "../runtime/scheduler.ts";
import type { Store } from "../store/store.ts";
import type { Database } from "./database.ts";

/** Databases of a chain, the watch over their disk, and the number of transactions that are kept decoded. */
type OpenedDatabase = Database & {
  readonly disk?: Pick<DiskSpace, "isLow">;
  readonly keptTransactions?: number;
};

/** Opens the chain. Rejects with `ChainError` `no-genesis` in an empty database. */
export async function openConsensusChain(
  { store, state, disk, keptTransactions }: OpenedDatabase,
  log: Log,
  clock: Clock,
): Promise<OpenChain> {
  const checks = rulesAt(storedConfig(store), Number.MAX_SAFE_INTEGER).randao
    ? await loadBlsChecks()
    : undefined;
  const headerRules: ChainDeps["headerRules"] = {
    verify: (config, governance, nextHeader) => (header, parent, isProposal) => {
      // Of the number that it has to have: what it says itself is judged with the rest.
      const number = parent.header.number + 1;
      return verifyHeader(header, {
        ...forkFieldContext({ config, governance, checks }, number, parent.header),
        overrides: nextHeader.at(number),
        parentHash: parent.hash,
        parameters: governance.parameters(number),
        validators: governance.validators(number),
        checkGovernance: (judged, author) => governance.checkHeader(judged, author),
        now: Math.floor(clock.now() / 1000),
        isProposal,
      });
    },
    author: authorOf,
  };
  return openChain({
    store,
    state,
    headerRules,
    pause: createPause(),
    log,
    hasRoom: () => disk?.isLow !== true,
    keptTransactions,
  });
}

interface ForkFieldOptions {
  readonly config: ChainConfig;
  readonly governance: Governance;
  readonly checks: BlsChecks | undefined;
}

function forkFieldContext(
  { config, governance, checks }: ForkFieldOptions,
  number: number,
  parent: Header,
): ForkFieldDeps {
  const rules = rulesAt(config, number);
  return {
    parent,
    rules,
    blobs: blobLimits(config),
    randomness:
      rules.randao && checks !== undefined
        ? {
            ...checks,
            parentMix: mixOf(parent, rulesAt(config, parent.number).randao),
            keyOf: (author) => governance.blsKey(number, author),
          }
        : undefined,
  };
}

/** Returns the stored headers of an open chain, to be verified again. `signal` ends the verification. */
export function storedHeaders(
  store: Store,
  { chain, governance }: Pick<OpenChain, "chain" | "governance">,
  signal: AbortSignal,
): HeaderChain {
  const rows = new BlockRows(store);
  return {
    config: chain.config,
    rows: store,
    head: chain.head().header.number,
    block: (number) => {
      const found = rows.header(number);
      return found && { ...found, author: () => authorOf(found.header) };
    },
    contracts: (number) => governance.contracts(number),
    pause: createPause(),
    onHeader: () => signal.throwIfAborted(),
  };
}

/** Blocks of an import and the recoverer of their signers. */
export interface ImportDeps {
  readonly recoverer: Recoverer;
  readonly clock: Clock;
  readonly files: AsyncIterable<FileBlock>;
}

/** Imports blocks into an open chain and makes them durable, however the import ends. */
export function importInto(
  { chain, writer, governance }: OpenChain,
  { recoverer, clock, files }: ImportDeps,
  options: ImportOptions,
): Promise<ImportOutcome> {
  rememberKeys(chain, governance);
  const target: ImportTarget = {
    chainId: chain.config.chainId,
    recoverer,
    clock,
    pause: createPause(),
    tip: () => writer.tip.header.number,
    header: (number) => writer.blockHead(number),
    holdsBody: writer.holdsBody.bind(writer),
    holds: writer.holds.bind(writer),
    findSealers: (blocks) => recoverSealers(recoverer, blocks),
    recheck: writer.recheck.bind(writer),
    insert: writer.insert.bind(writer),
  };
  return writer.exclusively(async () => {
    try {
      return await importBlocks(target, files, options);
    } finally {
      await writer.settle();
    }
  });
}

/** The keys that random reveals are most likely judged by: those registered now. */
function rememberKeys(chain: Chain, governance: Governance): void {
  const next = chain.head().header.number + 1;
  if (!chain.rules(next).randao) return;
  try {
    for (const { node, key } of governance.blsKeys(next)) rememberKey(node, key.publicKey);
  } catch {
    // the block that needs them says what is wrong with the registry
  }
}

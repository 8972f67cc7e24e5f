/** The chain of a database with its consensus rules: what every command that touches blocks begins with. */
import type { FileBlock } from "./chain/block-file.ts";
import { type ImportOptions, type ImportOutcome, type ImportTarget, importBlocks } from "./chain/importer.ts";
import { type ChainParts, type OpenChain, openChain } from "./chain/open-chain.ts";
import { rulesAt } from "./config/rules.ts";
import { findSealers } from "./consensus/found-sealers.ts";
import { verifyHeader } from "./consensus/header-rules.ts";
import { proposerOf } from "./consensus/seal.ts";
import { type ValidatorSet, validatorSet } from "./consensus/validators.ts";
import type { Recoverer } from "./crypto/recoverer.ts";
import type { Database } from "./database.ts";
import type { Header } from "./model/header.ts";
import { parseExtra } from "./model/istanbul-extra.ts";
import type { Clock } from "./observe/clock.ts";
import type { Log } from "./observe/log.ts";
import { createPause } from "./pause.ts";

/** Opens the chain. Throws `ChainError` `no-genesis` in an empty database. */
export function openConsensusChain({ store, state }: Database, log: Log, clock: Clock): OpenChain {
  const headerRules: ChainParts["headerRules"] = {
    verify: (config, parameters, genesis) => {
      const validators = council(genesis, parameters(1).committeeSize);
      return (header, parent) =>
        verifyHeader(header, {
          parent: parent.header,
          parentHash: parent.hash,
          rules: rulesAt(config, header.number),
          parameters: parameters(header.number),
          validators,
          now: Math.floor(clock.now() / 1000),
        });
    },
    author: proposer,
  };
  return openChain({ store, state, headerRules, pause: createPause(), log });
}

/** The validators that block 0 names: without votes they are those of every block. */
export function council(genesis: Header, committeeSize: number): ValidatorSet {
  return validatorSet(parseExtra(genesis.extra).validators, committeeSize);
}

function proposer(header: Header): Uint8Array | undefined {
  try {
    return proposerOf(header, parseExtra(header.extra));
  } catch {
    return undefined; // extra data that cannot be read has no seal
  }
}

/** Where the blocks of an import come from and what recovers their signers. */
export interface ImportParts {
  readonly recoverer: Recoverer;
  readonly clock: Clock;
  readonly files: AsyncIterable<FileBlock>;
}

/** Imports blocks into an open chain and makes them durable, however the import ends. */
export function importInto(
  { chain, writer }: OpenChain,
  { recoverer, clock, files }: ImportParts,
  options: ImportOptions,
): Promise<ImportOutcome> {
  const target: ImportTarget = {
    chainId: chain.config.chainId,
    recoverer,
    clock,
    pause: createPause(),
    tip: () => writer.tip.header.number,
    block: (number) => writer.written(number),
    holds: writer.holds.bind(writer),
    findSealers: (blocks) => findSealers(recoverer, blocks),
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

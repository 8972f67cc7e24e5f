/** Parts of the writer, and the values of its steps. */
import type { Address, Hash } from "../bytes/brands.ts";
import type { ChainConfig } from "../config/chain-config.ts";
import type { ContractReader } from "../governance/contract-reader.ts";
import type { Governance } from "../governance/governance.ts";
import type { Block } from "../model/block.ts";
import type { Header } from "../model/header.ts";
import type { Receipt } from "../model/receipt.ts";
import type { Pause } from "../runtime/scheduler.ts";
import type { SealedState, State } from "../state/state.ts";
import type { Store } from "../store/store.ts";
import type { BadBlocks } from "./bad-blocks.ts";
import type { BlockRows } from "./block-rows.ts";
import type { BlockHead } from "./chain.ts";
import type { Publisher } from "./publisher.ts";
import type { InsertTimes } from "./stopwatch.ts";

/**
 * The header rules, given by consensus: throws when a header breaks one, else names its author. Those of a proposal
 * are all but the seals of those who agree.
 */
export type VerifyHeader = (
  header: Header,
  parent: BlockHead,
  isProposal?: boolean,
) => { readonly author: Address };

/** Databases, rules and listeners of the writer. */
export interface WriterDeps {
  readonly config: ChainConfig;
  readonly store: Store;
  readonly state: State;
  readonly rows: BlockRows;
  readonly publisher: Publisher;
  readonly badBlocks: BadBlocks;
  readonly verifyHeader: VerifyHeader;
  readonly governance: Governance;
  /** Contracts after a block. */
  readonly contracts: (number: number) => ContractReader;
  readonly pause: Pause;
  /** True while a block made elsewhere may be written; false when the disk is nearly full. */
  readonly hasRoom: () => boolean;
}

/** Results of executing a block, before it is written. */
export interface Executed {
  readonly state: SealedState;
  readonly receipts: readonly Receipt[];
  /** Durations of the steps, of a block made elsewhere. */
  readonly times?: Omit<InsertTimes, "write" | "all">;
}

/**
 * An executed block whose state is sealed. Ends once, by `commit` or `discard`; leaving its scope discards it. One is
 * open at a time: executing, sealing or rewinding discards the one before.
 */
export interface SealedBlock extends Disposable {
  readonly block: Block;
  readonly isOpen: boolean;
  /** Writes the block as the next one, durably with `sync`. Throws `ChainError` `busy` when it is not open. */
  commit(sync: boolean): Promise<void>;
  /** Takes its changes back; does nothing when it is not open. */
  discard(): void;
}

/** The state of a block made here, from which its header is completed. Leaving its scope discards what is not. */
export interface SealedDraft extends Disposable {
  readonly stateRoot: Hash;
  /** Turns it into the sealed block with the completed header. */
  complete(block: Block): SealedBlock;
}

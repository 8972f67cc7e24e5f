/** What blocks are put into the chain with. */
import type { ChainConfig } from "../config/chain-config.ts";
import type { Pause } from "../execution/block.ts";
import type { ContractReader } from "../governance/contract-reader.ts";
import type { Governance } from "../governance/governance.ts";
import type { Block } from "../model/block.ts";
import type { Header } from "../model/header.ts";
import type { Receipt } from "../model/receipt.ts";
import type { State } from "../state/state.ts";
import type { Store } from "../store/store.ts";
import type { BadBlocks } from "./bad-blocks.ts";
import type { BlockRows } from "./block-rows.ts";
import type { BlockHead } from "./chain.ts";
import type { InsertTimes } from "./insert-times.ts";
import type { Publisher } from "./publisher.ts";

/**
 * The header rules, given by consensus: throws when a header breaks one, else names its author. Those of a proposal
 * are all but the seals of those who agree.
 */
export type VerifyHeader = (
  header: Header,
  parent: BlockHead,
  isProposal?: boolean,
) => { readonly author: Uint8Array };

/** What the writer works on. */
export interface WriterParts {
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
  /** Whether a block made elsewhere may be written: not when the disk is nearly full. */
  readonly hasRoom: () => boolean;
}

/** A block that was executed and is not written: the state is sealed with it, until anything else is done. */
export interface TriedOut extends Executed {
  readonly block: Block;
}

/** What a block did, and how long that took where it came from elsewhere. */
export interface Executed {
  readonly receipts: readonly Receipt[];
  readonly times?: Omit<InsertTimes, "write" | "all">;
}

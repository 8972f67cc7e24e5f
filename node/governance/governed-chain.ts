/** What governance stands on. */
import type { ChainConfig } from "../config/chain-config.ts";
import type { Header } from "../model/header.ts";
import type { Rows } from "../store/store.ts";
import type { ContractReader } from "./contract-reader.ts";

/** What governance reads of the chain. */
export interface GovernanceDeps {
  readonly config: ChainConfig;
  readonly rows: Rows;
  /** Newest block, durable or not. */
  readonly tip: () => number;
  /** A block's header, its hash and who made it; undefined where there is no such block. */
  readonly block: (number: number) => KnownBlock | undefined;
  /** Contracts after a block. Throws `StateError` `state-missing`. */
  readonly contracts: (number: number) => ContractReader;
}

/** A block as governance sees it. */
export interface KnownBlock {
  readonly header: Header;
  readonly hash: Uint8Array;
  readonly author: () => Uint8Array | undefined;
}

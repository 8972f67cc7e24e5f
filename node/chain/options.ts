/** Options of the chain: of a development chain, of chain files and of what follows the chain. */
import { booleanKind, integerKind, klayKind, PEB_PER_KLAY } from "../options/kinds.ts";
import { DATA, NODE, optionGroup, type ValuesOf } from "../options/rows.ts";

const dev = optionGroup("Development chain", ["dev"]);
const file = optionGroup("Chain file", ["export"]);
const state = optionGroup("State and database", NODE);
const data = optionGroup("State and database", DATA);

/** Rows of a development chain. */
export const developmentOptions = {
  accounts: dev({
    flag: "accounts",
    kind: integerKind(0, 1_000),
    default: 10,
    summary: "number of funded accounts",
    own: true,
  }),
  balance: dev({
    flag: "balance",
    kind: klayKind,
    default: 1_000_000n * PEB_PER_KLAY,
    summary: "balance of each funded account, in KLAY",
    own: true,
  }),
};

/** Funded accounts of a development chain, and the balance of each in peb. */
export type DevelopmentOptions = ValuesOf<typeof developmentOptions>;

/** Rows of the blocks of a chain file. */
export const exportOptions = {
  first: file({
    flag: "first",
    kind: integerKind(0),
    summary: "first block to export; 0 by default",
    own: true,
  }),
  last: file({
    flag: "last",
    kind: integerKind(0),
    summary: "last block to export; the newest by default",
    own: true,
  }),
};

/** Rows of what follows the chain: the pruner of old blocks and the index of sender transaction hashes. */
export const followerOptions = {
  historyBlocks: state({
    flag: "history.blocks",
    kind: integerKind(0),
    default: 0,
    summary: "number of recent blocks whose bodies and receipts are kept; 0 for all",
    own: true,
  }),
  senderHashes: data({
    flag: "sendertxhashindexing",
    kind: booleanKind,
    default: false,
    summary: "index fee-delegated transactions by their sender transaction hash",
    aliases: ["common.sender-tx-hash-indexing"],
  }),
};

/** Number of recent blocks whose bodies and receipts are kept (0 for all), and whether senders are indexed. */
export type FollowerOptions = ValuesOf<typeof followerOptions>;

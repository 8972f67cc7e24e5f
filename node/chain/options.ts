/** Options of the chain: of a development chain, of chain files and of what follows the chain. */
import {
  booleanKind,
  choice,
  integerKind,
  type Kind,
  klayKind,
  PEB_PER_KLAY,
  path,
  secondsKind,
  textKind,
} from "../options/kinds.ts";
import { DATA, NODE, optionGroup, type ValuesOf } from "../options/rows.ts";
import { DEVELOPMENT_FORK_NAMES } from "./development-forks.ts";

const dev = optionGroup("Development chain", ["dev", "config"]);
const file = optionGroup("Chain file", ["export"]);
const state = optionGroup("State and database", NODE);
const data = optionGroup("State and database", DATA);

const wholeSeconds = secondsKind(1);

/** Milliseconds between blocks, or a block for each transaction. */
const blockTimeKind: Kind<number | "auto"> = {
  hint: "N|auto",
  parse: (text) => {
    if (text === "auto") return "auto";
    try {
      return wholeSeconds.parse(text);
    } catch {
      throw new Error("auto or a whole number of seconds of at least 1");
    }
  },
  format: (value: number | "auto") => (value === "auto" ? value : String(value / 1_000)),
};

/** A mnemonic. It is not printed: somebody may give one of value. */
const wordsKind: Kind<string> = { hint: "WORDS", parse: (text) => text, isSecret: true };

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
  mnemonic: dev({
    flag: "dev.mnemonic",
    typed: "mnemonic",
    kind: wordsKind,
    summary: "words of the funded accounts; those of Anvil and Hardhat by default",
    own: true,
  }),
  chainId: dev({
    flag: "chain-id",
    kind: integerKind(1),
    summary: "chain id of a new development chain; 1337 by default, that of the origin for a fork",
    own: true,
  }),
  hardfork: dev({
    flag: "hardfork",
    kind: { ...choice(DEVELOPMENT_FORK_NAMES), hint: "FORK" },
    summary:
      "last active fork of a new development chain, such as london; prague by default, osaka for blobs",
    own: true,
  }),
  gasLimit: dev({
    flag: "gas-limit",
    kind: integerKind(1),
    summary: "limit of gas of a block and of a transaction in it; none by default",
    own: true,
  }),
  blockTime: dev({
    flag: "block-time",
    kind: blockTimeKind,
    summary: "seconds between blocks, or one for each transaction; 1 with --datadir, else auto",
    own: true,
  }),
  forkUrl: dev({
    flag: "fork-url",
    kind: { ...textKind, hint: "URL" },
    summary: "fork another chain: accounts and storage are fetched when they are read",
    own: true,
  }),
  forkBlock: dev({
    flag: "fork-block-number",
    kind: integerKind(0),
    summary: "block to fork at; the newest by default",
    own: true,
  }),
  stateFile: dev({
    flag: "state",
    kind: path,
    summary: "load the state of a file when it exists, and dump it there at the end",
    own: true,
  }),
  loadState: dev({
    flag: "load-state",
    kind: path,
    summary: "load the state of a file, a dump of Knit or Anvil",
    own: true,
  }),
  dumpState: dev({
    flag: "dump-state",
    kind: path,
    summary: "dump the state to a file at the end",
    own: true,
  }),
  logRequests: dev({
    flag: "log-requests",
    kind: booleanKind,
    default: false,
    summary: "print requests, gas, failures and console.log lines of contracts",
    own: true,
  }),
  artifacts: dev({
    flag: "artifacts",
    kind: { ...path, hint: "DIR" },
    summary: "compilers' artifacts, by which the log names custom errors",
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
  addressIndex: data({
    flag: "index.addresses",
    kind: booleanKind,
    default: false,
    summary: "index transactions by the addresses that they involve, for ots methods",
    own: true,
  }),
};

/** Number of recent blocks whose bodies and receipts are kept (0 for all), and the indexes of transactions. */
export type FollowerOptions = ValuesOf<typeof followerOptions>;

/** Options of the state and its trie. */
import { OptionError } from "../options/error.ts";
import { booleanKind, choice, duration, integerKind, MEBIBYTE, mebibytesKind } from "../options/kinds.ts";
import { DATA, NODE, optionGroup, type ValuesOf } from "../options/rows.ts";

const state = optionGroup("State and database", NODE);
const data = optionGroup("State and database", DATA);

/** Number of recent blocks whose states live pruning keeps: two days of blocks, as in the Go node. */
const PRUNING_RETENTION = 172_800;
/** The same with a comma; `Intl` would touch 6 MB of the runtime's tables at each start. */
const PRUNING_RETENTION_TEXT = String(PRUNING_RETENTION).replace(/\B(?=(\d{3})+$)/g, ",");

/** Rows of the states that are kept. */
export const historyOptions = {
  mode: data({
    flag: "gcmode",
    kind: choice(["full", "archive"]),
    summary: "archive keeps all states, full only recent ones; unchanged by default",
    aliases: ["common.garbage-collection-mode"],
    differs: "the mode of the existing database by default",
  }),
  livePruning: data({
    flag: "state.live-pruning",
    kind: booleanKind,
    default: false,
    summary: `delete states older than ${PRUNING_RETENTION_TEXT} blocks; excludes state migration`,
  }),
  retention: data({
    flag: "state.live-pruning-retention",
    kind: integerKind(1),
    summary: "number of recent blocks with state; unchanged by default, 128 in a new database",
    differs: "also without `--state.live-pruning`",
  }),
};

/** States that are kept, as written. */
export type HistoryOptions = ValuesOf<typeof historyOptions>;

/** States that are kept. */
export interface KeptStates {
  /** Keeps all states; `undefined` for the mode of the database. */
  readonly archive: boolean | undefined;
  /** Deletes old states block by block; excludes a state migration. */
  readonly livePruning: boolean;
  /** Number of recent blocks whose states are kept; `undefined` for that of the database. */
  readonly retention: number | undefined;
}

/** Returns the states that the options keep. Throws `OptionError` `clash` for an archive node that is pruned. */
export function keptStates({ mode, livePruning, retention }: HistoryOptions): KeptStates {
  if (livePruning && mode === "archive") {
    throw new OptionError(
      "clash",
      "--gcmode archive keeps all states, --state.live-pruning deletes old ones",
    );
  }
  const full = livePruning ? false : undefined;
  return {
    archive: mode === undefined ? full : mode === "archive",
    livePruning,
    retention: retention ?? (livePruning ? PRUNING_RETENTION : undefined),
  };
}

/** Rows of the trie and its nodes. */
export const trieOptions = {
  preimages: data({
    flag: "state.preimages",
    kind: booleanKind,
    default: true,
    summary: "store the preimages of state keys, which listings of accounts and slots need",
    own: true,
  }),
  flushInterval: state({
    flag: "state.block-interval",
    kind: integerKind(1),
    default: 16,
    summary: "number of blocks between writes of the state trie",
    differs: "16 by default, not 128; blocks are written to disk at once in any case",
  }),
  cacheBytes: state({
    flag: "state.trie-cache-limit",
    kind: mebibytesKind(-1),
    default: -MEBIBYTE,
    summary: "size of the trie node cache in MiB; -1 for automatic, 0 for none",
  }),
  cacheSaveMs: state({
    flag: "state.trie-cache-save-period",
    kind: duration,
    default: 0,
    summary: "interval between saves of the trie node cache; 0 for on request",
  }),
};

/** The trie and its nodes. */
export type TrieOptions = ValuesOf<typeof trieOptions>;

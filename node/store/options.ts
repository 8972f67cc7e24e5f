/** Options of the chain database. */
import { MEBIBYTE, mebibytesKind } from "../options/kinds.ts";
import { DATA, optionGroup } from "../options/rows.ts";

const data = optionGroup("State and database", DATA);

/** Rows of the database engine. */
export const storeOptions = {
  cacheBytes: data({
    flag: "db.leveldb.cache-size",
    kind: mebibytesKind(1),
    default: 16 * MEBIBYTE,
    summary: "size of the LevelDB block cache in MiB",
    properties: ["LDBCACHESIZE"],
    differs: "16 by default, not 768",
  }),
};

import { type ChainConfig, parseChainConfig } from "../config/chain-config.ts";
import { parseExactJson } from "../config/exact-json.ts";
import type { Rows } from "../store/store.ts";
import { tables } from "../store/tables.ts";
import { ChainError } from "./error.ts";
import { SCHEMA } from "./schema.ts";

/** The configuration of the chain in a database. Throws `ChainError` `no-genesis` or `unsupported`. */
export function storedConfig(rows: Rows): ChainConfig {
  const schema = rows.get(tables.meta.key("schema"));
  const config = rows.get(tables.meta.key("config"));
  if (schema === undefined || config === undefined) {
    throw new ChainError(
      "no-genesis",
      "the data directory holds no chain: run `knit init` with a genesis file first",
    );
  }
  const version = Buffer.from(schema).toString("utf8");
  if (version !== SCHEMA) {
    throw new ChainError("unsupported", `the database has layout ${version}, this release reads ${SCHEMA}`);
  }
  return parseChainConfig(parseExactJson(Buffer.from(config).toString("utf8")));
}

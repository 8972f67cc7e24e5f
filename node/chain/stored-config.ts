/** The chain configuration in a database. */
import { type ChainConfig, chainConfigJson, parseChainConfig } from "../config/chain-config.ts";
import { parseExactJson } from "../config/exact-json.ts";
import type { Batch, Rows, Store } from "../store/store.ts";
import { tables } from "../store/tables.ts";
import { ChainError } from "./error.ts";

/** Version of the layout of the chain database; a database of an unknown layout is refused. */
export const SCHEMA = "2";
/** In the layout before, all rows of blocks were in `chain`, where they are still read. */
const SCHEMAS: readonly string[] = ["1", SCHEMA];

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
  if (!SCHEMAS.includes(version)) {
    const known = SCHEMAS.join(" and ");
    throw new ChainError("unsupported", `the database has layout ${version}, this release reads ${known}`);
  }
  return parseChainConfig(parseExactJson(Buffer.from(config).toString("utf8")));
}

/** Notes in a database of the layout before that earlier releases cannot read it any more. */
export async function raiseSchema(store: Store): Promise<void> {
  const key = tables.meta.key("schema");
  if (Buffer.from(store.get(key) ?? "").toString("utf8") !== "1") return;
  const batch = store.createBatch();
  batch.put(key, Buffer.from(SCHEMA));
  await store.write(batch, { sync: true });
}

/** Adds the configuration and the layout of the rows to a batch. */
export function putConfig(batch: Batch, config: ChainConfig): void {
  batch.put(tables.meta.key("schema"), Buffer.from(SCHEMA));
  const json = { ...chainConfigJson(config), ...Object.fromEntries(config.unknownForks) };
  batch.put(tables.meta.key("config"), Buffer.from(JSON.stringify(json)));
}

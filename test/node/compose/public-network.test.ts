import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { BlockRows } from "../../../node/chain/block-rows.ts";
import { type Database, openDatabase } from "../../../node/compose/database.ts";
import { initDatadir } from "../../../node/compose/offline-jobs.ts";
import { beginPublicChain } from "../../../node/compose/public-network.ts";
import { exactJsonText } from "../../../node/config/exact-json.ts";
import type { NodeOptions } from "../../../node/config/options.ts";
import { kairos } from "../../../node/config/presets/networks.ts";
import { createLog } from "../../../node/observe/log.ts";
import { options } from "../../support/options.ts";

let directory = "";

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "knit-public-"));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

function optionsOf(line: Record<string, string>): NodeOptions {
  return options({ line: { ...line, datadir: directory } }).options;
}

async function begun(given: NodeOptions, check?: (database: Database) => void): Promise<void> {
  await using database = await openDatabase(given, createLog({ level: "silent", format: "terminal" }));
  await beginPublicChain(database, given);
  check?.(database);
}

function expectKairos({ store }: Database): void {
  expect(toHex(new BlockRows(store).block(0)?.hash ?? new Uint8Array(0))).toBe(kairos.genesisHash);
}

test("--kairos gives an empty data directory that network's block 0, and goes on with it", async () => {
  const given = optionsOf({ kairos: "true" });
  await begun(given, expectKairos);
  await begun(given, expectKairos);
});

test("a directory with another chain is refused, and the main network's without a genesis file", async () => {
  await expect(begun(optionsOf({ mainnet: "true" }))).rejects.toMatchObject({
    code: "no-genesis",
    message: "the genesis file of the main network is not included: knit init GENESIS first",
  });
  await initDatadir(optionsOf({}), exactJsonText(kairos.genesis));
  await expect(begun(optionsOf({ mainnet: "true" }))).rejects.toMatchObject({
    code: "genesis-mismatch",
    message: "this data directory holds another chain than the main network's",
  });
});

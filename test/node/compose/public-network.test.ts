/** Tests of nodes of public networks. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { BlockRows } from "../../../node/chain/block-rows.ts";
import { storedConfig } from "../../../node/chain/stored-config.ts";
import { type Database, openDatabase } from "../../../node/compose/database.ts";
import { initDatadir } from "../../../node/compose/offline-jobs.ts";
import type { NodeOptions } from "../../../node/compose/options.ts";
import { beginPublicChain, renewConfig, renewPublicConfig } from "../../../node/compose/public-network.ts";
import { chainConfigJson } from "../../../node/config/chain-config.ts";
import { exactJsonText } from "../../../node/config/exact-json.ts";
import { parseGenesis } from "../../../node/config/genesis.ts";
import { kairos } from "../../../node/config/presets/networks.ts";
import { createLog, type Log } from "../../../node/observe/log.ts";
import { aChain, decodedBlocks, recordedGenesis, type TestChain } from "../../support/chain.ts";
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

async function begin(given: NodeOptions, check?: (database: Database) => void): Promise<void> {
  await using database = await openDatabase(given, createLog({ level: "silent", format: "terminal" }));
  await beginPublicChain(database, given);
  check?.(database);
}

function expectKairos({ store }: Database): void {
  expect(toHex(new BlockRows(store).block(0)?.hash ?? new Uint8Array(0))).toBe(kairos.genesisHash);
}

test("--kairos gives an empty data directory that network's block 0, and goes on with it", async () => {
  const given = optionsOf({ kairos: "true" });
  await begin(given, expectKairos);
  await begin(given, expectKairos);
});

test("--mainnet gives an empty data directory that network's block 0", async () => {
  await begin(optionsOf({ mainnet: "true" }), ({ store }) => {
    const hash = new BlockRows(store).block(0)?.hash ?? new Uint8Array(0);
    expect(toHex(hash)).toBe("0xc72e5293c3c3ba38ed8ae910f780e4caaa9fb95e79784f7ab74c3c262ea7137e");
  });
});

test("a directory with another chain is refused", async () => {
  await initDatadir(optionsOf({}), exactJsonText(kairos.genesis()));
  await expect(begin(optionsOf({ mainnet: "true" }))).rejects.toMatchObject({
    code: "genesis-mismatch",
    message: "this data directory contains a chain other than the main network's",
  });
});

function linesOf(): { readonly lines: string[]; readonly log: Log } {
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  return { lines, log: createLog({ level: "info", format: "logfmt", stream }) };
}

function databaseOf({ store, state }: TestChain): Database {
  return { store, state, [Symbol.asyncDispose]: async () => undefined };
}

/** The genesis file of Kairos as an earlier release had it: a later Osaka, no contracts, no registry. */
function oldKairosGenesis(): string {
  const contracts = ["kip103ContractAddress", "kip160ContractAddress", "randaoRegistry"];
  const members = Object.entries(kairos.config).filter(([name]) => !contracts.includes(name));
  const config = { ...Object.fromEntries(members), osakaCompatibleBlock: 300_000_000 };
  return exactJsonText({ ...kairos.genesis(), config });
}

describe("the built-in configuration", () => {
  test("takes the place of the forks of an old genesis file of a public network, and the log says so", async () => {
    await using open = await aChain(parseGenesis(oldKairosGenesis()));
    expect(storedConfig(open.store).forks.get("osakaCompatibleBlock")).toBe(300_000_000);
    const { lines, log } = linesOf();
    await renewPublicConfig(databaseOf(open), log);
    const builtIn = parseGenesis(exactJsonText(kairos.genesis())).config;
    expect(exactJsonText(chainConfigJson(storedConfig(open.store)))).toBe(
      exactJsonText(chainConfigJson(builtIn)),
    );
    const members = "osakaCompatibleBlock,kip103ContractAddress,kip160ContractAddress,randaoRegistry";
    expect(lines).toEqual([
      expect.stringContaining("replaced the stored chain configuration by the built-in one"),
    ]);
    for (const part of ["Kairos", ...members.split(",")]) expect(lines[0]).toContain(part);
    await renewPublicConfig(databaseOf(open), log);
    expect(lines.length).toBe(1);
  });

  test("is taken by `knit init` of such a file too", async () => {
    await initDatadir(optionsOf({ verbosity: "0" }), oldKairosGenesis());
    await begin(optionsOf({ kairos: "true" }), ({ store }) =>
      expect(storedConfig(store).forks.get("osakaCompatibleBlock")).toBe(209_134_000),
    );
  });

  test("leaves other chains and empty directories alone", async () => {
    await using open = await aChain(await recordedGenesis());
    const before = exactJsonText(chainConfigJson(storedConfig(open.store)));
    const { lines, log } = linesOf();
    await renewPublicConfig(databaseOf(open), log);
    expect([exactJsonText(chainConfigJson(storedConfig(open.store))), lines]).toEqual([before, []]);
    await using empty = await openDatabase(optionsOf({}), log);
    await renewPublicConfig(empty, log);
  });

  test("takes the chain back to where both configurations agree", async () => {
    await using open = await aChain(await recordedGenesis());
    for (const block of (await decodedBlocks()).slice(1, 31)) await open.writer.insert(block);
    await open.writer.settle();
    const config = {
      ...chainConfigJson(open.chain.config),
      istanbulCompatibleBlock: 21,
      londonCompatibleBlock: 26,
    };
    const { lines, log } = linesOf();
    await renewConfig(databaseOf(open), { name: "a network", config }, log);
    expect(open.state.number).toBe(20);
    expect(storedConfig(open.store).forks.get("istanbulCompatibleBlock")).toBe(21);
    expect(lines[0]).toContain("rewinding chain to upgrade configuration");
    expect(lines[0]).toContain("mismatching Istanbul Block in database (have <nil>, want 21, rewindto 20)");
  });

  test("is refused with what to do where the chain cannot be taken back as far", async () => {
    await using open = await aChain(await recordedGenesis());
    for (const block of (await decodedBlocks()).slice(1, 31)) await open.writer.insert(block);
    await open.writer.settle();
    const figures = { ...open.state.figures(), oldestRewind: 25 };
    Object.defineProperty(open.state, "figures", { value: () => figures });
    const config = { ...chainConfigJson(open.chain.config), istanbulCompatibleBlock: 21 };
    await expect(
      renewConfig(databaseOf(open), { name: "a network", config }, linesOf().log),
    ).rejects.toMatchObject({
      code: "genesis-mismatch",
      message:
        "mismatching Istanbul Block in database (have <nil>, want 21, rewindto 20): Cannot rewind to block 20: the oldest block whose state can be restored is 25; remove the data directory's chain and catch up again",
    });
    expect(storedConfig(open.store).forks.size).toBe(0);
  });
});

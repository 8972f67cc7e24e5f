/** The database engine and its merges by reads. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { ClassicLevel } from "classic-level";
import { engineSource, withoutReadMerges } from "../../scripts/build-engine.ts";

const PACKAGE = "node_modules/classic-level";

test("the package's source counts reads at one place, which is left out", () => {
  const source = readFileSync(engineSource(PACKAGE), "utf8");
  const changed = withoutReadMerges(source);
  expect(source.match(/allowed_seeks--/g)).toHaveLength(1);
  expect(changed).not.toContain("allowed_seeks--");
  expect(source.length - changed.length).toBe("    f->allowed_seeks--;\n".length);
});

test.each(["", "  allowed--;\n", "    f->allowed_seeks--;\n".repeat(2)])(
  "another source is refused",
  (source) => {
    expect(() => withoutReadMerges(source)).toThrow("counts reads in another way");
  },
);

/** Puts rows into the second level and some above them; returns the tables after reads that pass those in vain. */
async function tablesAroundReads(directory: string): Promise<readonly [before: string, after: string]> {
  const level = new ClassicLevel<string, Uint8Array>(directory, {
    valueEncoding: "view",
    writeBufferSize: 64 * 1024,
  });
  await level.open();
  const value = Uint8Array.from({ length: 1_000 }, (_, i) => (i * i) >> 3);
  const put = (count: number, step: number) =>
    level.batch(
      Array.from({ length: count }, (_, i) => ({ type: "put", key: String(10_000 + i * step), value })),
    );
  await put(2_000, 1);
  await level.compactRange("1", "2");
  await put(200, 10);
  await put(1, 1);
  const tables = async (): Promise<string> => {
    await setTimeout(300); // the engine's own thread writes them
    return level.getProperty("leveldb.sstables");
  };
  const before = await tables();
  for (let i = 0; i < 400; i++) level.getSync(String(11_005 + (i % 4)));
  const after = await tables();
  await level.close();
  return [before, after];
}

test("reads merge table files unless the engine was compiled", async () => {
  const directory = mkdtempSync(join(tmpdir(), "knit-engine-"));
  const [before, after] = await tablesAroundReads(directory);
  rmSync(directory, { recursive: true });
  expect(after === before).toBe(existsSync(join(PACKAGE, "build/Release/classic_level.node")));
});

/** Tests of the background check of table files. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { openTableWatch } from "../../../node/compose/table-watch.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { openLevelStore } from "../../../node/store/level-store.ts";
import { until } from "../../support/until.ts";

test("a table file that is damaged while a node runs is said", async () => {
  const directory = await mkdtemp(join(tmpdir(), "knit-watch-"));
  const said: unknown[] = [];
  const log = { ...silentLog, error: (fields: object) => void said.push(fields) };
  {
    await using store = await openLevelStore(directory);
    const batch = store.createBatch();
    for (let i = 0; i < 50; i++) batch.put(Uint8Array.of(i), Buffer.alloc(100, String(i)));
    await store.write(batch, { sync: false });
    await store.compact();
    const watch = async (): Promise<boolean> => {
      const asked = Promise.withResolvers<void>();
      const directories = async (): Promise<string[]> => (asked.resolve(), [directory, directory]);
      const watching = openTableWatch({ directories, log, restMs: 1 });
      await asked.promise;
      if (damaged) await until(() => said.length > 0);
      const found = watching.hasDamage();
      await watching[Symbol.asyncDispose]();
      return found;
    };
    let damaged = false;
    expect(await watch()).toBe(false);
    const name = readdirSync(directory).find((each) => each.endsWith(".ldb")) ?? "";
    const bytes = readFileSync(join(directory, name));
    bytes[40] = (bytes[40] ?? 0) ^ 4;
    writeFileSync(join(directory, name), bytes);
    damaged = true;
    expect(await watch()).toBe(true);
  }
  expect(said).toEqual([{ error: expect.objectContaining({ code: "corrupt" }) }]);
  rmSync(directory, { recursive: true });
});

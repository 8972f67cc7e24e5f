/** Writers in other threads: what they have written is freed, although the collector does not know how large it is. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import { openLevelStore, openLevelWriter } from "../../../node/store/level-store.ts";
import type { StoreWriter, WriterBatch } from "../../../node/store/store.ts";

const BATCHES = 40;
/** Of each batch, and written again and again: a new one each time would bring the collector. */
const VALUE = new Uint8Array(4 * 1024 * 1024);
/** Of 32 MiB, and what was written since. */
const MAX_KEPT = 10;

/** Writes a batch, and returns a reference that does not keep it. */
async function writeOne(writer: StoreWriter, key: number): Promise<WeakRef<WriterBatch>> {
  const batch = writer.createBatch();
  batch.put(fixedBytes(key, 4), VALUE);
  await writer.write(batch);
  return new WeakRef(batch);
}

test("batches that are written do not pile up until the collector runs by itself", async () => {
  const directory = mkdtempSync(join(tmpdir(), "knit-level-writer-"));
  try {
    await using _store = await openLevelStore(directory, { hasWriters: true });
    await using writer = await openLevelWriter(directory);
    const written: WeakRef<WriterBatch>[] = [];
    for (let key = 0; key < BATCHES; key++) written.push(await writeOne(writer, key));
    expect(written.filter((batch) => batch.deref() !== undefined).length).toBeLessThanOrEqual(MAX_KEPT);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

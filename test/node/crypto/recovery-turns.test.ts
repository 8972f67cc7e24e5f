/** Signatures that strangers send leave the threads to blocks. */
import { expect, test } from "@jest/globals";
import type { Signers } from "../../../node/crypto/recoverer.ts";
import type { RecoveryJob } from "../../../node/crypto/recovery-batch.ts";
import { recoverInTurns } from "../../../node/crypto/recovery-turns.ts";

/** Jobs whose signers are known by their first byte. */
function someJobs(count: number, mark: number): RecoveryJob[] {
  return Array.from({ length: count }, (_, i) => ({
    digest: Uint8Array.of(mark, i >> 8, i & 0xff),
    signature: new Uint8Array(65),
  }));
}

/** A recoverer that answers when the test says so. */
function aSlowRecoverer() {
  const pieces: { readonly mark: number | undefined; readonly count: number; answer(): void }[] = [];
  const recover = (batch: readonly RecoveryJob[]): Promise<Signers> =>
    new Promise((resolve) => {
      const answer = (): void => resolve(batch.map(({ digest }) => digest));
      pieces.push({ mark: batch[0]?.digest[0], count: batch.length, answer });
    });
  return { pieces, turns: recoverInTurns({ recover, recoverKeys: recover }) };
}

async function settle(): Promise<void> {
  await new Promise((resolve) => void setImmediate(resolve));
}

test("two pieces are with the threads at once, and batches take turns", async () => {
  const { pieces, turns } = aSlowRecoverer();
  const [long, short] = [someJobs(1000, 1), someJobs(300, 2)];
  const answers = Promise.all([turns.recover(long), turns.recoverKeys(short)]);
  const order: string[] = [];
  for (let next = 0; next < 6; next++) {
    await settle();
    expect(pieces.length).toBe(Math.min(6, next + 2));
    order.push(`${pieces[next]?.mark}:${pieces[next]?.count}`);
    pieces[next]?.answer();
  }
  expect(order).toEqual(["1:256", "1:256", "2:256", "2:44", "1:256", "1:232"]);
  expect(await answers).toEqual([long, short].map((jobs) => jobs.map(({ digest }) => digest)));
});

test("a few signatures do not wait", async () => {
  const { pieces, turns } = aSlowRecoverer();
  void turns.recover(someJobs(600, 1));
  void turns.recover(someJobs(3, 2));
  await settle();
  expect(pieces.map(({ count }) => count).sort((a, b) => a - b)).toEqual([3, 256, 256]);
});

/** Upkeep of archives whose stores lie: nothing that may be needed is deleted, and nothing wrong counts as read back. */
import { createECDH } from "node:crypto";
import { expect, test } from "@jest/globals";
import { type ArchiveFile, type ArchiveStore, signManifest } from "../../../node/checkpoint/archive.ts";
import { keepNewest, readBack } from "../../../node/checkpoint/keep.ts";
import { addressOfPublicKey } from "../../../node/crypto/secp256k1.ts";

const pair = createECDH("secp256k1");
pair.setPrivateKey("1".repeat(64), "hex");
const key = new Uint8Array(pair.getPrivateKey());
const address = addressOfPublicKey(new Uint8Array(pair.getPublicKey().subarray(1)));
const HASH = `0x${"ab".repeat(32)}`;
const { signal } = new AbortController();

function aManifest(number: number, files: readonly ArchiveFile[]) {
  const head = { number, hash: HASH, stateRoot: HASH };
  return { format: 1, program: "Knit", chainId: "7", genesisHash: HASH, head, files } as const;
}

/** A store in memory, and what was deleted in it. */
function aStore(objects: ReadonlyMap<string, string>, more: Partial<ArchiveStore> = {}) {
  const removed: string[] = [];
  const store: ArchiveStore = {
    prepare: () => Promise.resolve(),
    list: async (prefix) =>
      [...objects]
        .filter(([name]) => name.startsWith(prefix))
        .map(([name, { length }]) => ({ name, size: length, writtenAt: 1 })),
    read: async (name) => Buffer.from(objects.get(name) ?? ""),
    write: () => Promise.resolve(),
    remove: async (name) => void removed.push(name),
    removeUnfinished: () => Promise.resolve(),
    ...more,
  };
  return { store, removed };
}

const text = (number: number, sha256: string): string =>
  signManifest(
    aManifest(number, [{ path: "knit/chaindata/chain/000005.ldb", size: 1, sha256 }]),
    key,
    address,
  );

test("nothing is deleted in an archive that does not list the checkpoint that was just sent", async () => {
  const objects = new Map([
    ["checkpoints/1.json", text(1, "1".repeat(64))],
    ["checkpoints/2.json", text(2, "2".repeat(64))],
    [`files/${"3".repeat(64)}`, "x"], // which the checkpoint that was sent shares with an older one
  ]);
  const { store, removed } = aStore(objects);
  const options = { genesisHash: HASH, keep: 1, before: 2, signal };
  await expect(keepNewest(store, { ...options, pushed: "checkpoints/3.json" })).rejects.toMatchObject({
    code: "failed",
    message: "the archive does not list checkpoints/3.json, so nothing is deleted there",
  });
  expect(removed).toEqual([]);
  await keepNewest(store, { ...options, pushed: "checkpoints/2.json" });
  expect(removed).toEqual(["checkpoints/1.json", `files/${"3".repeat(64)}`]);
});

test("a file that has other bytes after it was sent again is refused", async () => {
  const file = { path: "knit/chaindata/chain/000005.ldb", size: 1, sha256: "1".repeat(64) };
  const { store } = aStore(new Map([[`files/${file.sha256}`, "x"]]));
  let sent = 0;
  const resend = async (): Promise<void> => void sent++;
  const manifest = { ...aManifest(1, [file]), creator: HASH };
  await expect(readBack(store, manifest, { signal, onBytes: () => undefined, resend })).rejects.toMatchObject(
    {
      code: "bad-file",
      message: `the archive returns other bytes for ${file.path}`,
    },
  );
  expect(sent).toBe(1);
});

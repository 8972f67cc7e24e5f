/** `knit save-cache` at a socket whose node saves by script: it ends when all is saved, or says why it is not. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { runCli } from "../../../node/cli/cli.ts";
import { createSubscriptionLimit } from "../../../node/jsonrpc/subscriptions.ts";
import { adminMigrationMethods } from "../../../node/rpc/admin-migration.ts";
import type { Migration } from "../../../node/state/migration/migration.ts";
import type { SaveStart, SaveStatus } from "../../../node/state/trie/node-cache.ts";
import { openIpc } from "../../../node/transport/ipc.ts";
import type { Listener } from "../../../node/transport/listener.ts";
import { fakeShell } from "../../support/shell.ts";
import { anEndpoint } from "../rpc/fixture.ts";

const IDLE: SaveStatus = { isSaving: false, bytes: 0, error: undefined };
const SAVING: SaveStatus = { ...IDLE, isSaving: true };
const SAVED: SaveStatus = { ...IDLE, bytes: 77 };

let directory: string;
let listener: Listener;
let start: SaveStart;
/** Reports of the node, one after another; the last one stays. */
let reported: SaveStatus[];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "knit-save-"));
  const nodeCache = {
    save: () => start,
    get status() {
      return (reported.length > 1 ? reported.shift() : reported[0]) ?? IDLE;
    },
  };
  const methods = adminMigrationMethods({ nodeCache, migration: {} as Migration }); // which nobody asks for
  const endpoint = anEndpoint({ methods, profile: "service" });
  const path = join(directory, "knit.ipc");
  listener = await openIpc({ path, endpoint, subscriptionLimit: createSubscriptionLimit() });
});
afterEach(async () => {
  await listener[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

async function saveCache(...more: string[]): Promise<readonly [number, string]> {
  const fake = fakeShell();
  const code = await runCli(["save-cache", "--endpoint", join(directory, "knit.ipc"), ...more], fake.shell);
  return [code, fake.out() + fake.err()];
}

test.each<[string, SaveStart, SaveStatus[], number, string]>([
  ["waits until it is saved", "started", [SAVING, SAVING, SAVED], 0, "saved 77 bytes of trie nodes\n"],
  ["waits for a saving that runs already", "running", [SAVING, SAVED], 0, "saved 77 bytes of trie nodes\n"],
  ["finds one that has just ended", "running", [SAVED], 0, "saved 77 bytes of trie nodes\n"],
  [
    "tells that it failed",
    "started",
    [SAVING, { ...IDLE, error: "ENOSPC: no space left on device" }],
    2,
    "trie nodes not saved: ENOSPC: no space left on device\n",
  ],
  [
    "tells that nothing is kept",
    "off",
    [IDLE],
    2,
    "trie nodes not saved: trie node cache is disabled, nothing to save to file\n",
  ],
])("it %s", async (_name, began, statuses, code, said) => {
  start = began;
  reported = statuses;
  expect(await saveCache()).toEqual([code, said]);
});

test("it gives up in time, and at once where no node is", async () => {
  start = "started";
  reported = [SAVING];
  expect(await saveCache("--timeout", "300ms")).toEqual([1, "Fatal: not saved within 0.3 s\n"]);
  await listener[Symbol.asyncDispose]();
  expect(await saveCache()).toEqual([1, expect.stringContaining("no such socket")]);
});

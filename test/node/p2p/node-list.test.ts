/** Tests of node lists from files. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { silentLog } from "../../../node/observe/log.ts";
import { readNodeList } from "../../../node/p2p/node-list.ts";
import { formatNodeUrl } from "../../../node/p2p/node-url.ts";
import { keyOf } from "../../support/p2p.ts";

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-nodes-"));
  path = join(directory, "static-nodes.json");
});
afterEach(() => rm(directory, { recursive: true }));

const url = `kni://${Buffer.from(keyOf("peer").id).toString("hex")}@core.example:32323`;

test("a file's node URLs are read, and invalid entries are logged and left out", async () => {
  await writeFile(path, JSON.stringify([url, "", "kni://x", `${url}?ntype=cn`]));
  const reported: object[] = [];
  const log = { ...silentLog, error: (fields: object) => void reported.push(fields) };
  expect((await readNodeList(path, log)).map((node) => formatNodeUrl(node))).toEqual([
    url,
    `${url}?ntype=cn`,
  ]);
  expect(reported).toEqual([{ path, url: "kni://x", error: "does not contain node ID" }]);
});

test("a missing file gives no nodes; one that is not an array of strings is refused", async () => {
  expect(await readNodeList(path, silentLog)).toEqual([]);
  for (const text of ["{}", "[1]", "["]) {
    await writeFile(path, text);
    await expect(readNodeList(path, silentLog)).rejects.toMatchObject({
      name: "P2pError",
      code: "bad-node-list",
    });
  }
  await expect(readNodeList(directory, silentLog)).rejects.toMatchObject({ code: "bad-node-list" });
});

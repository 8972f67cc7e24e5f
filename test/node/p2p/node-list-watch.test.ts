/** Tests of node lists that are replaced while a node runs. */
import { mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { silentLog } from "../../../node/observe/log.ts";
import { openNodeListWatch } from "../../../node/p2p/node-list-watch.ts";
import { formatNodeUrl } from "../../../node/p2p/node-url.ts";
import { keyOf, openNode, urlOf } from "../../support/p2p.ts";
import { until } from "../../support/until.ts";

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-watch-"));
  path = join(directory, "static-nodes.json");
});
afterEach(() => rm(directory, { recursive: true }));

const urlNamed = (name: string): string =>
  `kni://${Buffer.from(keyOf(name).id).toString("hex")}@${name}.example:32323`;

test("a list is read again after a change; an unreadable one is told once and changes nothing", async () => {
  const errors: object[] = [];
  const log = { ...silentLog, error: (fields: object) => void errors.push(fields) };
  await using watch = await openNodeListWatch({ path, log, pollMs: 2 });
  const seen: string[][] = [];
  watch.onChange((nodes) => seen.push(nodes.map((node) => formatNodeUrl(node))));
  expect(watch.nodes).toEqual([]);
  await writeFile(`${path}.new`, JSON.stringify([urlNamed("a")]));
  await rename(`${path}.new`, path); // at once: a half-written list would be told as unreadable
  await until(() => seen.at(-1)?.length === 1);
  await rename(path, `${path}.old`);
  await writeFile(`${path}.new`, "[");
  await until(() => seen.at(-1)?.length === 0);
  await rename(`${path}.old`, path);
  await until(() => seen.at(-1)?.length === 1);
  const before = seen.length;
  await rename(`${path}.new`, path);
  await until(() => errors.length === 1);
  await writeFile(`${path}.new`, JSON.stringify([urlNamed("a"), urlNamed("b")]));
  expect([seen.length, watch.nodes.length]).toEqual([before, 1]);
  await rename(`${path}.new`, path);
  await until(() => seen.at(-1)?.length === 2);
  expect(watch.nodes.map((node) => formatNodeUrl(node))).toEqual([urlNamed("a"), urlNamed("b")]);
  expect(errors).toEqual([{ path, error: `${path} is not JSON` }]);
});

test("a node dials what a replaced ConfigMap lists, and keeps the connection of what left it", async () => {
  await using peer = await openNode("peer");
  const version = async (name: string, urls: readonly string[]): Promise<void> => {
    await writeFile(join(directory, name), JSON.stringify(urls));
    await symlink(name, join(directory, "link"));
    await rename(join(directory, "link"), path);
  };
  await version("first", [urlNamed("nowhere")]);
  await using watch = await openNodeListWatch({ path, log: silentLog, pollMs: 2 });
  await using node = await openNode("node", { staticNodes: watch.nodes });
  watch.onChange((nodes) => node.setStaticNodes(nodes));
  await version("second", [urlOf(peer)]);
  await until(() => node.countByType().total === 1);
  await version("third", []);
  await until(() => watch.nodes.length === 0);
  expect(node.countByType().total).toBe(1);
  await peer[Symbol.asyncDispose]();
  await until(() => node.countByType().total === 0);
});

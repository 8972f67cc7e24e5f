/**
 * Two nodes with one key in a network of four validators: again and again a copy of a validator's data directory, or
 * its key on an empty one, is started while the validator signs. The copy hears it and never signs. `KNIT_SIGNER_BLOCKS`
 * is how many blocks the network makes meanwhile.
 */
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { bareHex, toHex } from "../../node/bytes/hex.ts";
import type { LastSigned } from "../../node/consensus/bft/round-state.ts";
import { readRecord } from "../../node/consensus/bft/signing-record.ts";
import { openChainStore } from "../../node/store/chain-store.ts";
import { type NetworkNode, openNetwork } from "../../scripts/network/network.ts";
import { urlOf } from "../../scripts/network/plan.ts";
import { freePort } from "../support/go-node.ts";
import { type KnitProcess, MAIN, startKnit } from "../support/knit-process.ts";
import { until } from "../support/rpc-client.ts";

const BLOCKS = Number(process.env["KNIT_SIGNER_BLOCKS"] ?? 4);

let directory: string;
const running = new Set<KnitProcess>();

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-signers-"));
});
afterEach(async () => {
  await Promise.all([...running].map((knit) => knit.stop("SIGKILL")));
  running.clear();
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const height = async ({ ask }: NetworkNode): Promise<number> => Number(await ask("eth_blockNumber"));

/** The hash of every block that a node has up to `last`. */
async function hashesOf({ ask }: NetworkNode, last: number): Promise<readonly string[]> {
  const hashes: string[] = [];
  for (let number = 0; number <= last; number++) {
    const { hash } = (await ask("eth_getBlockByNumber", `0x${number.toString(16)}`, false)) as {
      hash: string;
    };
    hashes.push(hash);
  }
  return hashes;
}

/** The newest block: its number and its proposer's address. */
async function newestOf({
  ask,
}: NetworkNode): Promise<{ readonly number: number; readonly proposer: string }> {
  const block = await ask("klay_getBlockWithConsensusInfoByNumber", "latest");
  const { number, proposer } = block as { readonly number: string; readonly proposer: string };
  return { number: Number(number), proposer: proposer.toLowerCase() };
}

/** The last messages that a data directory signed: they are on disk before they are sent. */
async function lastSigned(home: string): Promise<LastSigned | undefined> {
  await using store = await openChainStore(join(home, "knit", "chaindata", "chain"));
  return readRecord(store)?.signed;
}

/** Starts a second node with the key of `original`, connected to `peer`. Resolves once it has stopped signing. */
async function startTwin(home: string, original: NetworkNode, peer: NetworkNode): Promise<KnitProcess> {
  await writeFile(join(home, "knit", "static-nodes.json"), JSON.stringify([urlOf(peer)]));
  const own = ["--type", "core", "--datadir", home, "--nodekeyhex", bareHex(original.key.key)];
  const metrics = ["--metrics", "--prometheus", "--prometheusport", "0"];
  const twin = startKnit("run", ...own, "--nodiscover", "--port", String(await freePort()), ...metrics);
  running.add(twin);
  await twin.waitFor(/another node signs with this node's key/);
  return twin;
}

async function readinessOf(twin: KnitProcess): Promise<unknown> {
  const [, url = ""] = await twin.waitFor(/(http:\/\/[^ ]+\/metrics)/);
  return (await fetch(new URL("/readyz", url.replace("0.0.0.0", "127.0.0.1")))).json();
}

/** True for the two nodes that are not connected to each other. */
function isApart(one: string, other: string): boolean {
  return one === "core-3" && other === "core-0";
}

/** Copies a data directory without the socket that a killed node leaves. */
function copyHome(from: string, to: string): Promise<void> {
  return cp(from, to, { recursive: true, filter: (path) => !path.endsWith(".ipc") });
}

test(
  "a copied data directory and a copied key never sign, however often they start",
  async () => {
    const unreachable = await freePort();
    await using network = await openNetwork({
      size: { core: 4, proxy: 0, endpoint: 0 },
      directory: join(directory, "network"),
      entryOf: () => MAIN,
      // The second node gets the place of the first one at core-0: a node has one peer of an id.
      reach: (from, to) =>
        isApart(from.name, to.name) || isApart(to.name, from.name) ? unreachable : to.port,
    });
    const [peer, , , original] = network.nodes as [NetworkNode, NetworkNode, NetworkNode, NetworkNode];
    const reached = (node: NetworkNode, number: number): Promise<true> =>
      until(async () => ((await height(node)) >= number ? true : undefined));
    /** Waits for a block above a height of this proposer: then it signs again. */
    const proposedBy = ({ key }: NetworkNode, above: number): Promise<true> =>
      until(async () => {
        const { number, proposer } = await newestOf(peer);
        return number > above && proposer === toHex(key.address) ? true : undefined;
      });
    await proposedBy(original, 0);
    let attempts = 0;
    while ((await height(peer)) < BLOCKS || attempts < 2) {
      const twinHome = join(directory, `twin-${attempts}`);
      const isCopy = attempts % 2 === 0;
      if (isCopy) {
        await original.stop(attempts % 4 === 0 ? "SIGTERM" : "SIGKILL");
        await copyHome(join(directory, "network", original.name), twinHome);
        const stoppedAt = await height(peer);
        await original.start();
        await proposedBy(original, stoppedAt);
      } else await copyHome(join(directory, "network", "block-0-knit"), twinHome);
      const before = await lastSigned(twinHome);
      expect(before === undefined).toBe(!isCopy);
      const twin = await startTwin(twinHome, original, peer);
      expect(await readinessOf(twin)).toMatchObject({ ready: false, reasons: ["doppelganger"] });
      await reached(peer, (await height(peer)) + 2);
      running.delete(twin);
      await twin.stop(attempts % 3 === 0 ? "SIGKILL" : "SIGTERM");
      expect(await lastSigned(twinHome)).toEqual(before);
      await rm(twinHome, { recursive: true });
      attempts++;
    }
    const last = Math.min(...(await Promise.all(network.nodes.map(height))));
    const [first, ...others] = await Promise.all(network.nodes.map((node) => hashesOf(node, last)));
    for (const hashes of others) expect(hashes).toEqual(first);
    await proposedBy(original, last);
  },
  BLOCKS * 5_000 + 240_000,
);

/** Networks of several validators as processes: they agree, lose members and get them back. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Wallet } from "ethers";
import { DEVELOPMENT_KEYS } from "../../node/accounts/development-keys.ts";
import { toHex } from "../../node/bytes/hex.ts";
import { CHAIN_ID, GAS_PRICE } from "../../scripts/network/genesis.ts";
import { agree } from "../../scripts/network/heads.ts";
import { type Network, type NetworkNode, openNetwork } from "../../scripts/network/network.ts";
import { freePorts } from "../../scripts/network/ports.ts";
import { MAIN } from "../support/knit-process.ts";
import { openRelays } from "../support/relay.ts";
import { until } from "../support/rpc-client.ts";

/** Cuts, and losses that cost the network a round change of ten seconds or more. */
const faults = process.env["KNIT_NETWORK_FAULTS"] === undefined ? test.skip : test;

/** The nodes run the build, which starts in less time than the sources. */
const entryOf = (): string => MAIN;

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-mesh-"));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const height = async ({ ask }: NetworkNode): Promise<number> => Number(await ask("eth_blockNumber"));

function reachHeight(node: NetworkNode, number: number): Promise<true> {
  return until(async () => ((await height(node)) >= number ? true : undefined));
}

function allReached(nodes: readonly NetworkNode[], number: number): Promise<true[]> {
  return Promise.all(nodes.map((node) => reachHeight(node, number)));
}

function nodeOf({ nodes }: Network, name: string): NetworkNode {
  const found = nodes.find((node) => node.name === name);
  if (found === undefined) throw new Error(`no node ${name}`);
  return found;
}

function coresOf({ nodes }: Network): NetworkNode[] {
  return nodes.filter(({ type }) => type === "core");
}

/** Sends a transfer and gives its hash. */
async function transfer({ ask }: NetworkNode, nonce: number): Promise<string> {
  const [key = new Uint8Array(0)] = DEVELOPMENT_KEYS;
  const terms = { type: 0, chainId: CHAIN_ID, gasLimit: 21_000, gasPrice: GAS_PRICE, value: 1 };
  const raw = await new Wallet(toHex(key)).signTransaction({ ...terms, to: `0x${"ee".repeat(20)}`, nonce });
  return (await ask("eth_sendRawTransaction", raw)) as string;
}

/** The number of the block that a transaction is in, as soon as there is one. */
function minedBlock({ ask }: NetworkNode, hash: string): Promise<number> {
  return until(async () => {
    const receipt = (await ask("eth_getTransactionReceipt", hash)) as { blockNumber: string } | null;
    return receipt === null ? undefined : Number(receipt.blockNumber);
  });
}

function isKnownTo({ ask }: NetworkNode, hash: string): Promise<true> {
  return until(async () => ((await ask("eth_getTransactionByHash", hash)) === null ? undefined : true));
}

/** The core node that made the newest block: the next ones are made by others. */
async function lastAuthor(network: Network): Promise<NetworkNode> {
  const { proposer } = (await nodeOf(network, "core-0").ask(
    "klay_getBlockWithConsensusInfoByNumber",
    "latest",
  )) as {
    proposer: string;
  };
  const found = coresOf(network).find(({ key }) => toHex(key.address) === proposer.toLowerCase());
  if (found === undefined) throw new Error(`no node has the address ${proposer}`);
  return found;
}

test("four core nodes, a proxy and an endpoint: one is killed, blocks go on, and it comes back", async () => {
  const size = { core: 4, proxy: 1, endpoint: 1 };
  await using network = await openNetwork({ size, directory: join(directory, "six"), entryOf });
  const endpoint = nodeOf(network, "endpoint-0");
  await allReached(network.nodes, 2);
  const hash = await transfer(endpoint, 0);
  await Promise.all(coresOf(network).map((core) => isKnownTo(core, hash)));
  const known = Math.max(...(await Promise.all(coresOf(network).map(height))));
  expect(await minedBlock(endpoint, hash)).toBeLessThanOrEqual(known + 2);

  const lost = await lastAuthor(network);
  await lost.stop("SIGKILL");
  await reachHeight(endpoint, (await height(endpoint)) + 2);
  await lost.start();
  await reachHeight(lost, await height(endpoint));
  expect(await agree(network.nodes)).toBe(true);
  const codes = await Promise.all(network.nodes.map((node) => node.stop()));
  expect(codes).toEqual(codes.map(() => 0));
}, 180_000);

faults(
  "with two of four gone no block is made; with one back they go on, and all restarted lose nothing",
  async () => {
    const size = { core: 4, proxy: 0, endpoint: 1 };
    await using network = await openNetwork({ size, directory: join(directory, "five"), entryOf });
    const endpoint = nodeOf(network, "endpoint-0");
    const [first, second, third] = coresOf(network) as [NetworkNode, NetworkNode, NetworkNode];
    await allReached(network.nodes, 3);
    await Promise.all([first.stop("SIGKILL"), second.stop("SIGKILL")]);
    const stopped = await height(third);
    await new Promise((resolve) => setTimeout(resolve, 5000));
    expect(await height(third)).toBeLessThanOrEqual(stopped + 1); // one was under way
    await first.start();
    await reachHeight(endpoint, stopped + 3);
    await second.start();

    const number = await minedBlock(endpoint, await transfer(endpoint, 0));
    await Promise.all(network.nodes.map((node) => node.stop()));
    await Promise.all(network.nodes.map((node) => node.start()));
    await allReached(network.nodes, number + 2);
    expect(await agree(network.nodes)).toBe(true);
  },
  300_000,
);

/** Of the two halves. */
function isLeft({ name }: { readonly name: string }): boolean {
  return name < "core-2";
}

faults(
  "cut in two halves nobody makes blocks, and after healing all agree",
  async () => {
    await using relays = await openRelays(await freePorts(16));
    await using network = await openNetwork({
      size: { core: 4, proxy: 0, endpoint: 0 },
      directory: join(directory, "halves"),
      entryOf,
      reach: (from, to) => (isLeft(from) === isLeft(to) ? to.port : relays.to(to.port)),
    });
    await allReached(network.nodes, 3);
    relays.cut();
    await new Promise((resolve) => setTimeout(resolve, 2000));
    const heights = await Promise.all(network.nodes.map(height));
    await new Promise((resolve) => setTimeout(resolve, 5000));
    expect(await Promise.all(network.nodes.map(height))).toEqual(heights);
    relays.mend();
    await allReached(network.nodes, Math.max(...heights) + 3);
    expect(await agree(network.nodes)).toBe(true);
  },
  300_000,
);

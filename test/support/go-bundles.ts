/**
 * Networks of two of our core nodes and two Go ones in which a proposer adds transactions of its own: a contract of the
 * registry announces them, and every program must take them and place them.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect } from "@jest/globals";
import type { Address } from "../../node/bytes/brands.ts";
import { bareHex, toHex } from "../../node/bytes/hex.ts";
import { fixedBytes } from "../../node/bytes/integer.ts";
import { exactJsonText, parseExactJson } from "../../node/config/exact-json.ts";
import { registrySlots } from "../../node/execution/registry.ts";
import { REGISTRY } from "../../node/governance/system-contracts.ts";
import { type Network, type NetworkNode, openNetwork } from "../../scripts/network/network.ts";
import { GO_BINARY } from "./go-node.ts";
import { reachHeight } from "./network-answers.ts";
import { until } from "./rpc-client.ts";

/** Maximum number of rounds until every pair of programs has worked together. */
const MAX_ROUNDS = 40;

/** Contracts of block 0, the announced one first, and its name in the registry. */
export interface AnnouncedContracts {
  readonly name: string;
  readonly contracts: readonly { readonly address: Address; readonly code: Uint8Array }[];
}

/** Opens a network; one that a test of this file has opened is ended after that test. */
export type OpenBundleNetwork = (announced: AnnouncedContracts) => Promise<readonly NetworkNode[]>;

/** Registers the hooks of a test file, and returns the function that opens a network of it. */
export function bundleNetworks(prefix: string): OpenBundleNetwork {
  let directory: string;
  let network: Network | undefined;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), prefix));
  });
  // Also after a test whose time is over.
  afterEach(async () => {
    await network?.[Symbol.asyncDispose]();
    network = undefined;
    await rm(directory, { recursive: true, force: true });
  }, 60_000);
  return async (announced) => {
    network = await openNetwork({
      size: { core: 4, proxy: 0, endpoint: 0 },
      directory,
      consensus: { policy: 0, randao: true },
      go: { core: 2, binary: GO_BINARY },
      flags: ["--rpc.profile", "kaia"],
      adapt: (genesis, council) => withContracts(genesis, council, announced),
    });
    await reachHeight(network.nodes, 3);
    return network.nodes;
  };
}

interface GenesisJson {
  readonly alloc: Readonly<Record<string, object>>;
}

function withContracts(
  genesis: string,
  council: readonly Address[],
  { name, contracts }: AnnouncedContracts,
): string {
  const { alloc, ...rest } = parseExactJson(genesis) as GenesisJson; // written by `genesisFile`
  const address = contracts[0]?.address ?? REGISTRY;
  const records = [
    { name, address },
    { name: "KIP113", address: fixedBytes(0x402, 20) },
  ];
  const slots = registrySlots({ owner: council[0] ?? address, records });
  const storage = Object.fromEntries(slots.map(([slot, value]) => [wordText(slot), wordText(value)]));
  const accounts = contracts.map((each) => [
    bareHex(each.address),
    { code: toHex(each.code), balance: "0x0" },
  ]);
  return exactJsonText({
    ...rest,
    alloc: {
      ...alloc,
      [bareHex(REGISTRY)]: { ...alloc[bareHex(REGISTRY)], storage },
      ...Object.fromEntries(accounts),
    },
  });
}

function wordText(value: bigint): string {
  return toHex(fixedBytes(value, 32));
}

/** A block as `eth_getBlockByNumber` gives it with whole transactions. */
export interface BundledBlock {
  readonly number: string;
  readonly transactions: readonly {
    readonly hash: string;
    readonly nonce: string;
    readonly to: string | null;
  }[];
}

interface ProposedJson {
  readonly proposer: string;
}

/** Returns the block that takes a transaction in, and the address of its proposer. */
export async function blockWith(
  { ask }: NetworkNode,
  hash: Uint8Array,
): Promise<{ readonly block: BundledBlock; readonly proposer: string }> {
  const { blockNumber } = (await until(
    async () => (await ask("eth_getTransactionReceipt", toHex(hash))) ?? undefined,
  )) as { blockNumber: string };
  const block = (await ask("eth_getBlockByNumber", blockNumber, true)) as BundledBlock;
  const { proposer } = (await ask("klay_getBlockWithConsensusInfoByNumber", blockNumber)) as ProposedJson;
  return { block, proposer: proposer.toLowerCase() };
}

/** One round: what a node takes is proposed by somebody. */
export interface BundleRound {
  readonly round: number;
  readonly node: NetworkNode;
  /** Keys of the nodes by address. */
  readonly keys: ReadonlyMap<string, Uint8Array>;
}

/**
 * Plays rounds until each program has proposed what each has taken; all nodes have the same block then. `play` returns
 * the proposer's address, or undefined for a round that shows nothing.
 */
export async function expectAllPairs(
  nodes: readonly NetworkNode[],
  placeOf: (round: number) => number,
  play: (round: BundleRound) => Promise<string | undefined>,
): Promise<void> {
  const keys = new Map<string, Uint8Array>(nodes.map(({ key }) => [toHex(key.address), key.key]));
  const ours = new Set([...keys.keys()].slice(0, 2));
  const pairs = new Set<string>();
  let round = 0;
  for (; pairs.size < 4 && round < MAX_ROUNDS; round++) {
    const place = placeOf(round) % nodes.length;
    const node = nodes[place];
    const proposer = node && (await play({ round, node, keys }));
    if (proposer === undefined) continue;
    pairs.add(`${place < 2 ? "knit" : "go"} to ${ours.has(proposer) ? "knit" : "go"}`);
  }
  process.stdout.write(`${round} rounds until all programs had worked together\n`);
  expect([...pairs].sort()).toEqual(["go to go", "go to knit", "knit to go", "knit to knit"]);
  const height = Number(await nodes[0]?.ask("eth_blockNumber"));
  await reachHeight(nodes, height);
  const blocks = await Promise.all(
    nodes.map(({ ask }) => ask("eth_getBlockByNumber", `0x${height.toString(16)}`, false)),
  );
  for (const block of blocks) expect(block).toEqual(blocks[0]);
}

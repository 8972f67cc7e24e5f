/**
 * Gasless transactions beside Go nodes (KIP-247): a pair of a sender without KAIA that one program takes stands behind
 * the loan of its proposer in blocks of both. Needs the path of a Go core node in KNIT_PEER_KCN.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { bareHex, toHex } from "../../node/bytes/hex.ts";
import { fixedBytes } from "../../node/bytes/integer.ts";
import { exactJsonText, parseExactJson } from "../../node/config/exact-json.ts";
import { sign } from "../../node/crypto/secp256k1.ts";
import { registrySlots } from "../../node/execution/registry.ts";
import { lendTransaction } from "../../node/gasless/lend.ts";
import { REGISTRY } from "../../node/governance/system-contracts.ts";
import { CHAIN_ID, GAS_PRICE } from "../../scripts/network/genesis.ts";
import { type Network, type NetworkNode, openNetwork } from "../../scripts/network/network.ts";
import {
  anApproval,
  aSwap,
  OTHER_TOKEN,
  PAIR_FEE,
  ROUTER,
  ROUTER_CODE,
  TOKEN,
  TOKEN_CODE,
} from "../support/gasless.ts";
import { reachHeight } from "../support/network-answers.ts";
import { aSigner } from "../support/pool-transactions.ts";
import { until } from "../support/rpc-client.ts";

const binary = process.env["KNIT_PEER_KCN"] ?? "";
const [needed, reason] =
  binary === "" ? [test.skip, " (skipped: KNIT_PEER_KCN names no Go node)"] : [test, ""];
/** Rounds in which every pair of programs must have worked together. */
const MAX_ROUNDS = 40;

let directory: string;
let network: Network | undefined;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-go-gasless-"));
});
// Also after a test whose time is over.
afterEach(async () => {
  await network?.[Symbol.asyncDispose]();
  network = undefined;
  await rm(directory, { recursive: true, force: true });
}, 60_000);

interface GenesisJson {
  readonly alloc: Readonly<Record<string, object>>;
}

function word(value: bigint): string {
  return toHex(fixedBytes(value, 32));
}

/** Adds the swap router with its tokens, and its entry in the contract registry. */
function withRouter(genesis: string, council: readonly Uint8Array[]): string {
  const { alloc, ...rest } = parseExactJson(genesis) as GenesisJson; // written by `genesisFile`
  const records = [
    { name: "GaslessSwapRouter", address: ROUTER },
    { name: "KIP113", address: fixedBytes(0x402, 20) },
  ];
  const slots = registrySlots({ owner: council[0] ?? ROUTER, records });
  const storage = Object.fromEntries(slots.map(([slot, value]) => [word(slot), word(value)]));
  const token = { code: toHex(TOKEN_CODE), balance: "0x0" };
  return exactJsonText({
    ...rest,
    alloc: {
      ...alloc,
      [bareHex(REGISTRY)]: { ...alloc[bareHex(REGISTRY)], storage },
      [bareHex(ROUTER)]: { code: toHex(ROUTER_CODE), balance: "0x0" },
      [bareHex(TOKEN)]: token,
      [bareHex(OTHER_TOKEN)]: token,
    },
  });
}

interface BlockJson {
  readonly transactions: readonly { readonly hash: string; readonly nonce: string }[];
}

interface ProposedJson {
  readonly proposer: string;
}

/** Sends a pair of a new account, and returns the proposer that has lent its fees. */
async function swapOnce(
  { ask }: NetworkNode,
  { account, keys }: { readonly account: number; readonly keys: ReadonlyMap<string, Uint8Array> },
): Promise<string> {
  const given = { from: aSigner(account), chainId: BigInt(CHAIN_ID), price: GAS_PRICE };
  const approve = anApproval({ ...given, nonce: 0 });
  const amountRepay = PAIR_FEE * GAS_PRICE;
  const swap = aSwap({ ...given, nonce: 1, amountRepay, deadline: 2n ** 40n });
  for (const { raw, hash } of [approve, swap]) {
    expect(await ask("eth_sendRawTransaction", toHex(raw))).toBe(toHex(hash));
  }
  const { blockNumber } = (await until(
    async () => (await ask("eth_getTransactionReceipt", toHex(swap.hash))) ?? undefined,
  )) as { blockNumber: string };
  const block = (await ask("eth_getBlockByNumber", blockNumber, true)) as BlockJson;
  const { proposer } = (await ask("klay_getBlockWithConsensusInfoByNumber", blockNumber)) as ProposedJson;
  const at = block.transactions.findIndex(({ hash }) => hash === toHex(swap.hash));
  const lent = block.transactions[at - 2];
  const key = keys.get(proposer.toLowerCase()) ?? new Uint8Array(32);
  const loan = lendTransaction({
    approve,
    swap,
    chainId: BigInt(CHAIN_ID),
    nonce: BigInt(lent?.nonce ?? 0),
    sign: (digest) => sign(digest, key),
  });
  const group = [loan, approve, swap].map(({ hash }) => toHex(hash));
  expect(block.transactions.slice(at - 2, at + 1).map(({ hash }) => hash)).toEqual(group);
  for (const hash of group) {
    expect(await ask("eth_getTransactionReceipt", hash)).toMatchObject({ status: "0x1" });
  }
  return proposer.toLowerCase();
}

needed(
  `pairs that Go nodes and ours take stand behind their loans in blocks of both${reason}`,
  async () => {
    network = await openNetwork({
      size: { core: 4, proxy: 0, endpoint: 0 },
      directory,
      consensus: { policy: 0, randao: true },
      go: { core: 2, binary },
      flags: ["--rpc.profile", "kaia"],
      adapt: withRouter,
    });
    const { nodes } = network;
    await reachHeight(nodes, 3);
    const keys = new Map<string, Uint8Array>(nodes.map(({ key }) => [toHex(key.address), key.key]));
    const ours = new Set([...keys.keys()].slice(0, 2));
    const pairs = new Set<string>();
    let round = 0;
    for (; pairs.size < 4 && round < MAX_ROUNDS; round++) {
      // Not in step with the proposers' turns.
      const place = (round + Math.floor(round / nodes.length)) % nodes.length;
      const node = nodes[place];
      if (node === undefined) break;
      const proposer = await swapOnce(node, { account: 1_000 + round, keys });
      pairs.add(`${place < 2 ? "knit" : "go"} to ${ours.has(proposer) ? "knit" : "go"}`);
    }
    process.stdout.write(`${round} pairs until all programs had worked together\n`);
    expect([...pairs].sort()).toEqual(["go to go", "go to knit", "knit to go", "knit to knit"]);
    const height = Number(await nodes[0]?.ask("eth_blockNumber"));
    await reachHeight(nodes, height);
    const blocks = await Promise.all(
      nodes.map(({ ask }) => ask("eth_getBlockByNumber", `0x${height.toString(16)}`, false)),
    );
    for (const block of blocks) expect(block).toEqual(blocks[0]);
  },
  240_000,
);

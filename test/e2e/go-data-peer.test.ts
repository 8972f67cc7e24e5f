/**
 * A Knit node made of the data directory of a Go endpoint, beside that endpoint and a Knit node that has replayed every
 * block: after the import it follows their network, and all three answer alike. Needs the path of a Go core node in
 * KNIT_PEER_KCN (Kaia 2.2.2) or KNIT_PEER_KLAYTN_KCN (Klaytn 1.12.1), and its endpoint beside it.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { DEVELOPMENT_KEYS } from "../../node/accounts/development-keys.ts";
import { toHex } from "../../node/bytes/hex.ts";
import { exactJsonText, parseExactJson } from "../../node/config/exact-json.ts";
import { addressOfKey } from "../../node/crypto/secp256k1.ts";
import { CHAIN_ID } from "../../scripts/network/genesis.ts";
import type { NetworkNode } from "../../scripts/network/network.ts";
import { caverKaiaClient } from "../support/clients/caver-kaia-client.ts";
import { sendAllTypes } from "../support/clients/kaia-types.ts";
import { runKnit } from "../support/knit-process.ts";
import { reachHeight } from "../support/network-answers.ts";
import { testNetworks } from "../support/test-network.ts";

/** A line of the Go node: the variable with its binary, the profile that answers like it, and forks that it lacks. */
interface Line {
  readonly name: string;
  readonly variable: string;
  readonly profile: string;
  readonly unknown: readonly string[];
}

const LINES: readonly Line[] = [
  { name: "Kaia", variable: "KNIT_PEER_KCN", profile: "kaia", unknown: [] },
  {
    name: "Klaytn",
    variable: "KNIT_PEER_KLAYTN_KCN",
    profile: "klaytn",
    unknown: ["kaiaCompatibleBlock", "pragueCompatibleBlock"],
  },
];

const KINDS: readonly (readonly [kind: string, flags: readonly string[]])[] = [
  ["a full node", []],
  ["a full node with live pruning", ["--state.live-pruning"]],
  ["an archive", ["--gcmode", "archive"]],
];
const GROWTH = 5;
/** Place of the Go endpoint among the nodes: the last. */
const GO_ENDPOINT = 3;

const networks = testNetworks("go-data");

const accounts = DEVELOPMENT_KEYS.map((key) => ({ address: toHex(addressOfKey(key)), key: toHex(key) }));

/** Has a node take one transaction of each type, contracts among them; resolves to their hashes. */
async function sendTypes({ url }: NetworkNode, place: number): Promise<string[]> {
  const [sender, payer] = accounts.slice(2 * place);
  if (sender === undefined || payer === undefined) throw new RangeError("no such accounts");
  const sent = await sendAllTypes(caverKaiaClient(url, { chainId: CHAIN_ID, anchors: false }), sender, payer);
  return [...sent.values()].map(({ hash }) => hash);
}

async function grow(nodes: readonly NetworkNode[]): Promise<number> {
  const wanted = Number(await nodes[0]?.ask("eth_blockNumber")) + GROWTH;
  await reachHeight(nodes, wanted);
  return wanted;
}

const BY_NUMBER: readonly (readonly [method: string, ...more: unknown[]])[] = [
  ["eth_getBlockByNumber", true],
  ["eth_getBlockReceipts"],
  ["klay_getBlockWithConsensusInfoByNumber"],
  ["klay_getParams"],
  ["klay_getCouncil"],
];
const BY_ACCOUNT = ["klay_getAccount", "klay_getAccountKey", "eth_getCode", "eth_getBalance"];

/** Returns the answer that all nodes give alike, be it null or the text of an error. */
async function sameAnswer(
  nodes: readonly NetworkNode[],
  method: string,
  ...params: unknown[]
): Promise<unknown> {
  const [first, ...others] = await Promise.all(
    nodes.map(({ ask }) => ask(method, ...params).catch((error: Error) => error.message)),
  );
  for (const answer of others) expect({ method, params, answer }).toEqual({ method, params, answer: first });
  return first;
}

interface Compared {
  /** The block whose state was imported: older ones are not stored. */
  readonly from: number;
  readonly head: number;
  readonly hashes: readonly string[];
  /** The nodes that prove slots: a Go node with live pruning does not find the nodes of a contract's storage by their hashes. */
  readonly provers: readonly NetworkNode[];
}

async function compare(
  nodes: readonly NetworkNode[],
  { from, head, hashes, provers }: Compared,
): Promise<void> {
  for (let number = 0; number <= head; number++) {
    const at = `0x${number.toString(16)}`;
    for (const [method, ...more] of BY_NUMBER) await sameAnswer(nodes, method, at, ...more);
    if (number > from) await sameAnswer(nodes, "klay_getRewards", at);
  }
  const created: string[] = [];
  for (const hash of hashes) {
    await sameAnswer(nodes, "eth_getTransactionByHash", hash);
    const receipt = await sameAnswer(nodes, "klay_getTransactionReceipt", hash);
    const { contractAddress } = receipt as { contractAddress: string | null };
    if (contractAddress !== null) created.push(contractAddress);
  }
  expect(created.length).toBeGreaterThan(1);
  const at = `0x${head.toString(16)}`;
  for (const address of [...accounts.map((each) => each.address), ...created]) {
    for (const method of BY_ACCOUNT) await sameAnswer(nodes, method, address, at);
    await sameAnswer(provers, "eth_getProof", address, ["0x0"], at);
  }
  await sameAnswer(nodes, "eth_getLogs", { fromBlock: "0x0", toBlock: at });
}

/** Returns a genesis file without some forks. */
function withoutForks(genesis: string, unknown: readonly string[]): string {
  const json = parseExactJson(genesis) as { readonly config: object }; // written by `genesisFile`
  const config = Object.entries(json.config).filter(([key]) => !unknown.includes(key));
  return exactJsonText({ ...json, config: Object.fromEntries(config) });
}

async function followFromGoData(line: Line, goFlags: readonly string[]): Promise<void> {
  const network = await networks.open({
    size: { core: 1, proxy: 0, endpoint: 3 },
    go: { core: 1, endpoint: 1, binary: process.env[line.variable] ?? "" },
    flags: ["--rpc.profile", line.profile],
    adapt: (genesis) => withoutForks(genesis, line.unknown),
    flagsOf: (place) => (place === GO_ENDPOINT ? goFlags : []),
  });
  const [, replayed, imported, go] = network.nodes;
  if (replayed === undefined || imported === undefined || go === undefined) throw new Error("four nodes");
  const hashes = await sendTypes(replayed, 0);
  await grow([go, replayed]);
  await Promise.all([go.stop("SIGINT"), imported.stop()]);

  const home = join(networks.directory, imported.name);
  await rm(join(home, "knit", "chaindata"), { recursive: true });
  const run = await runKnit("import-go", "--datadir", home, join(networks.directory, go.name));
  expect(run).toMatchObject({ code: 0, output: expect.stringContaining("imported the chain up to block") });

  await Promise.all([go.start(), imported.start()]);
  hashes.push(...(await sendTypes(imported, 1)));
  const three = [replayed, imported, go];
  const from = Number(/up to block (\d+)/.exec(run.output)?.[1]);
  const provers = goFlags.includes("--state.live-pruning") ? [replayed, imported] : three;
  await compare(three, { from, head: await grow(three), hashes, provers });
}

for (const line of LINES) {
  const isGiven = process.env[line.variable] !== undefined;
  const [needed, reason] = isGiven
    ? [test, ""]
    : [test.skip, ` (skipped: ${line.variable} names no Go node)`];
  needed.each(KINDS)(
    `a node made of the data of %s of ${line.name} follows its network and answers as its peers do${reason}`,
    (_what, goFlags) => followFromGoData(line, goFlags),
    300_000,
  );
}

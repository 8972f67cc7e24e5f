/**
 * A fork of a living Go endpoint with history: what a contract, an account and its key were at the block of the fork,
 * while the origin goes on, and once it has gone. Needs the path of a Go core node in KNIT_PEER_KCN, and its proxy and
 * endpoint beside it.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect } from "@jest/globals";
import { Contract, type ContractTransactionResponse, JsonRpcProvider, Wallet } from "ethers";
import { DEVELOPMENT_KEYS } from "../../node/accounts/development-keys.ts";
import { toHex } from "../../node/bytes/hex.ts";
import { CHAIN_ID } from "../../scripts/network/genesis.ts";
import { type Network, type NetworkNode, openNetwork } from "../../scripts/network/network.ts";
import { caverKaiaClient } from "../support/clients/caver-kaia-client.ts";
import { COUNTER_ABI, COUNTER_CODE } from "../support/counter-contract.ts";
import { type DevNode, startDevNode } from "../support/dev-node.ts";
import { GO_BINARY } from "../support/go-node.ts";
import { goTests } from "../support/go-peer.ts";
import { call, until } from "../support/rpc-client.ts";

const [needed, reason] = goTests();
const TERMS = { gasLimit: 500_000n, gasPrice: 750_000_000_000n, type: 0 };
const UNREAD = `0x${"ef".repeat(20)}`;
const VALUE = "0x3fa4f245";

let directory: string;
let network: Network | undefined;
let fork: DevNode | undefined;
const cacheBefore = process.env["XDG_CACHE_HOME"];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-go-fork-"));
  process.env["XDG_CACHE_HOME"] = join(directory, "cache");
});
// Also after a test whose time is over.
afterEach(async () => {
  await fork?.knit.stop();
  await network?.[Symbol.asyncDispose]();
  [fork, network] = [undefined, undefined];
  if (cacheBefore === undefined) delete process.env["XDG_CACHE_HOME"];
  else process.env["XDG_CACHE_HOME"] = cacheBefore;
  await rm(directory, { recursive: true, force: true });
}, 60_000);

/** History at the origin. */
interface History {
  /** A counter with 7 at the block of the fork, and 9 later. */
  readonly counter: string;
  /** An account with a public key of its own. */
  readonly keyed: string;
  readonly block: number;
}

async function makeHistory({ url, ask }: NetworkNode): Promise<History> {
  const first = new Wallet(toHex(DEVELOPMENT_KEYS[0] ?? new Uint8Array(32)));
  const second = Wallet.createRandom(); // the funded accounts of the fork are its own
  const provider = new JsonRpcProvider(url, CHAIN_ID, { staticNetwork: true });
  const client = caverKaiaClient(url, { chainId: CHAIN_ID, anchors: false });
  try {
    const sender = first.connect(provider);
    const word = (1).toString(16).padStart(64, "0");
    const deployed = await sender.sendTransaction({ ...TERMS, data: `${COUNTER_CODE}${word}` });
    const counter = (await deployed.wait())?.contractAddress ?? "";
    const contract = new Contract(counter, COUNTER_ABI, sender);
    const set = async (value: number): Promise<number> => {
      const sent = (await contract.getFunction("set")(value, TERMS)) as ContractTransactionResponse;
      return (await sent.wait())?.blockNumber ?? 0;
    };
    const key = { type: "public", key: Wallet.createRandom().privateKey } as const;
    await (await sender.sendTransaction({ ...TERMS, to: second.address, value: 10n ** 18n })).wait();
    const update = { name: "AccountUpdate", from: second.address, nonce: 0, key };
    await (await client.send(update, { address: second.address, keys: [second.privateKey] })).outcome();
    const block = await set(7);
    await set(9);
    await until(async () => (Number(await ask("eth_blockNumber")) > block + 3 ? true : undefined));
    return { counter: counter.toLowerCase(), keyed: second.address.toLowerCase(), block };
  } finally {
    provider.destroy();
    await client.close();
  }
}

/** Questions about what the fork has of the origin, at a block. */
function questions({ counter, keyed }: History, at: string): readonly (readonly [string, ...unknown[]])[] {
  return [
    ["eth_chainId"],
    ["eth_call", { to: counter, data: VALUE }, at],
    ["eth_getStorageAt", counter, "0x0", at],
    ["eth_getCode", counter, at],
    ["eth_getBalance", counter, at],
    ["eth_getTransactionCount", counter, at],
    ["klay_getAccountKey", keyed, at],
    ["eth_getTransactionCount", keyed, at],
  ];
}

async function answersOf(url: string, history: History, at: string): Promise<unknown[]> {
  return Promise.all(
    questions(history, at).map(async ([name, ...params]) => [name, await call(url, name, ...params)]),
  );
}

needed(
  `a fork of a Go endpoint is the origin at its block, and goes on from its cache without it${reason}`,
  async () => {
    network = await openNetwork({
      size: { core: 1, proxy: 1, endpoint: 1 },
      directory,
      go: { core: 1, proxy: 1, endpoint: 1, binary: GO_BINARY },
    });
    const origin = network.nodes.find(({ type }) => type === "endpoint") as NetworkNode; // of that size
    const history = await makeHistory(origin);
    const flags = ["--fork-url", origin.url, "--fork-block-number", String(history.block)];
    fork = await startDevNode(...flags);
    const then = await answersOf(origin.url, history, `0x${history.block.toString(16)}`);
    expect(then).toContainEqual(["eth_call", `0x${(7).toString(16).padStart(64, "0")}`]);
    expect(then).toContainEqual(["klay_getAccountKey", expect.objectContaining({ keyType: 2 })]);
    expect(await answersOf(fork.http, history, "latest")).toEqual(then);

    // the fork changes what it has of the origin, and the origin goes on
    const snapshot = await call(fork.http, "evm_snapshot");
    const [sender] = fork.funded;
    const set = `0x60fe47b1${(11).toString(16).padStart(64, "0")}`;
    const sent = await call(fork.http, "eth_sendTransaction", {
      from: sender?.address,
      to: history.counter,
      data: set,
    });
    expect(await call(fork.http, "eth_getTransactionReceipt", sent)).toMatchObject({
      status: "0x1",
      logs: [{ address: history.counter }],
    });
    const value = { to: history.counter, data: VALUE };
    expect(await call(fork.http, "eth_call", value, "latest")).toMatch(/0b$/);
    expect(await call(origin.url, "eth_call", value, "latest")).toMatch(/09$/);
    expect(await call(fork.http, "evm_revert", snapshot)).toBe(true);

    await network[Symbol.asyncDispose]();
    expect(await answersOf(fork.http, history, "latest")).toEqual(then);
    await fork.knit.stop();
    fork = await startDevNode(...flags);
    expect(await answersOf(fork.http, history, "latest")).toEqual(then);
    await expect(call(fork.http, "eth_getBalance", UNREAD, "latest")).rejects.toMatchObject({
      code: -32000,
      message: expect.stringMatching(/^the forked chain is not reached: /),
    });
    expect(Number(await call(fork.http, "eth_chainId"))).toBe(CHAIN_ID);
  },
  240_000,
);

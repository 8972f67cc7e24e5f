/**
 * The Go node judges the pool: the same random transactions, most of them wrong in some way, go to one that makes no
 * blocks and to ours. Errors, contents of the pools and look-ups of waiting transactions are equal. Needs the path of a
 * Go node (Kaia 2.2.2) in KNIT_PEER_KCN; KNIT_SEED selects other transactions, and KNIT_SENT how many.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect, jest } from "@jest/globals";
import { toHex } from "../../node/bytes/hex.ts";
import type { Transaction } from "../../node/model/transaction.ts";
import { CHAIN_ID } from "../../scripts/network/genesis.ts";
import { freePorts } from "../../scripts/network/ports.ts";
import { openGoImporter } from "../support/go-node.ts";
import { goTests } from "../support/go-peer.ts";
import { runKnit, startKnit } from "../support/knit-process.ts";
import { seededChoices } from "../support/pool-random.ts";
import { RandomSending, SENDERS, sendersGenesis } from "../support/random-sending.ts";
import { post } from "../support/rpc-client.ts";

jest.setTimeout(600_000);

const COUNT = Number(process.env["KNIT_SENT"] ?? 1_500);
const SEED = Number(process.env["KNIT_SEED"] ?? 1);
const [needed, reason] = goTests();
const APIS = ["--rpcapi", "eth,klay,txpool"];
const LIMITS = [
  "exec-slots.account 4",
  "exec-slots.all 20",
  "nonexec-slots.account 3",
  "nonexec-slots.all 10",
];
const POOL = ["txpool_status", "txpool_inspect", "txpool_content"];
const ONE = `eth_getTransactionByHash eth_getRawTransactionByHash klay_getTransactionByHash
klay_getRawTransactionByHash klay_getTransactionBySenderTxHash klay_getTransactionReceipt
klay_getDecodedAnchoringTransactionByHash`.split(/\s/);

/** Asks both nodes; what they answer differently is kept. */
class Judge {
  readonly differences: string[] = [];
  readonly #urls: readonly [go: string, ours: string];

  constructor(urls: readonly [go: string, ours: string]) {
    this.#urls = urls;
  }

  async ask(method: string, ...params: readonly string[]): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const texts = await Promise.all(this.#urls.map((url) => post(url, body)));
    const [expected, found] = texts.map((text) => JSON.parse(text) as unknown);
    if (!isDeepStrictEqual(expected, found)) {
      const [theirs, ours] = [expected, found].map((each) => JSON.stringify(each).slice(0, 2_000));
      this.differences.push(`${body.slice(0, 2_000)}\n  ${theirs}\n  ${ours}`);
    }
    return (found as { result?: unknown }).result;
  }

  async askAboutPool(): Promise<void> {
    for (const method of POOL) await this.ask(method);
  }

  /** Asks about a waiting or refused transaction. */
  async askAbout({ hash, senderTxHash }: Transaction): Promise<void> {
    for (const method of ONE)
      for (const each of new Set([hash, senderTxHash ?? hash])) await this.ask(method, toHex(each));
  }
}

/** Sends a transaction in the form of Ethereum's method, where its type has one, or of the chain's. */
async function send(judge: Judge, { raw }: Transaction, asEthereum: boolean): Promise<void> {
  const isTyped = raw[0] === 0x78;
  const isEthereum = isTyped ? asEthereum : (raw[0] ?? 0) >= 0xc0;
  const method = isEthereum ? "eth_sendRawTransaction" : "klay_sendRawTransaction";
  await judge.ask(method, toHex(isEthereum && isTyped ? raw.subarray(1) : raw));
}

async function sendMany(judge: Judge): Promise<void> {
  const choices = seededChoices(SEED);
  const nonces = SENDERS.map(() => 0n);
  const sending = new RandomSending(choices, nonces);
  for (let i = 0; i < COUNT; i++) {
    if (i % 20 === 0) {
      for (const [place, address] of SENDERS.entries())
        nonces[place] = BigInt(
          (await judge.ask("eth_getTransactionCount", toHex(address), "pending")) as string,
        );
    }
    if (i % 50 === 49) await judge.askAboutPool();
    const tx = sending.make();
    await send(judge, tx, choices.int(2) === 0);
    if (i % 7 === 0) await judge.askAbout(tx);
  }
  await judge.askAboutPool();
}

needed.each<[kind: string, flags: readonly string[], osaka: boolean]>([
  ["with the usual limits", [], false],
  ["with blobs", [], true],
  [
    "that is soon full",
    ["--txpool.allow-local-anchortx", ...LIMITS.flatMap((each) => `--txpool.${each}`.split(" "))],
    false,
  ],
])(`a pool %s takes and refuses what the Go node's does${reason}`, async (_kind, flags, osaka) => {
  const directory = await mkdtemp(join(tmpdir(), "knit-go-pool-"));
  const genesis = join(directory, "genesis.json");
  await writeFile(genesis, await sendersGenesis({ osaka }));
  const datadir = join(directory, "ours");
  expect(await runKnit("init", "--datadir", datadir, genesis)).toMatchObject({ code: 0 });
  const [port, peers] = await freePorts(2);
  const ports = ["--rpcport", `${port}`, "--port", `${peers}`, "--networkid", `${CHAIN_ID}`];
  const own = ["--rpc", "--rpc.profile", "kaia", "--nodiscover", "--ipcdisable", ...ports];
  const ours = startKnit("run", "--type", "core", "--datadir", datadir, ...own, ...APIS, ...flags);
  try {
    await using go = await openGoImporter({
      genesis,
      directory: join(directory, "go"),
      flags: [...APIS, ...flags],
    });
    await ours.waitFor(/HTTP/);
    const judge = new Judge([go?.url ?? "", `http://127.0.0.1:${port}`]);
    await sendMany(judge);
    expect(judge.differences).toEqual([]);
  } finally {
    await ours.stop("SIGKILL");
    await rm(directory, { recursive: true, force: true });
  }
});

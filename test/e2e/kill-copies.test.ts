/**
 * The plug is pulled of both ends of a copy that goes from node to node through a gateway, of a node that starts from an
 * archive, and of one that backs itself up, as whole programs: what is left is whole or absent, and the next attempt has
 * all of it.
 */
import { existsSync, mkdirSync } from "node:fs";
import { cp, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { readCheckpointManifest } from "../../node/checkpoint/manifest.ts";
import { type Credentials, issueReader } from "../../operator/control/authority.ts";
import { readerName } from "../../operator/control/methods.ts";
import { GATEWAY, GatewayStand, type Identities, makeIdentities, writeReader } from "../support/gateway.ts";
import { killLimitMs, killSeed, killsOfAKind, random, sleepBetween } from "../support/kills.ts";
import { type KnitProcess, runKnit, startKnit } from "../support/knit-process.ts";
import { type MadeDirectory, makeTransferDirectory } from "../support/made-directory.ts";
import { verifyDirectory } from "../support/offline-jobs.ts";
import { call, until } from "../support/rpc-client.ts";

const KILLS = killsOfAKind;
/** A copy takes some time, in which many kills are to come. */
const BLOCKS = KILLS > 1 ? 400 : 150;
const LIMIT_MS = killLimitMs(KILLS);
const MEBIBYTES_A_SECOND = "1";

let scratch = "";
let genesis = "";
let made: MadeDirectory;
let identities: Identities;
let reader: Credentials;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "kk-"));
  const terms = { accounts: 60, blocks: BLOCKS, transfers: 8 };
  genesis = join(scratch, "genesis.json");
  made = await makeTransferDirectory(join(scratch, "first"), terms);
  await writeFile(genesis, made.genesis);
  await cp(join(scratch, "first"), join(scratch, "second"), { recursive: true });
  identities = await makeIdentities();
  reader = await issueReader(identities.authority, readerName(GATEWAY), Date.now());
  mkdirSync(join(scratch, "reader"));
  writeReader(join(scratch, "reader"), identities, reader);
}, 60_000);
afterAll(() => rm(scratch, { recursive: true, force: true }));

/** Milliseconds that work takes. */
async function durationOf(work: Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work;
  return performance.now() - begun;
}

const ENDPOINT = /http:\/\/127\.0\.0\.1:\d+/;

function runNode(datadir: string, ...flags: string[]): KnitProcess {
  const alone = ["--nodiscover", "--port", "0", "--rpc", "--rpcport", "0"];
  return startKnit("run", "--datadir", datadir, ...alone, ...flags);
}

/** A node that answers. */
async function startNode(datadir: string, ...flags: string[]): Promise<KnitProcess> {
  const knit = runNode(datadir, ...flags);
  await knit.waitFor(ENDPOINT);
  return knit;
}

/** True when no checkpoint is left beside the databases. */
async function isTidy(datadir: string): Promise<boolean> {
  const names = await readdir(join(datadir, "knit", "chaindata"));
  return names.toSorted().join() === "blocks,chain,trie";
}

/** A node on one of the directories, and the gateway beside it, which outlives it. */
class Giver implements AsyncDisposable {
  readonly datadir: string;
  readonly stand = new GatewayStand(identities);
  #knit: KnitProcess | undefined;

  constructor(name: string) {
    this.datadir = join(scratch, name);
    const socketPath = join(this.stand.directory, "knit.ipc");
    this.stand.answer = (line, socket) => {
      const node = connect(socketPath, () => node.write(line));
      node.on("data", (piece) => socket.write(piece)).on("error", () => socket.destroy());
      socket.on("close", () => node.destroy());
    };
  }

  async start(): Promise<void> {
    const ipc = ["--ipcpath", join(this.stand.directory, "knit.ipc")];
    this.#knit = await startNode(this.datadir, ...ipc, "--checkpoint.rate", MEBIBYTES_A_SECOND);
  }

  async stop(signal?: NodeJS.Signals): Promise<void> {
    await this.#knit?.stop(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.stand[Symbol.asyncDispose]();
  }
}

async function openGiver(name: string): Promise<Giver> {
  const giver = new Giver(name);
  await giver.stand.open();
  await giver.start();
  return giver;
}

/** The command of a new node that asks these, one after another. */
async function askThem(datadir: string, givers: readonly Giver[]): Promise<readonly string[]> {
  const siblings = givers.map(({ stand: { port } }) => ({ host: "127.0.0.1", port, name: GATEWAY }));
  const file = `${datadir}.json`;
  await writeFile(file, JSON.stringify({ siblings, credentials: join(scratch, "reader") }));
  return ["init", "--datadir", datadir, "--bootstrap.siblings", file, genesis];
}

const hasChain = (datadir: string): boolean => existsSync(join(datadir, "knit", "chaindata", "chain"));

test(
  `a node that starts from a sibling has all of its chain or nothing after ${KILLS} kills (seed ${killSeed})`,
  async () => {
    await using giver = await openGiver("first");
    const datadir = join(scratch, "killed");
    const command = await askThem(datadir, [giver]);
    const usual = await durationOf(runKnit(...command));
    await rm(datadir, { recursive: true });
    for (let kill = 0; kill < KILLS; kill++) {
      const knit = startKnit(...command);
      await sleepBetween(usual * 0.1, usual * 1.1);
      await knit.stop("SIGKILL");
      if (!hasChain(datadir)) continue; // the next one begins beside what this one has left
      expect((await verifyDirectory(datadir)).head).toBe(BLOCKS);
      await rm(datadir, { recursive: true });
    }
    const { code, output } = await runKnit(...command);
    expect([code, output]).toEqual([0, expect.stringContaining("started from a sibling")]);
    expect((await verifyDirectory(datadir)).head).toBe(BLOCKS);
    expect((await readdir(join(datadir, "knit"))).filter((name) => name.includes("bootstrap"))).toEqual([]);
    await until(async () => ((await isTidy(giver.datadir)) ? true : undefined));
  },
  LIMIT_MS,
);

test(
  `the next sibling gives all of the chain when one dies midway, in ${KILLS} kills (seed ${killSeed})`,
  async () => {
    await using dying = await openGiver("first");
    await using other = await openGiver("second");
    const usual = await durationOf(runKnit(...(await askThem(join(scratch, "first-fed"), [dying]))));
    for (let kill = 0; kill < KILLS; kill++) {
      const datadir = join(scratch, `fed-${kill}`);
      const started = runKnit(...(await askThem(datadir, [dying, other])));
      await sleepBetween(usual * 0.1, usual);
      await dying.stop("SIGKILL");
      const { code, output } = await started;
      expect([code, output]).toEqual([0, expect.stringContaining("started from a sibling")]);
      expect((await verifyDirectory(datadir)).head).toBe(BLOCKS);
      expect((await readdir(join(datadir, "knit"))).filter((name) => name.includes("bootstrap"))).toEqual([]);
      await rm(datadir, { recursive: true });
      await dying.start();
      expect(await isTidy(dying.datadir)).toBe(true);
    }
  },
  LIMIT_MS,
);

/** Pushes a checkpoint of the first directory; the flags of a node that starts from it, and the two ends of its chain. */
async function anArchive() {
  const [copy, archive] = [join(scratch, "to-push"), join(scratch, "starts")];
  const at = ["--datadir", join(scratch, "first")];
  expect((await runKnit("checkpoint", "create", ...at, copy)).code).toBe(0);
  expect((await runKnit("checkpoint", "push", ...at, copy, archive)).code).toBe(0);
  const { genesisHash, head } = await readCheckpointManifest(copy);
  const flags = ["--bootstrap", archive, "--bootstrap.genesis-hash", genesisHash, "--rpcapi", "eth"];
  return { flags, genesisHash, head };
}

test(
  `a node that starts from an archive has its chain or nothing, and goes on, after ${KILLS} kills (seed ${killSeed})`,
  async () => {
    const { flags, genesisHash, head } = await anArchive();
    expect(head).toMatchObject(made.head);
    const datadir = join(scratch, "started");
    const expectWhole = async (): Promise<void> => {
      const knit = runNode(datadir, ...flags);
      const [url] = await knit.waitFor(ENDPOINT);
      const ask = (block: string) => call(url, "eth_getBlockByNumber", block, false);
      expect(await ask("latest")).toMatchObject({ hash: head.hash, stateRoot: head.stateRoot });
      expect(await ask("0x0")).toMatchObject({ hash: genesisHash });
      expect(await knit.stop()).toBe(0);
      expect((await verifyDirectory(datadir)).head).toBe(BLOCKS);
      expect((await readdir(join(datadir, "knit"))).filter((name) => name.includes("bootstrap"))).toEqual([]);
      await rm(datadir, { recursive: true });
    };
    const usual = await durationOf(expectWhole());
    for (let kill = 0; kill < KILLS; kill++) {
      const knit = runNode(datadir, ...flags);
      await sleepBetween(usual * 0.1, usual * 0.7);
      await knit.stop("SIGKILL");
      // where there is no chain yet, the next one often begins beside what this one has left, to be killed as well
      if (hasChain(datadir) || random() < 0.3) await expectWhole();
    }
    await expectWhole();
  },
  LIMIT_MS,
);

test(
  `an archive is whole after ${KILLS} kills of the node that backs itself up (seed ${killSeed})`,
  async () => {
    const [datadir, archive, file] = ["first", "archive", "backup.json"].map((name) =>
      join(scratch, name),
    ) as [string, string, string];
    await writeFile(file, JSON.stringify({ url: archive, keep: 1, verify: true }));
    const start = (): Promise<KnitProcess> => startNode(datadir, "--backup.file", file);
    for (let kill = 0; kill < KILLS; kill++) {
      const knit = await start();
      expect(await isTidy(datadir)).toBe(true);
      expect((await runKnit("rpc", "--datadir", datadir, "admin_startBackup")).code).toBe(0);
      await sleepBetween(0, 200);
      await knit.stop("SIGKILL");
      if (existsSync(archive)) {
        const { output } = await runKnit("checkpoint", "list", archive);
        expect(output).not.toContain("refused");
      }
    }
    const last = await start();
    await runKnit("rpc", "--datadir", datadir, "admin_startBackup");
    await last.waitFor(/backup sent/);
    expect(await last.stop()).toBe(0);
    const pulled = join(scratch, "pulled");
    expect((await runKnit("checkpoint", "pull", archive, pulled, "--full")).code).toBe(0);
    expect((await verifyDirectory(pulled)).head).toBe(BLOCKS);
  },
  LIMIT_MS,
);

/**
 * A new node that takes its chain from a sibling over loopback, as `bootstrap: sibling` of the operator does it: the
 * built gateway beside the sibling, TLS with certificates on both sides, every file, header and row of the state
 * verified. The sibling is a validator that makes a block a second.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createAuthority, issueGateway, issueReader } from "../../operator/control/authority.ts";
import { gatewayFiles, readerName } from "../../operator/control/methods.ts";
import { freePort } from "../../test/support/go-node.ts";
import { ask } from "../rpc/ask.ts";
import { type BlockDelays, delaysFor, delaysWhile } from "../support/block-delays.ts";
import { directoryBytes } from "../support/directory-bytes.ts";
import { roundTo } from "../support/figures.ts";
import { databasesIn, type Grown } from "./grown.ts";
import type { ScaleNode, StartNode } from "./nodes.ts";
import { plainCopySeconds } from "./plain-copy.ts";

const OPERATOR = fileURLToPath(new URL("../../dist/operator/main.js", import.meta.url));
/** The name in the gateway's certificate. */
const GATEWAY = "core.demo.gateway.knit.dev";
const MIB = 2 ** 20;
const LOOK_MS = 20;
/** The first block after a start is late. */
const SETTLE_MS = 3_000;
const BEFORE_MS = 10_000;

/** Figures of a clone. */
export interface Clone {
  readonly cloneMiB: number;
  /** Until all files were there. */
  readonly receivedSeconds: number;
  readonly receivedMiBPerSecond: number;
  /** Until the new node answered. */
  readonly cloneSeconds: number;
  /** Reading and writing the same files on the same disk. */
  readonly plainCopySeconds: number;
  /** Seconds until all files were there, as a multiple of the plain copy. */
  readonly receivedToPlainCopy: number;
  /** Blocks of the sibling before it gave the copy, and meanwhile. */
  readonly siblingDelaysBefore: BlockDelays;
  readonly siblingDelays: BlockDelays;
}

/** Clones a copy of the grown directory; `rate` is `--checkpoint.rate` of the sibling, its default when undefined. */
export async function measureClone(start: StartNode, grown: Grown, rate: number | undefined): Promise<Clone> {
  const flags = rate === undefined ? [] : ["--checkpoint.rate", `${rate}`];
  const datadir = join(grown.scratch, "clone");
  const source = await grown.copy();
  const mib = directoryBytes(databasesIn(source)) / MIB;
  const copySeconds = await plainCopySeconds(databasesIn(source), join(grown.scratch, "plain"));
  await using sibling = await start({ datadir: source, isValidator: true, flags });
  await using gateway = await startGateway(sibling, join(grown.scratch, "gateway"));
  const siblings = join(grown.scratch, "siblings.json");
  const { port, directory: credentials } = gateway;
  await writeFile(
    siblings,
    JSON.stringify({ siblings: [{ host: "127.0.0.1", port, name: GATEWAY }], credentials }),
  );
  const url = sibling.targets.http;
  const { hash } = await ask<{ hash: string }>(url, "eth_getBlockByNumber", ["0x0", false]);
  await delaysFor(url, SETTLE_MS);
  const siblingDelaysBefore = await delaysFor(url, BEFORE_MS);
  const begun = performance.now();
  const from = ["--bootstrap.siblings", siblings, "--bootstrap.genesis-hash", hash];
  let isDone = false;
  const verifying = join(`${databasesIn(datadir)}.bootstrap.partial`, "verify.partial");
  const received = timeUntil(() => isDone || existsSync(verifying));
  const starting = start({ datadir, isValidator: false, flags: from }).finally(() => {
    isDone = true;
  });
  const siblingDelays = await delaysWhile(url, async () => !isDone);
  await using clone = await starting;
  if (Number(await ask<string>(clone.targets.http, "eth_blockNumber", [])) < grown.blocks)
    throw new Error("the new node has not taken the chain of its sibling");
  const receivedSeconds = ((await received) - begun) / 1000;
  return {
    cloneMiB: Math.round(mib),
    receivedSeconds: roundTo(receivedSeconds),
    receivedMiBPerSecond: roundTo(mib / receivedSeconds),
    cloneSeconds: roundTo(clone.firstAnswerMs / 1000),
    plainCopySeconds: roundTo(copySeconds),
    receivedToPlainCopy: roundTo(receivedSeconds / copySeconds),
    siblingDelaysBefore,
    siblingDelays,
  };
}

/** Resolves to the time at which a condition holds. */
async function timeUntil(holds: () => boolean): Promise<number> {
  while (!holds()) await setTimeout(LOOK_MS);
  return performance.now();
}

interface RunningGateway extends AsyncDisposable {
  readonly port: number;
  /** Directory with the certificate of a reader. */
  readonly directory: string;
}

/** Starts the built gateway beside a node, with certificates of its own. */
async function startGateway({ ipc }: ScaleNode, directory: string): Promise<RunningGateway> {
  await mkdir(directory);
  const authority = await createAuthority(Date.now());
  const own = await issueGateway(authority, GATEWAY, Date.now());
  const reader = await issueReader(authority, readerName(GATEWAY), Date.now());
  const files = {
    [gatewayFiles.certificate]: own.certificate,
    [gatewayFiles.key]: own.key,
    [gatewayFiles.authority]: authority.certificate,
    "reader.crt": reader.certificate,
    "reader.key": reader.key,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  const [port, health] = [await freePort(), await freePort()];
  const listen = ["--listen", `127.0.0.1:${port}`, "--health-address", `127.0.0.1:${health}`];
  const line = [
    OPERATOR,
    "gateway",
    ...listen,
    "--socket",
    ipc,
    "--certificates",
    directory,
    "--log-level",
    "warn",
  ];
  const child = spawn(process.execPath, line, { stdio: ["ignore", "ignore", "inherit"] });
  const ended = once(child, "exit");
  const isReady = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${health}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`the gateway ended with ${child.exitCode}`);
    await setTimeout(LOOK_MS);
  }
  return {
    port,
    directory,
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
      await rm(directory, { recursive: true });
    },
  };
}

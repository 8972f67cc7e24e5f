/** `knit checkpoint`: creates and verifies copies of a node's databases. */
import { setTimeout } from "node:timers/promises";
import { type CheckpointManifest, parseManifest, totalBytes } from "../checkpoint/manifest.ts";
import { checkpointOptions } from "../checkpoint/options.ts";
import { resolvePath } from "../compose/paths.ts";
import { openProgress, type Progress } from "../observe/progress.ts";
import { optionValues } from "../options/resolve.ts";
import { askNode, RpcClientError } from "../transport/client.ts";
import { type CommandJob, comparedText, openJob } from "./chain-commands.ts";
import { isAbort } from "./failure.ts";
import { endpointOf, parseResponse } from "./rpc-command.ts";
import { openQuietShutdown } from "./signals.ts";

const BAR = { label: "copy", unit: "bytes" } as const;
const LOOK_MS = 200;

/** `knit checkpoint create DIR`: through the running node, or from a directory that no node uses. */
export async function createCommand(job: CommandJob): Promise<number> {
  const { shell } = job;
  const [typed = ""] = job.arguments;
  const directory = resolvePath(typed, shell.host);
  const manifest = (await createInNode(job, directory)) ?? (await createOffline(job, directory));
  if (typeof manifest === "number") return manifest;
  shell.stdout.write(`created ${directory}: ${checkpointSummary(manifest)}\n`);
  return 0;
}

/** Creates it in the running node; undefined where none runs. Returns the exit code after an interrupt. */
async function createInNode(
  job: CommandJob,
  directory: string,
): Promise<CheckpointManifest | number | undefined> {
  const { stderr: stream, signals, clock } = job.shell;
  const endpoint = endpointOf(job);
  using shutdown = openQuietShutdown(signals);
  using progress = openProgress({ ...BAR, total: undefined, stream, clock });
  const done = new AbortController();
  try {
    const ask = (method: string, params: readonly string[]) =>
      askNode(endpoint, JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }), shutdown.signal);
    const work = ask("admin_createCheckpoint", [directory]);
    const followed = follow(() => ask("admin_checkpointStatus", []), progress, done.signal);
    const { result, error } = parseResponse(await work);
    done.abort();
    await followed;
    if (error !== undefined) throw new Error(error.message);
    return parseManifest(JSON.stringify(result), "the node's answer");
  } catch (error) {
    if (error instanceof RpcClientError && error.code === "unreachable") return undefined;
    throw error;
  } finally {
    done.abort();
  }
}

/** Draws the progress of a node's copying until `signal` aborts. */
async function follow(ask: () => Promise<string>, progress: Progress, signal: AbortSignal): Promise<void> {
  try {
    for (;;) {
      await setTimeout(LOOK_MS, undefined, { signal });
      const { copied, total } = parseResponse(await ask()).result as { copied: number; total: number }; // the node's own
      if (total > 0) progress.update(copied, total);
    }
  } catch {
    // the answer to the command says what is wrong
  }
}

async function createOffline(job: CommandJob, directory: string): Promise<CheckpointManifest | number> {
  using work = await openJob(job, BAR);
  const { options, progress, interrupt, node } = work;
  try {
    return await node.createCheckpoint(options, { directory, progress, signal: interrupt.signal });
  } catch (error) {
    if (!isAbort(error)) throw error;
    work[Symbol.dispose]();
    job.shell.stdout.write(`interrupted: ${directory} was not created\n`);
    return interrupt.exitCode;
  }
}

/** `knit checkpoint verify DIR [--full]`: verifies a checkpoint. Resolves to the exit code. */
export async function verifyCheckpointCommand(job: CommandJob): Promise<number> {
  const { shell, resolved } = job;
  const [typed = ""] = job.arguments;
  const directory = resolvePath(typed, shell.host);
  const { full } = optionValues(checkpointOptions, resolved);
  using work = await openJob(job, {
    label: "verify",
    unit: "blocks",
    alsoUnit: "accounts",
    usesDatadir: false,
  });
  const { options, progress, interrupt, node } = work;
  try {
    const { signal } = interrupt;
    const { manifest, compared } = await node.verifyCheckpoint(options, {
      directory,
      progress,
      signal,
      full,
    });
    work[Symbol.dispose]();
    shell.stdout.write(`${directory} is sound: ${checkpointSummary(manifest)}\n`);
    if (compared !== undefined) shell.stdout.write(comparedText(compared));
    return 0;
  } catch (error) {
    if (!isAbort(error)) throw error;
    work[Symbol.dispose]();
    shell.stdout.write("verify was interrupted: nothing was found until then\n");
    return interrupt.exitCode;
  }
}

/** Returns chain, head and size of a checkpoint as text. */
export function checkpointSummary({ chainId, head, files }: CheckpointManifest): string {
  const bytes = totalBytes(files);
  return `chain ${chainId}, block ${head.number} ${head.hash}, ${files.length} files, ${bytes.toLocaleString("en")} bytes`;
}

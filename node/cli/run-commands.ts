/** `knit run` and `knit dev`: open a node, announce it, and close it on a signal. */

import { existsSync } from "node:fs";
import { readFile, rename } from "node:fs/promises";
import { DEVELOPMENT_MNEMONIC } from "../accounts/development-keys.ts";
import { messageOf } from "../bytes/message-of.ts";
import { developmentOptions } from "../chain/options.ts";
import { memoryOptions } from "../compose/memory-options.ts";
import type { NodeOptions } from "../compose/options.ts";
import { nodeOptions } from "../compose/options.ts";
import { placeOptions } from "../compose/paths.ts";
import { consensusOptions } from "../consensus/options.ts";
import { type AdjustableLog, createLog } from "../observe/log.ts";
import { type LogFile, openLogFile } from "../observe/log-file.ts";
import { OptionError } from "../options/error.ts";
import { PEB_PER_KLAY } from "../options/kinds.ts";
import { optionValues } from "../options/resolve.ts";
import { writeSynced } from "../runtime/synced-file.ts";
import { untilAborted } from "../runtime/until-aborted.ts";
import type { CommandJob } from "./chain-commands.ts";
import type { RunningNode } from "./commands.ts";
import { openTemporaryDirectory, prepareDatadir } from "./datadir.ts";
import { devBanner } from "./dev-banner.ts";
import { isAbort } from "./failure.ts";
import type { Shell } from "./shell.ts";
import { openShutdownSignal } from "./signals.ts";

/** Runs a node until a signal stops it. Throws when it cannot start or cannot continue. */
export function runNode(job: CommandJob): Promise<void> {
  return runWith(job, untilStopped);
}

/** Runs a node until `work` ends or a signal stops it. */
export function runNodeWith(job: CommandJob, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  return runWith(job, (node, signal) => Promise.race([untilStopped(node, signal), work(signal)]));
}

/** Resolves when the node should close. */
type Use = (node: RunningNode, signal: AbortSignal) => Promise<void>;

async function runWith({ shell, resolved, command }: CommandJob, use: Use): Promise<void> {
  limitHeap({ shell, resolved });
  const { options, warnings } = nodeOptions(command, resolved, shell.host);
  await using file = openFile(options);
  const log = createLog({ ...options.log, stream: shell.stderr, file });
  for (const warning of warnings) log.warn({ warning }, "check the flags");
  await keepRunning({ shell, options, log, use });
}

/** Runs a development chain; without `--datadir` in a temporary directory. */
export async function runDevelopmentNode({ shell, resolved, command }: CommandJob): Promise<void> {
  limitHeap({ shell, resolved });
  const { dataDirectory, chainDataDirectory } = optionValues(placeOptions, resolved);
  await using scratch = dataDirectory === undefined ? await openTemporaryDirectory(shell) : undefined;
  const values = new Map(resolved.values).set(
    placeOptions.dataDirectory.flag,
    scratch?.path ?? dataDirectory,
  );
  const { blockTime } = optionValues(developmentOptions, resolved);
  const hasInterval = blockTime !== undefined || resolved.given.has(consensusOptions.intervalMs.flag);
  if (scratch !== undefined && !hasInterval) values.set(developmentOptions.blockTime.flag, "auto");
  const { options: settings, warnings } = nodeOptions(command, { ...resolved, values }, shell.host);
  const options = { ...settings, isTemporary: scratch !== undefined && chainDataDirectory === undefined };
  await using file = openFile(options);
  const log = createLog({ ...options.log, stream: shell.stderr, file });
  for (const warning of warnings) log.warn({ warning }, "check the flags");
  const use: Use = async (node, signal) => {
    await loadStateFile(node, options);
    const { endpoints, developmentAccounts = [] } = node;
    const text = devBanner({
      endpoints,
      hasPage: options.http?.page === true,
      accounts: developmentAccounts,
      balance: (options.development?.balance ?? 0n) / PEB_PER_KLAY,
      mode: node.makesBlocks,
      mnemonic: options.development?.mnemonic === undefined ? DEVELOPMENT_MNEMONIC : undefined,
      keptIn: scratch ? undefined : options.paths.dataDirectory,
    });
    shell.stdout.write(text);
    await untilStopped(node, signal);
    await dumpStateFile(node, options);
  };
  await keepRunning({ shell, options, log, use });
}

/** Loads the state that the options name; the file of `--state` need not exist. */
async function loadStateFile({ stateFiles }: RunningNode, { development }: NodeOptions): Promise<void> {
  const { loadState, stateFile } = development ?? {};
  const path = loadState ?? stateFile;
  if (path === undefined || (loadState === undefined && !existsSync(path))) return;
  try {
    await stateFiles?.load(await readFile(path));
  } catch (cause) {
    throw new OptionError("bad-value", `${path} cannot be loaded: ${messageOf(cause)}`, { cause });
  }
}

async function dumpStateFile({ stateFiles }: RunningNode, { development }: NodeOptions): Promise<void> {
  const path = development?.dumpState ?? development?.stateFile;
  if (path === undefined || stateFiles === undefined) return;
  const scratch = `${path}.new`;
  await writeSynced(scratch, await stateFiles.dump());
  await rename(scratch, path);
}

/** Applies the heap limit before other work, because the process may be replaced. */
function limitHeap({ shell, resolved }: Pick<CommandJob, "shell" | "resolved">): void {
  shell.limitHeap(memoryOptions(resolved, shell.host, []).shares.heap);
}

function openFile({ logFile }: NodeOptions): LogFile | undefined {
  return logFile && openLogFile(logFile.path, logFile.rotation);
}

interface Run {
  readonly shell: Shell;
  readonly options: NodeOptions;
  readonly log: AdjustableLog;
  readonly use: Use;
}

async function keepRunning({ shell, options, log, use }: Run): Promise<void> {
  using launcher = shell.openLauncherWatch?.();
  using shutdown = openShutdownSignal(shell.signals, log, launcher?.signal);
  const { signal } = shutdown;
  await prepareDatadir(options.paths);
  const commands = await shell.loadNode();
  try {
    if (options.bootstrap.url !== undefined || options.bootstrap.siblings !== undefined) {
      const { bootstrapFromArchive } = await import("./archive-commands.ts"); // the public networks
      await bootstrapFromArchive({ shell, options, log, signal });
    }
    await using node = await commands.openNode(options, signal, log);
    await use(node, signal);
  } catch (error) {
    if (!(signal.aborted && isAbort(error))) throw error;
  }
}

/** Resolves when `signal` aborts; throws the node's failure if that comes first. */
async function untilStopped({ failure }: RunningNode, signal: AbortSignal): Promise<void> {
  const stopped = untilAborted(signal);
  const reason = await (failure ? Promise.race([stopped, failure]) : stopped);
  if (reason) throw reason;
}

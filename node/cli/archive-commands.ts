/** `knit checkpoint push|pull|list`: checkpoints in archives, and the start of an empty node from one. */
import { toHex } from "../bytes/hex.ts";
import { checkpointOptions, pullOptions } from "../checkpoint/options.ts";
import type { NodeOptions } from "../compose/options.ts";
import { resolvePath } from "../compose/paths.ts";
import { kairos, mainnet } from "../config/presets/networks.ts";
import type { Log } from "../observe/log.ts";
import { openProgress } from "../observe/progress.ts";
import { OptionError } from "../options/error.ts";
import { optionValues } from "../options/resolve.ts";
import { type CommandJob, openJob } from "./chain-commands.ts";
import { checkpointSummary } from "./checkpoint-commands.ts";
import { isAbort } from "./failure.ts";
import type { Shell } from "./shell.ts";

/** The word for standard input or output in place of an archive. */
const STREAM = "-";

/** `knit checkpoint push DIR ARCHIVE`: sends a checkpoint. Resolves to the exit code. */
export async function pushCommand(job: CommandJob): Promise<number> {
  const { shell } = job;
  const [typed = "", url = ""] = job.arguments;
  if (url === "")
    throw new OptionError("missing-value", "knit checkpoint push needs a directory and an archive");
  const directory = resolvePath(typed, shell.host);
  using work = await openJob(job, { label: "push", unit: "bytes" });
  const { options, progress, interrupt, node } = work;
  const { signal } = interrupt;
  try {
    if (url === STREAM) {
      const { write } = shell.binary();
      for await (const piece of await node.streamCheckpoint(options, directory)) {
        signal.throwIfAborted();
        await write(piece);
      }
      return 0;
    }
    const { environment } = shell;
    const pushed = await node.pushCheckpoint(options, { directory, url, progress, signal, environment });
    work[Symbol.dispose]();
    const { name, files, sentFiles, bytes, sentBytes } = pushed;
    shell.stdout.write(
      `pushed ${name}: sent ${sentFiles} of ${files} files, ${byteText(sentBytes)} of ${byteText(bytes)} bytes\n`,
    );
    return 0;
  } catch (error) {
    if (!isAbort(error)) throw error;
    work[Symbol.dispose]();
    shell.stderr.write("push was interrupted: run the same command again to continue\n");
    return interrupt.exitCode;
  }
}

function byteText(bytes: number): string {
  return bytes.toLocaleString("en");
}

/** `knit checkpoint pull ARCHIVE DIR [NAME]`: fetches and verifies a checkpoint. Resolves to the exit code. */
export async function pullCommand(job: CommandJob): Promise<number> {
  const { shell, resolved } = job;
  const [from = "", typed = "", name] = job.arguments;
  if (typed === "")
    throw new OptionError("missing-value", "knit checkpoint pull needs an archive and a directory");
  const directory = resolvePath(typed, shell.host);
  const { full } = optionValues(checkpointOptions, resolved);
  const { creator, ...wanted } = optionValues(pullOptions, resolved);
  using work = await openJob(job, { label: "pull", unit: "bytes", usesDatadir: false });
  const { options, progress, interrupt, node } = work;
  try {
    const manifest = await node.pullCheckpoint(options, {
      directory,
      from: from === STREAM ? shell.binary().input : from,
      name,
      wanted: { ...wanted, creator: creator && toHex(creator) },
      full,
      progress,
      signal: interrupt.signal,
      environment: shell.environment,
    });
    work[Symbol.dispose]();
    shell.stdout.write(
      `pulled ${directory}: ${checkpointSummary(manifest)}, created by ${manifest.creator}\n`,
    );
    return 0;
  } catch (error) {
    if (!isAbort(error)) throw error;
    work[Symbol.dispose]();
    shell.stderr.write("pull was interrupted: run the same command again to continue\n");
    return interrupt.exitCode;
  }
}

/** `knit checkpoint list ARCHIVE`: prints the checkpoints of an archive, the newest first. */
export async function listCommand(job: CommandJob): Promise<void> {
  const { shell } = job;
  const [url = ""] = job.arguments;
  using work = await openJob(job, { label: "list", unit: "checkpoints", usesDatadir: false });
  const { signal } = work.interrupt;
  const listed = await work.node.listCheckpoints(url, { signal, environment: shell.environment });
  for (const row of listed) {
    const text =
      "fault" in row
        ? `refused: ${row.fault}`
        : `${checkpointSummary(row.manifest)}, created by ${row.manifest.creator}`;
    shell.stdout.write(`${row.name}: ${text}\n`);
  }
}

/** A node that is about to start. */
export interface StartingNode {
  readonly shell: Shell;
  readonly options: NodeOptions;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** True for a start from an archive or a sibling. */
export function startsFromCopy({ bootstrap: { url, siblings } }: NodeOptions): boolean {
  return url !== undefined || siblings !== undefined;
}

/** Fills an empty data directory from a sibling or the archive of `--bootstrap`. Throws `OptionError`, or as `bootstrap`. */
export async function bootstrapFromArchive({ shell, options, log, signal }: StartingNode): Promise<void> {
  const { publicNetwork, bootstrap } = options;
  const { url, siblings, genesisHash, creator } = bootstrap;
  if (!startsFromCopy(options)) return;
  const wanted = genesisHash ?? (publicNetwork && { mainnet, kairos }[publicNetwork].genesisHash);
  if (wanted === undefined) {
    const message = "--bootstrap needs the chain: --bootstrap.genesis-hash HASH, --mainnet or --kairos";
    throw new OptionError("missing-value", message);
  }
  const { stderr: stream, clock, environment } = shell;
  using progress = openProgress({ label: "bootstrap", unit: "bytes", total: undefined, stream, clock });
  const node = await shell.loadNode();
  const chain = { genesisHash: wanted, creator: creator && toHex(creator) };
  await node.bootstrap(options, { url, siblings, wanted: chain, log, progress, signal, environment });
}

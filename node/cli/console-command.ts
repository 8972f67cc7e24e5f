/** `knit attach` and `knit console`: the JavaScript console on a node that runs, or on one of its own. */
import { join } from "node:path";
import { nodeOptions } from "../config/options-check.ts";
import { OptionError } from "../config/options-error.ts";
import { resolvePath } from "../config/options-paths.ts";
import { openConsole } from "../console/console.ts";
import { openCommandHistory } from "../console/history.ts";
import { createLog } from "../observe/log.ts";
import { askNode } from "../transport/client.ts";
import type { Job } from "./chain-commands.ts";
import { runNodeWith } from "./run-commands.ts";
import { openShutdownSignal } from "./signals.ts";

/** Attaches to a running node. */
export async function attachConsole(job: Job): Promise<void> {
  const [given] = job.arguments;
  using shutdown = openShutdownSignal(job.shell.signals, createLog({ level: "silent", format: "terminal" }));
  const endpoint = given === undefined ? ownEndpoint(job) : given.replace(/^(rpc|ipc):/, "");
  await converse(job, endpoint, shutdown.signal);
}

/** Runs a node, and a console on it; the node stops with the console. */
export async function runNodeConsole(job: Job): Promise<void> {
  const endpoint = ownEndpoint(job);
  await runNodeWith(job, (signal) => converse(job, endpoint, signal));
}

/** The socket in the data directory. */
function ownEndpoint({ shell, resolved, command }: Job): string {
  const { ipc } = nodeOptions(command, resolved, shell.host).options;
  if (ipc === undefined)
    throw new OptionError("clash", "a console on this node needs its socket (--ipcdisable)");
  return ipc.path;
}

async function converse(
  { shell, resolved, command }: Job,
  endpoint: string,
  signal: AbortSignal,
): Promise<void> {
  const { values } = resolved;
  const { paths } = nodeOptions(command, resolved, shell.host).options;
  const history = await openCommandHistory(join(paths.dataDirectory, "history"));
  await using opened = await openConsole({
    ...shell.terminal(),
    ask: (message) => askNode(endpoint, message, signal),
    endpoint,
    history,
    scripts: resolvePath(values.jspath, shell.host),
    preload: values.preload,
    signal,
  });
  if (values.exec === undefined) await opened.interact();
  else await opened.execute(values.exec);
}

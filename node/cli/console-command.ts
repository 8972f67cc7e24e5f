/** `knit attach` and `knit console`: the JavaScript console of a running node or of a new one. */

import { join } from "node:path";
import { nodeOptions } from "../compose/options.ts";
import { resolvePath } from "../compose/paths.ts";
import { openConsole } from "../console/console.ts";
import { openCommandHistory } from "../console/history.ts";
import { consoleOptions } from "../console/options.ts";
import { createLog } from "../observe/log.ts";
import { OptionError } from "../options/error.ts";
import { optionValues } from "../options/resolve.ts";
import { askNode } from "../transport/client.ts";
import type { CommandJob } from "./chain-commands.ts";
import { runNodeWith } from "./run-commands.ts";
import { openShutdownSignal } from "./signals.ts";

/** Attaches a console to a running node. */
export async function attachConsole(job: CommandJob): Promise<void> {
  const [given] = job.arguments;
  using shutdown = openShutdownSignal(job.shell.signals, createLog({ level: "silent", format: "terminal" }));
  const endpoint = given === undefined ? ownEndpoint(job) : given.replace(/^(rpc|ipc):/, "");
  await converse(job, endpoint, shutdown.signal);
}

/** Runs a node with a console; the node stops with the console. */
export async function runNodeConsole(job: CommandJob): Promise<void> {
  const endpoint = ownEndpoint(job);
  await runNodeWith(job, (signal) => converse(job, endpoint, signal));
}

/** Returns the socket in the data directory. */
function ownEndpoint({ shell, resolved, command }: CommandJob): string {
  const { ipc } = nodeOptions(command, resolved, shell.host).options;
  if (ipc === undefined)
    throw new OptionError("clash", "a console on this node needs its socket (--ipcdisable)");
  return ipc.path;
}

async function converse(
  { shell, resolved, command }: CommandJob,
  endpoint: string,
  signal: AbortSignal,
): Promise<void> {
  const { scripts, preload, exec } = optionValues(consoleOptions, resolved);
  const { paths } = nodeOptions(command, resolved, shell.host).options;
  const history = await openCommandHistory(join(paths.dataDirectory, "history"));
  await using opened = await openConsole({
    ...shell.terminal(),
    ask: (message) => askNode(endpoint, message, signal),
    endpoint,
    history,
    scripts: resolvePath(scripts, shell.host),
    preload,
    signal,
  });
  if (exec === undefined) await opened.interact();
  else await opened.execute(exec);
}

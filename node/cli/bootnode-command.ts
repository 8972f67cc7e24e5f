/** `knit bootnode`: a boot node opened, and closed when somebody asks for it. */
import { once } from "node:events";
import { openBootNode } from "../boot-node.ts";
import { bootNodeOptions } from "../config/boot-node-options.ts";
import { createLog } from "../observe/log.ts";
import type { Job } from "./chain-commands.ts";
import { openShutdownSignal } from "./signals.ts";

/** Runs a boot node until a signal stops it. Throws when it cannot start. */
export async function runBootNode({ shell, resolved }: Job): Promise<void> {
  const { options, warnings } = bootNodeOptions(resolved, shell.surroundings);
  const log = createLog({ ...options.log, stream: shell.stderr });
  for (const warning of warnings) log.warn({ warning }, "check the flags");
  using shutdown = openShutdownSignal(shell.signals, log);
  const { signal } = shutdown;
  await using _node = await openBootNode(options, log);
  if (!signal.aborted) await once(signal, "abort");
}

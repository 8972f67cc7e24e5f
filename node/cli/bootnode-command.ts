/** `knit bootnode`: runs a boot node, or writes or prints its key. */

import { once } from "node:events";
import { randomKey } from "../accounts/raw-key.ts";
import { bareHex } from "../bytes/hex.ts";
import { openBootNode } from "../compose/boot-node.ts";
import { bootNodeOptions } from "../compose/boot-node-options.ts";
import { ownNodeKey } from "../compose/node-keys.ts";
import { resolvePath } from "../compose/paths.ts";
import { createLog } from "../observe/log.ts";
import { optionValues } from "../options/resolve.ts";
import { bootOptions } from "../p2p/options.ts";
import type { CommandJob } from "./chain-commands.ts";
import { writeNewFile } from "./new-file.ts";
import { openShutdownSignal } from "./signals.ts";

/** Runs a boot node until a signal stops it, or handles `--genkey` and `--writeaddress`. */
export async function runBootNode({ shell, resolved }: CommandJob): Promise<void> {
  const { newKeyFile, printsId } = optionValues(bootOptions, resolved);
  if (newKeyFile) {
    const path = resolvePath(newKeyFile, shell.host);
    return writeNewFile({ path, name: newKeyFile, text: bareHex(randomKey().key), mode: 0o600 });
  }
  const { options, warnings } = bootNodeOptions(resolved, shell.host);
  if (printsId) {
    const { id } = await ownNodeKey({
      nodeKey: options.nodeKey,
      nodeAddress: undefined,
      paths: { nodeKey: options.nodeKeyPath, isNodeKeyNamed: true },
    });
    shell.stdout.write(`${bareHex(id)}\n`);
    return;
  }
  const log = createLog({ ...options.log, stream: shell.stderr });
  for (const warning of warnings) log.warn({ warning }, "check the flags");
  using launcher = shell.openLauncherWatch?.();
  using shutdown = openShutdownSignal(shell.signals, log, launcher?.signal);
  const { signal } = shutdown;
  await using _node = await openBootNode(options, log);
  if (!signal.aborted) await once(signal, "abort");
}

/** Attackers and good peers as processes of their own. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { AttackTarget } from "./attack.ts";

const GOOD_PEER = fileURLToPath(new URL("good-peer.ts", import.meta.url));
const ATTACKER = fileURLToPath(new URL("attacker.ts", import.meta.url));
/** An attacker that does not tell its figures by then is ended without. */
const REPORT_MS = 5_000;

/** Starts an attack against a node. */
export function startAttacker(name: string, target: AttackTarget): ChildProcess {
  return fork(ATTACKER, [name, JSON.stringify(target)], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
}

/** Starts a good peer; resolves when it is connected. */
export async function startGoodPeer(target: AttackTarget): Promise<ChildProcess> {
  const child = fork(GOOD_PEER, [JSON.stringify(target)], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  await once(child, "message");
  return child;
}

/** Ends an attacker or the good peer; what it tells of itself. */
export async function stopProcess(child: ChildProcess): Promise<unknown> {
  if (child.exitCode !== null || child.signalCode !== null) return undefined;
  const reported = once(child, "message").then(([figures]: unknown[]) => figures);
  const gone = once(child, "exit");
  child.send("stop");
  const figures = await Promise.race([reported, setTimeout(REPORT_MS, undefined, { ref: false })]);
  child.kill("SIGKILL");
  await gone;
  return figures;
}

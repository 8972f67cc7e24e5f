/** The tools that `tools.sh` builds. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { run } from "./cluster.ts";

const SCRIPT = fileURLToPath(new URL("../tools.sh", import.meta.url));

/** Returns the path of a tool; empty when it is not built on this machine. */
export function toolPath(tool: string): string {
  return spawnSync(SCRIPT, ["cached", tool], { encoding: "utf8" }).stdout.trim();
}

/** Builds a tool where it is missing; returns its path. */
export async function buildTool(tool: string): Promise<string> {
  const { code, stderr } = await run(SCRIPT, ["build", tool]);
  if (code !== 0) throw new Error(`${tool}: ${stderr}`);
  return toolPath(tool);
}

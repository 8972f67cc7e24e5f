/**
 * Builds the program that tests and vectors start as a process, if a source has changed since: before all tests, and
 * before a vector that is played against a node. What it says goes to standard error.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { buildIsCurrent } from "../../scripts/launch.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

export function build() {
  if (buildIsCurrent(".cache/built", "node")) return;
  execFileSync(process.execPath, ["scripts/build.ts", ".cache/built"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
}

/** Jest calls it as its global set-up. */
export default build;

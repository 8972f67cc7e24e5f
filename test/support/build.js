/** Before all tests: builds the program that they start as processes, if a source has changed since. */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { buildIsCurrent } from "../../scripts/launch.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

export default function build() {
  if (buildIsCurrent(".cache/built", "node")) return;
  execFileSync(process.execPath, ["scripts/build.ts", ".cache/built"], { cwd: root, stdio: "inherit" });
}

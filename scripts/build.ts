/**
 * Builds `dist/`: what ships and what is measured. The sources are compiled as they are, file by file; the
 * stamp that is written last tells `knit` that the build is whole, and its time whether it is current.
 */
import { spawnSync } from "node:child_process";
import { rmSync, utimesSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const startedAt = new Date();

rmSync(`${root}dist`, { recursive: true, force: true });
const compiler = fileURLToPath(import.meta.resolve("typescript/package.json")).replace(
  "package.json",
  "bin/tsc",
);
const { status } = spawnSync(process.execPath, [compiler, "-p", "tsconfig.build.json"], {
  cwd: root,
  stdio: "inherit",
});
if (status === 0) {
  writeFileSync(`${root}dist/built`, `${startedAt.toISOString()}\n`);
  utimesSync(`${root}dist/built`, startedAt, startedAt); // what is saved while this ran counts as newer
}
process.exitCode = status ?? 1;

/**
 * The tests that need what is built from Go modules: most start a control plane of their own, and wait more than they
 * compute, so that two run at a time. Those with real pods run beside them, one after another, because the networks of
 * two nodes would meet. Without Go all are skipped and say so. Jest's own arguments may stand behind, and then one test
 * runs at a time; without any the long tests of real pods and the alerts are left out, which are in `npm run test:e2e`.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const script = `${root}test/cluster/cluster.sh`;
const jest = fileURLToPath(new URL("../node_modules/jest/bin/jest.js", import.meta.url));
const flags = ["--disable-warning=ExperimentalWarning"];
const TOTALS = /^tests: (\d+) passed, (\d+) failed, (\d+) skipped$/gm;

/** Tests with real pods that run by default, and all that are not among the others. */
const DEFAULT_PODS = "test/cluster/pods";
const APART = "test/cluster/(pods|network-full|standby|node-in-minutes|pages|former-release|alerts)";
const PARTS: readonly (readonly string[])[] = [
  ["test/cluster", `--testPathIgnorePatterns=${APART}`, "--maxWorkers=2"],
  [DEFAULT_PODS, "--runInBand"],
];

interface Totals {
  readonly counts: readonly number[];
  readonly isOk: boolean;
}

/** Runs Jest with these arguments, shows its output, and reads the counts of its last line. */
async function runTests(more: readonly string[]): Promise<Totals> {
  const child = spawn(process.execPath, [...flags, jest, "--testTimeout=120000", ...more], {
    cwd: root,
    stdio: ["inherit", "pipe", "inherit"],
    env: { ...process.env, KNIT_CLUSTER_TESTS: "1" },
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    process.stdout.write(chunk);
    text += chunk;
  });
  const [code] = (await once(child, "close")) as [number | null];
  const [, ...counts] = [...text.matchAll(TOTALS)].at(-1) ?? ["", "0", "1", "0"];
  return { counts: counts.map(Number), isOk: code === 0 };
}

if (spawnSync(script, ["build-all"], { stdio: "inherit" }).status !== 0)
  console.error("cluster tests: there is no control plane on this machine, they are skipped");
const given = process.argv.slice(2);
const results = await Promise.all((given.length > 0 ? [[...given, "--runInBand"]] : PARTS).map(runTests));
const [passed, failed, skipped] = [0, 1, 2].map((column) =>
  results.reduce((sum, { counts }) => sum + (counts[column] ?? 0), 0),
);
if (results.length > 1) console.log(`tests: ${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = results.every(({ isOk }) => isOk) ? 0 : 1;

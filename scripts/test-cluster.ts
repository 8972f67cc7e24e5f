/**
 * The tests that need a cluster, one after another: each starts a control plane of its own. Without Go, which it is
 * built with, they are skipped and say so. Jest's own arguments may stand behind; without any the two large
 * networks of real pods are left out, which are in `npm run test:e2e`.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const script = `${root}test/cluster/cluster.sh`;
const build = spawnSync(script, ["build-all"], { stdio: "inherit" });
if (build.status !== 0)
  console.error("cluster tests: there is no control plane on this machine, they are skipped");

const jest = fileURLToPath(new URL("../node_modules/jest/bin/jest.js", import.meta.url));
const flags = ["--experimental-vm-modules", "--disable-warning=ExperimentalWarning"];
const given = process.argv.slice(2);
const all = ["test/cluster", "--testPathIgnorePatterns=test/cluster/(network-full|standby)"];
const { status } = spawnSync(
  process.execPath,
  [...flags, jest, "--runInBand", "--testTimeout=120000", ...(given.length > 0 ? given : all)],
  { cwd: root, stdio: "inherit", env: { ...process.env, KNIT_CLUSTER_TESTS: "1" } },
);
process.exitCode = status ?? 1;

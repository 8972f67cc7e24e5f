/**
 * The tests at a depth: `node scripts/test-depth.ts ci` or `long`, with Jest's own arguments behind. The
 * tests read how much to do from the environment; what is set there already is left as it is.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Counts and durations by depth; `npm test` uses the numbers written in the tests. */
const DEPTHS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ci: {
    KNIT_BFT_SEEDS: "1000",
    KNIT_WHOLE_SEEDS: "15",
    KNIT_HISTORIES: "100",
    KNIT_CRYPTO_ROUNDS: "200",
    KNIT_PRECOMPILE_ROUNDS: "6",
    KNIT_KILLS: "60",
    KNIT_MIGRATION_KILLS: "6",
    KNIT_MUTATIONS: "300",
    KNIT_P2P_MUTATIONS: "10000",
    KNIT_SIGNING_ROUNDS: "5000",
    KNIT_TRAITOR_BLOCKS: "24",
    KNIT_TRIE_ROUNDS: "200",
    KNIT_WORLD_ROUNDS: "8",
    KNIT_FLIPS: "250",
    KNIT_LATE_BLOCKS: "10000",
    KNIT_SIGNER_BLOCKS: "60",
    KNIT_SEARCHED_BLOCKS: "100000",
    KNIT_FUZZ_SECONDS: "30",
    KNIT_CONNECTIONS: "10000",
    KNIT_GATEWAY_CONNECTIONS: "1000",
    KNIT_TRANSCRIPTS: "all",
    KNIT_ALL_CASES: "1",
    KNIT_NETWORK_FAULTS: "1",
    KNIT_KZG_WASM: "1",
    KNIT_VM_PERFORMANCE: "1",
  },
  long: {
    KNIT_BFT_SEEDS: "10000",
    KNIT_WHOLE_SEEDS: "1000",
    KNIT_HISTORIES: "10000",
    KNIT_CRYPTO_ROUNDS: "10000",
    KNIT_PRECOMPILE_ROUNDS: "60",
    KNIT_KILLS: "500",
    KNIT_MIGRATION_KILLS: "100",
    KNIT_MIGRATION_ACCOUNTS: "200000",
    KNIT_MUTATIONS: "2000",
    KNIT_P2P_MUTATIONS: "100000",
    KNIT_SIGNING_ROUNDS: "100000",
    KNIT_TRAITOR_BLOCKS: "48",
    KNIT_TRANSITIONS: "200000",
    KNIT_TRIE_ROUNDS: "2000",
    KNIT_WORLD_ROUNDS: "40",
    KNIT_FLIPS: "2000",
    KNIT_LATE_BLOCKS: "10000",
    KNIT_SIGNER_BLOCKS: "1000",
    KNIT_PEER_BLOCKS: "100",
    KNIT_SEARCHED_BLOCKS: "100000",
    KNIT_FUZZ_SECONDS: "600",
    KNIT_CONNECTIONS: "10000",
    KNIT_GATEWAY_CONNECTIONS: "10000",
    KNIT_TRANSCRIPTS: "all",
    KNIT_ALL_CASES: "1",
    KNIT_NETWORK_FAULTS: "1",
    KNIT_KZG_WASM: "1",
    KNIT_VM_PERFORMANCE: "1",
  },
};

const [depth = "", ...jestArguments] = process.argv.slice(2);
const settings = DEPTHS[depth];
if (settings === undefined) {
  process.stderr.write(`depth must be one of ${Object.keys(DEPTHS).join(", ")}\n`);
  process.exitCode = 1;
} else {
  const jest = fileURLToPath(new URL("../node_modules/jest/bin/jest.js", import.meta.url));
  const flags = ["--disable-warning=ExperimentalWarning"];
  const { status } = spawnSync(
    process.execPath,
    [...flags, jest, "--testTimeout=1800000", ...jestArguments],
    {
      stdio: "inherit",
      env: { ...settings, ...process.env },
    },
  );
  process.exitCode = status ?? 1;
}

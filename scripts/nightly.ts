/**
 * All attackers of the project for an hour (`--minutes N` for another time), with new seeds: the mix of strangers
 * against a built node at four memory limits and against four validators, clients that trace endless calls against a
 * node with one reader thread and with more, fuzzing of every decoder, and tests of mutations, flipped bits, kills, a
 * validator gone bad and the simulations of validators and of whole nodes with the counts of `npm run test:long`. Ends
 * with 1 if any of them fails; each line of the report is a command that runs it again.
 */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";

interface Attack {
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

const { values } = parseArgs({ options: { minutes: { type: "string", default: "60" } } });
const seconds = Number(values.minutes) * 60;
/** Parts of the time. The tests behind take their counts, and about a third of an hour on two cores. */
const MIX_SHARE = 0.09;
const TRACERS_SHARE = 0.02;
const COUNCIL_SHARE = 0.04;
const FUZZ_SHARE = 0.22;

function partOf(share: number): string {
  return String(Math.round(seconds * share));
}

function attackAt(name: string, share: number, limit: string | undefined): Attack {
  const memory = limit === undefined ? [] : ["--max-memory", limit];
  return { command: ["bench/attack.ts", name, "--seconds", partOf(share), ...memory] };
}

const attacks: readonly Attack[] = [
  { command: ["scripts/build.ts"] },
  ...["384MB", "512MB", "2GB", undefined].map((limit) => attackAt("mix", MIX_SHARE, limit)),
  ...["512MB", "2GB"].map((limit) => attackAt("tracers", TRACERS_SHARE, limit)),
  { command: ["bench/attack-council.ts", "--seconds", partOf(COUNCIL_SHARE)] },
  { command: ["scripts/fuzz.ts", "--seconds", partOf(FUZZ_SHARE)] },
  {
    command: [
      "scripts/test-depth.ts",
      "long",
      "hostile",
      "mutation",
      "bit-flips",
      "fuzz",
      "floods",
      "operator/gateway",
      "bft",
      "traitor",
      "whole",
    ],
    environment: {
      KNIT_FUZZ_SECONDS: String(Math.round(seconds * 0.02)),
      KNIT_BFT_SEEDS: "2000",
      KNIT_WHOLE_SEEDS: "200",
      KNIT_FLIPS: "500",
    },
  },
];

if (seconds > 0) {
  const failed = attacks.filter((attack) => !passes(attack));
  for (const { command } of failed) process.stdout.write(`failed: node ${command.join(" ")}\n`);
  process.stdout.write(`nightly: ${attacks.length - failed.length} passed, ${failed.length} failed\n`);
  process.exitCode = failed.length > 0 ? 1 : 0;
} else {
  process.stderr.write("usage: node scripts/nightly.ts [--minutes N]\n");
  process.exitCode = 2;
}

function passes({ command, environment }: Attack): boolean {
  process.stdout.write(`== node ${command.join(" ")}\n`);
  const { status } = spawnSync(process.execPath, command, {
    stdio: "inherit",
    env: { ...process.env, ...environment },
  });
  return status === 0;
}

/** Recorded runs of the Go network maker, with every file. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { fromBareHex } from "../../node/bytes/hex.ts";
import { genesisOptions } from "../../node/cli/genesis-options.ts";
import { type MadeNetwork, makeNetwork } from "../../node/network-maker/network.ts";
import { sizeOptions } from "../../node/network-maker/options.ts";
import { optionValues } from "../../node/options/resolve.ts";
import { resolve } from "./options.ts";
import { type Comparison, Tally } from "./tally.ts";

/** A run of the tool. */
export interface HomiRun {
  readonly name: string;
  readonly command: string;
  readonly exit: number;
  /** Texts by path. */
  readonly files: Readonly<Record<string, string>>;
}

/** Path of the genesis in a run. */
const GENESIS = "scripts/genesis.json";

function readRuns(path: string): readonly HomiRun[] {
  const bytes = readFileSync(path);
  const text = (path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
  return (JSON.parse(text) as { readonly runs: readonly HomiRun[] }).runs;
}

/** The run called `name`. */
export function homiRun(name: string): HomiRun {
  const run = readRuns(fileURLToPath(new URL("../vectors/homi/homi.json.gz", import.meta.url))).find(
    (each) => each.name === name,
  );
  if (run === undefined) throw new Error(`no run ${name}`);
  return run;
}

function keysIn(files: HomiRun["files"], pattern: RegExp): Uint8Array[] {
  const names = Object.keys(files).filter((name) => pattern.test(name));
  return names.toSorted().map((name) => fromBareHex(files[name] ?? ""));
}

/** The flags of a recorded command. */
function flagsOf({ command }: HomiRun): Record<string, string> {
  const given = [...command.matchAll(/--([\w-]+)(?: ([^-\s]\S*))?/g)].filter(([, name]) => name !== "output");
  return Object.fromEntries(given.map(([, name = "", value = "true"]) => [name, value]));
}

/** Makes the network of a run anew, with its keys and its second. */
export async function again(run: HomiRun): Promise<MadeNetwork> {
  const { "cn-nodekey-dir": _, ...line } = flagsOf(run);
  const { timestamp } = JSON.parse(run.files[GENESIS] ?? "") as { timestamp: string };
  const resolved = resolve({ command: "genesis", line });
  const { core } = optionValues(sizeOptions, resolved);
  return makeNetwork(genesisOptions(resolved, Number(timestamp) * 1000), core, {
    cn: keysIn(run.files, /^keys\/nodekey/),
    pn: keysIn(run.files, /^keys_pn\/nodekey/),
    en: [],
    test: keysIn(run.files, /^keys_test\/testkey/),
  });
}

/** The Go tool forgets the base fee's parameters; its own `init` cannot take that. */
export function withBaseFee(genesis: string): string {
  return genesis
    .replace('"lowerboundbasefee": 0', '"lowerboundbasefee": 25000000000')
    .replace('"upperboundbasefee": 0', '"upperboundbasefee": 750000000000')
    .replace('"gastarget": 0', '"gastarget": 30000000')
    .replace('"maxblockgasusedforbasefee": 0', '"maxblockgasusedforbasefee": 60000000')
    .replace('"basefeedenominator": 0', '"basefeedenominator": 20');
}

/** Makes the networks of a file of runs anew, each compared by the genesis it wrote, if any. */
export async function judgeNetworks(path: string): Promise<Comparison> {
  const tally = new Tally();
  for (const run of readRuns(path)) {
    const genesis = run.files[GENESIS];
    if (genesis !== undefined) tally.same(run.name, (await again(run)).genesis, withBaseFee(genesis));
  }
  return tally.comparison;
}

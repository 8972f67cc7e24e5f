/** What the Go network maker wrote: recorded runs with every file. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** A run of the tool. */
export interface HomiRun {
  readonly name: string;
  readonly command: string;
  readonly exit: number;
  /** Texts by path. */
  readonly files: Readonly<Record<string, string>>;
}

const recorded = JSON.parse(
  gunzipSync(readFileSync(new URL("../vectors/homi/homi.json.gz", import.meta.url))).toString(),
) as { readonly runs: readonly HomiRun[] };

/** The run called `name`. */
export function homiRun(name: string): HomiRun {
  const run = recorded.runs.find((each) => each.name === name);
  if (run === undefined) throw new Error(`no run ${name}`);
  return run;
}

/**
 * Compares recorded RPC transcripts, by group and by method: `node scripts/transcripts.ts PATH...` prints a
 * page for each. `--group NAME` plays only that group; `--pending` writes what does not fit yet into the list that
 * the tests read.
 */
import { writeFileSync } from "node:fs";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { build } from "../test/support/build.js";
import { transcriptTable } from "../test/support/transcript/judge.ts";
import { PENDING, pendingOf, readPending } from "../test/support/transcript/pending.ts";
import { playTranscript } from "../test/support/transcript/play.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { group: { type: "string", multiple: true }, pending: { type: "boolean", default: false } },
});
build();
let pending = readPending();
for (const path of positionals) {
  const played = await playTranscript(path, { groups: values.group });
  console.log(transcriptTable(basename(path), played));
  pending = { ...pending, [basename(path)]: pendingOf(played.verdicts) };
}
if (values.pending) writeFileSync(PENDING, `${JSON.stringify(pending, undefined, 1)}\n`);

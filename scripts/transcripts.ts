/**
 * How far the recorded RPC transcripts fit, by group and by method: `node scripts/transcripts.ts PATH...` prints a
 * page for each. `--group NAME` plays only that group.
 */
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { transcriptTable } from "../test/support/transcript/judge.ts";
import { playTranscript } from "../test/support/transcript/play.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { group: { type: "string", multiple: true } },
});
for (const path of positionals) {
  console.log(transcriptTable(basename(path), await playTranscript(path, { groups: values.group })));
}

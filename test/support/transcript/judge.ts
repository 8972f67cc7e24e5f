/** A transcript as a vector: one comparison for each entry. */
import { type Comparison, Tally } from "../tally.ts";
import { type Played, playTranscript, type Verdict } from "./play.ts";

/** Plays the transcript; a chain that is not whole is one more failure. */
export async function transcriptFile(path: string): Promise<Comparison> {
  const { verdicts, chainFault } = await playTranscript(path);
  const tally = new Tally();
  if (chainFault !== undefined) tally.fail(`the chain was not imported: ${chainFault}`);
  for (const { n, group, method, outcome, line } of verdicts) {
    if (outcome === "same") tally.pass();
    else tally.fail(`entry ${n} (${group}) ${method}: ${line}`);
  }
  return tally.comparison;
}

/** Number of equal entries of each group, and the methods that are missing or different, as a page. */
export function transcriptTable(title: string, { verdicts, chainFault }: Played): string {
  const chain = chainFault === undefined ? "" : `\nThe chain is not whole: ${chainFault}\n`;
  const groups = [...Map.groupBy(verdicts, ({ group }) => group)].map(([group, all]) => {
    return `| ${group} | ${all.length} | ${count(all, "same")} | ${count(all, "missing")} | ${count(all, "different")} |`;
  });
  const head = "| group | entries | same | no such method | different |\n|---|---|---|---|---|";
  return `## ${title}\n${chain}\n${head}\n${groups.join("\n")}\n\n${methodTable(verdicts)}`;
}

function methodTable(verdicts: readonly Verdict[]): string {
  const rows = [...Map.groupBy(verdicts, ({ method }) => method)]
    .filter(([, all]) => all.some(({ outcome }) => outcome !== "same"))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([method, all]) => {
      const first = all.find(({ outcome }) => outcome === "different");
      const example =
        first === undefined
          ? ""
          : `${first.group} ${first.n}: ${first.line}`.replaceAll("|", "\\|").replaceAll("\n", " ");
      return `| ${method} | ${count(all, "same")}/${all.length} | ${count(all, "missing") > 0 ? "missing" : ""} | ${example} |`;
    });
  return `| method | same | | first difference |\n|---|---|---|---|\n${rows.join("\n")}\n`;
}

function count(verdicts: readonly Verdict[], outcome: Verdict["outcome"]): number {
  return verdicts.filter((each) => each.outcome === outcome).length;
}

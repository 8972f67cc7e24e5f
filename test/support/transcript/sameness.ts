/**
 * Compares two answers byte for byte, except values of one run of one node (ports, directories, the client's name,
 * times in file names, random ids). Both texts are put into the words of the recording.
 */
import type { TranscriptNode } from "./transcript-node.ts";

/** Ids that were random when they were recorded, and what they are in this run. */
export type Ids = Map<string, string>;

type Ports = Pick<TranscriptNode, "datadir" | "httpPort" | "wsPort" | "spare" | "recorded">;

/** Members that version 2.2.2 added to the answers of 2.2.1, each with the value of a chain without FlexReward. */
const ADDED =
  /"kpf":0,|"kpfAddr":"0x0{40}",|"totalKPFRewards":0,|,"stakingRewardThreshold":5000000|"reward\.stakingrewardthreshold":"5000000",|"reward\.useflexreward":false,|"StakingRewardThreshold":5000000,"UseFlexReward":false,/g;

/** The ports of the recorded node, where words stand for them and where none does. */
const RECORDED = { ws: 8801, spare: [8890, 8891] } as const;
/** The recorder's words also stand in the middle of hex digits, where the digits of a port were by chance. */
const BY_CHANCE = /(?<=[0-9a-f])PORT9([01])|PORT9([01])(?=[0-9a-f])/g;

/** The recorded text with the digits that were there by chance. */
export function repairText(recorded: string): string {
  return recorded.replace(BY_CHANCE, (_word, first?: string, second?: string) => {
    return String((first ?? second) === "0" ? RECORDED.spare[0] : RECORDED.spare[1]);
  });
}

/** A recorded request as this run sends it. */
export function asSent(request: string, ids: Ids, { datadir, httpPort, spare }: Ports): string {
  let text = repairText(request)
    .replaceAll("DATADIR", datadir)
    .replaceAll("HTTPPORT", String(httpPort))
    .replaceAll("PORT90", String(spare[0]))
    .replaceAll("PORT91", String(spare[1]));
  for (const [recorded, own] of ids) text = text.replaceAll(recorded, own);
  return text;
}

/** An answer of this run in the recording's words. */
export function asRecorded(answer: string, ids: Ids, node: Ports): string {
  const { datadir, httpPort, wsPort, spare, recorded: version } = node;
  let text = answer.replaceAll(datadir, "DATADIR");
  if (version === "kaia-2.2.1") text = text.replace(ADDED, "");
  const ports = { [httpPort]: "HTTPPORT", [wsPort]: RECORDED.ws, [spare[0]]: "PORT90", [spare[1]]: "PORT91" };
  for (const [port, word] of Object.entries(ports)) text = text.replaceAll(`:${port}"`, `:${word}"`);
  for (const [recorded, own] of ids) text = text.replaceAll(own, recorded);
  return text;
}

/** Values that differ from node to node and run to run, whatever was asked. */
const OWN: readonly (readonly [pattern: RegExp, word: string])[] = [
  [/"\w+\/knit-vector\/v[^"/]*\/[^"/]*\/go[^"]*"/g, '"CLIENT"'],
  [/UTC--[^-]+-\d\d-\d\dT[\d-]+(\.\d+)?Z--/g, "UTC--TIME--"],
  [/\[::\]:\d+/g, "[::]:PEERPORT"],
  [/"listener":\d+/g, '"listener":PEERPORT'],
  [/"discovery":\d+/g, '"discovery":PEERPORT'],
  [/\?discport=\d+/g, "?discport=PEERPORT"],
  [/DATADIR\/(klay|knit)\//g, "DATADIR/INSTANCE/"],
  [/\(\*types\.Block\)\(0x[0-9a-f]+\)/g, "(*types.Block)(POINTER)"],
];

/** A text without what belongs to one node. */
export function comparable(text: string): string {
  return OWN.reduce((result, [pattern, word]) => result.replace(pattern, word), text);
}

const ID = /"result":"(0x[0-9a-f]{20,32})"/;

/** Takes note of the random id that both answers give; whether both give one. */
export function learnId(recorded: string, own: string, ids: Ids): boolean {
  const [then, now] = [ID.exec(recorded)?.[1], ID.exec(own)?.[1]];
  if (then === undefined || now === undefined) return then === now && recorded === own;
  ids.set(then, now);
  return recorded.replace(then, "") === own.replace(now, "");
}

/** The members of a JSON list in an answer, in an order of their own. */
export function sortMembers(answer: string): string {
  const json = JSON.parse(answer) as { result?: unknown };
  if (!Array.isArray(json.result)) return answer;
  const members = json.result.map((member) => JSON.stringify(member)).sort();
  return JSON.stringify({ ...json, result: members });
}

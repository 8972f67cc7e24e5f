/**
 * Plays a transcript against a node that it starts: each entry is sent as it was recorded and the answer compared.
 * The state of the node goes on from entry to entry, so all of them are played even when only some are asked for.
 */

import { exclusions } from "./exclusions.ts";
import { asRecorded, asSent, comparable, type Ids, learnId, repairText, sortMembers } from "./sameness.ts";
import { type Entry, methodOf, readTranscript, requestOf } from "./transcript.ts";
import { chainFolderOf, OWN_IMPORTS, startTranscriptNode, type TranscriptNode } from "./transcript-node.ts";
import { type HttpAnswer, type HttpWire, openHttpWire, overIpc } from "./wires.ts";
import { playScript } from "./ws-script.ts";

/** Result of one entry. */
export interface Verdict {
  readonly n: number;
  readonly group: string;
  readonly method: string;
  readonly outcome: "same" | "missing" | "different";
  /** Difference in one line; empty when there is none. */
  readonly line: string;
}

/** Result of all entries. */
export interface Played {
  readonly verdicts: readonly Verdict[];
  /** Fault of the chain, if it is not whole. */
  readonly chainFault: string | undefined;
}

/** Options of a replay. */
export interface PlayOptions {
  /** Groups to play, in their order; all when not given. What a later one needs of an earlier one is missed. */
  readonly groups?: readonly string[] | undefined;
}

/** Plays one; a node that does not start is an error. */
export async function playTranscript(path: string, { groups }: PlayOptions = {}): Promise<Played> {
  const transcript = readTranscript(path);
  const importsOwn = transcript.entries.some(
    ({ group }) => group === OWN_IMPORTS.group && (groups === undefined || groups.includes(group)),
  );
  const left = importsOwn ? OWN_IMPORTS.blocks : 0;
  const folder = chainFolderOf(path, transcript.chain);
  await using node = await startTranscriptNode(transcript, { folder, left });
  return { verdicts: await playEntries(transcript.entries, node, groups), chainFault: node.missing };
}

/** Plays entries against a running node; those of all groups when none are given. */
export async function playEntries(
  entries: readonly Entry[],
  node: TranscriptNode,
  groups?: readonly string[],
): Promise<readonly Verdict[]> {
  using http = openHttpWire(node.httpPort);
  const player: Player = { node, http, ids: new Map() };
  const verdicts: Verdict[] = [];
  for (const entry of entries) {
    if (groups === undefined || groups.includes(entry.group)) verdicts.push(await verdictOn(entry, player));
  }
  return verdicts;
}

/** State that entries share. */
export interface Player {
  readonly node: TranscriptNode;
  readonly http: HttpWire;
  readonly ids: Ids;
}

async function verdictOn(entry: Entry, player: Player): Promise<Verdict> {
  const { n, group } = entry;
  const method = methodOf(entry);
  try {
    const difference = await differenceOf(entry, player);
    if (difference === undefined) return { n, group, method, outcome: "same", line: "" };
    const isMissing =
      difference.includes("does not exist/is not available") &&
      !(entry.response ?? "").includes("does not exist/is");
    return { n, group, method, outcome: isMissing ? "missing" : "different", line: difference };
  } catch (error) {
    return { n, group, method, outcome: "different", line: `no answer: ${String(error)}` };
  }
}

function differenceOf(entry: Entry, player: Player): Promise<string | undefined> {
  if (entry.via === "ws") return playScript(entry, player);
  return entry.via === "ipc" ? ipcDifference(entry, player) : httpDifference(entry, player);
}

async function httpDifference(entry: Entry, { node, http, ids }: Player): Promise<string | undefined> {
  const request = requestOf(entry);
  const answer = await http.send(entry, asSent(request, ids, node));
  const own = asRecorded(answer.body, ids, node);
  const excluded = exclusions.find((row) => row.request === request);
  if (excluded !== undefined) return compareTexts(excluded.response, own);
  if (answer.status !== entry.status) return firstDifference(String(entry.status), `${answer.status} ${own}`);
  return headerDifference(entry, answer) ?? bodyDifference(entry, own, ids);
}

const COMPARED_HEADERS = ["Content-Type", "X-Content-Type-Options", "Content-Length", "Connection"];

function headerDifference({ headers, response }: Entry, answer: HttpAnswer): string | undefined {
  if (headers === undefined) return undefined;
  for (const name of COMPARED_HEADERS) {
    const own = answer.headers[name.toLowerCase()];
    const isOwn = name === "Connection" && own === "keep-alive"; // said or not, it is the rule
    const isNothing = name === "Content-Type" && response === ""; // a type of no body says nothing
    if (!isOwn && !isNothing && own !== headers[name] && !(name === "Content-Length" && own === undefined)) {
      return `header ${name}: ${firstDifference(String(headers[name]), String(own))}`;
    }
  }
  return undefined;
}

async function ipcDifference(entry: Entry, { node, ids }: Player): Promise<string | undefined> {
  const { response = "", connection } = entry;
  const isSilent = connection !== undefined;
  const sent = asSent(requestOf(entry), ids, node);
  const received = await overIpc(node.ipc, sent, isSilent ? 1 : shortest(response), isSilent ? 300 : 15_000);
  return bodyDifference(entry, asRecorded(received, ids, node), ids);
}

/** Answers may be shorter here by what differs from node to node; two lines are waited for, if there were two. */
function shortest(response: string): number {
  return response.trim().includes("\n") ? response.length : 1;
}

function bodyDifference(entry: Entry, own: string, ids: Ids): string | undefined {
  const { varies } = entry;
  const response = repairText(entry.response ?? "");
  if (varies === "result is a random id")
    return learnId(response, own, ids) ? undefined : firstDifference(response, own);
  if (varies === "order") return compareTexts(sortMembers(response), sortMembers(own));
  if (response.trim().includes("\n")) return compareTexts(lines(response), lines(own)); // answers overtake each other
  return compareTexts(response, own);
}

function lines(text: string): string {
  return text.split("\n").sort().join("\n");
}

function compareTexts(recorded: string, own: string): string | undefined {
  const [then, now] = [comparable(recorded), comparable(own)];
  return then === now ? undefined : firstDifference(then, now);
}

const SHOWN = 300;

/** Both texts from shortly before where they part. */
export function firstDifference(recorded: string, own: string): string {
  let at = 0;
  while (at < recorded.length && recorded[at] === own[at]) at++;
  const from = Math.max(0, at - 60);
  const part = (text: string): string => JSON.stringify(text.slice(from, from + SHOWN));
  return `at ${at}: expected ${part(recorded)}, found ${part(own)}`;
}

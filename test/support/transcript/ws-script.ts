/** A recorded WebSocket connection played again. */

import type { Player } from "./play.ts";
import { asRecorded, asSent, comparable, type Ids } from "./sameness.ts";
import type { Entry, ScriptStep } from "./transcript.ts";
import { openWsWire, overIpc, type WsWire } from "./wires.ts";

/** Returns the difference; undefined when there is none. */
export async function playScript(entry: Entry, player: Player): Promise<string | undefined> {
  const { node } = player;
  const limit = /admin_setMaxSubscriptionPerWSConn\((\d+)\)/.exec(entry.note ?? "")?.[1];
  if (limit !== undefined) await admin(player, "admin_setMaxSubscriptionPerWSConn", Number(limit));
  using wire = await openWsWire(`ws://127.0.0.1:${node.wsPort}`);
  if (entry.script === undefined) wire.send(`"${"x".repeat(600 * 1024)}"`);
  const difference = await playSteps(entry.script ?? [], wire, player);
  if (difference !== undefined || entry.closed === undefined) return difference;
  const code = await wire.closed();
  return code === entry.closed.code || isAbnormal(code, entry.closed.code)
    ? undefined
    : `expected close code ${entry.closed.code}, found ${code}`;
}

/** The recorded node closes without a word after a parse error; a close frame without a code says no more. */
function isAbnormal(own: number, recorded: number): boolean {
  return recorded === 1006 && own === 1005;
}

/** A step of the script, and the messages that come before the next one. */
interface Turn {
  readonly cause: ScriptStep;
  readonly expected: string[];
}

function turnsOf(steps: readonly ScriptStep[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const step of steps) {
    if (step.dir === "recv") turns.at(-1)?.expected.push(step.text);
    else if (step.dir !== "note") turns.push({ cause: step, expected: [] });
  }
  return turns;
}

async function playSteps(
  steps: readonly ScriptStep[],
  wire: WsWire,
  player: Player,
): Promise<string | undefined> {
  const blocks = player.node.lastBlocks.values();
  let first: string | undefined;
  for (const { cause, expected } of turnsOf(steps)) {
    if (cause.dir === "event") await admin(player, "admin_importChainFromString", blocks.next().value);
    else if (first === undefined) wire.send(asSent(cause.text, player.ids, player.node));
    if (first !== undefined) continue; // only the blocks still matter: all other entries stand on them
    const difference = await receive(expected, wire, player);
    if (difference !== undefined) first = `${cause.text.slice(0, 120)}: ${difference}`;
  }
  return first;
}

/** Answers and notifications of one step; those of different subscriptions may overtake each other. */
async function receive(
  expected: readonly string[],
  wire: WsWire,
  { ids, node }: Player,
): Promise<string | undefined> {
  const left = [...expected];
  while (left.length > 0) {
    const message = await wire.next();
    if (message === undefined) return `expected ${left.length} more, ${left[0]?.slice(0, 200)}`;
    const at = left.findIndex((each) => isSame(each, message, ids, node));
    if (at < 0)
      return `expected one of ${JSON.stringify(left.map((each) => each.slice(0, 300)))}, found ${message.slice(0, 600)}`;
    left.splice(at, 1);
  }
  return undefined;
}

const IDS = /"(?:result|subscription)":"(0x[0-9a-f]{20,32})"/g;

function isSame(recorded: string, own: string, ids: Ids, node: Player["node"]): boolean {
  if (comparable(recorded) === comparable(asRecorded(own, ids, node))) return true;
  const then = [...recorded.matchAll(IDS)].map(([, id]) => id ?? "");
  const now = [...own.matchAll(IDS)].map(([, id]) => id ?? "");
  if (then.length === 0 || then.length !== now.length || then.some((id) => ids.has(id))) return false;
  if (comparable(blank(recorded, then)) !== comparable(blank(own, now))) return false;
  for (const [index, id] of then.entries()) ids.set(id, now[index] ?? "");
  return true;
}

async function admin({ node }: Player, method: string, parameter: unknown): Promise<void> {
  const request = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [parameter] });
  const answer = JSON.parse(await overIpc(node.ipc, request, 1, 15_000)) as { error?: { message: string } };
  if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`);
}

function blank(text: string, ids: readonly string[]): string {
  return ids.reduce((rest, id) => rest.replace(id, "ID"), text);
}

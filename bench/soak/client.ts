/** Calls to the node under test, which may go away at any time. */
import type { Subject } from "./subject.ts";
import { Down, type Tally } from "./tally.ts";

/** Codes of refusals that may be tried again: a busy or small node may give them at any time. */
const LATER = new Set([-32003, -32005]);
/** Texts of refusals for want of time or room, with the general code. */
const LATER_TEXT =
  /timeout|too many requests|known transaction|txpool is full|already started|triggered already|missing trie node|state.*(unavailable|not available)/i;

/** Client of every kind of work. */
export interface Client {
  readonly subject: Subject;
  readonly tally: Tally;
}

interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** One call; `undefined` when it was refused. Throws `Down`, and counts errors that must not happen. */
export async function call<T>(
  client: Client,
  work: string,
  method: string,
  ...params: unknown[]
): Promise<T | undefined> {
  const [result] = await callMany<T>(client, work, [[method, params]]);
  return result;
}

/** Calls in one batch. */
export async function callMany<T>(
  client: Client,
  work: string,
  calls: readonly (readonly [method: string, params: readonly unknown[]])[],
): Promise<readonly (T | undefined)[]> {
  const { subject, tally } = client;
  const messages = calls.map(([method, params], id) => ({ jsonrpc: "2.0", id, method, params }));
  const replies = await post(subject, JSON.stringify(messages.length === 1 ? messages[0] : messages));
  const byId = new Map([replies].flat().map((reply) => [reply.id, reply]));
  return calls.map(([method], id) => {
    const { result, error } = byId.get(id) ?? {};
    if (error === undefined) tally.done(work);
    else if (LATER.has(error.code) || LATER_TEXT.test(error.message))
      tally.refuse(work, `${error.code} ${error.message}`);
    else tally.fail(work, `${method}: ${error.code} ${error.message}`);
    return result as T | undefined;
  });
}

async function post(subject: Subject, body: string): Promise<Reply | readonly Reply[]> {
  if (!subject.isUp) throw new Down();
  const { generation } = subject;
  try {
    const headers = { "content-type": "application/json" };
    const response = await fetch(subject.http, { method: "POST", headers, body });
    return (await response.json()) as Reply | readonly Reply[];
  } catch (error) {
    if (subject.generation !== generation) throw new Down();
    throw error;
  }
}

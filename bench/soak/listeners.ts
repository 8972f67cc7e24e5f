/** Clients that subscribe over WebSocket: every head must come once, in order, for as long as the connection lives. */
import { setTimeout } from "node:timers/promises";
import { WebSocket } from "ws";
import type { Client } from "./client.ts";

const WORK = "notifications";
const TOPICS: readonly (readonly unknown[])[] = [["newHeads"], ["logs", {}], ["newPendingTransactions"]];
const RECONNECT_MS = 500;

interface Message {
  readonly params?: { readonly result: { readonly number?: string } | string };
  readonly error?: { readonly code: number; readonly message: string };
}

/** Listens, and connects again when the node comes back, until the signal. */
export async function listen(client: Client, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if (client.subject.isUp) await connection(client, signal);
    await setTimeout(RECONNECT_MS, undefined, { signal }).catch(() => undefined);
  }
}

function connection({ subject, tally }: Client, signal: AbortSignal): Promise<void> {
  const socket = new WebSocket(subject.ws);
  const { generation } = subject;
  const end = (): void => socket.terminate();
  signal.addEventListener("abort", end, { once: true });
  let newest: number | undefined;
  socket.on("open", () => {
    for (const [id, params] of TOPICS.entries()) {
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, method: "eth_subscribe", params }));
    }
  });
  socket.on("message", (text: Buffer) => {
    const { params, error } = JSON.parse(text.toString()) as Message;
    if (error !== undefined) tally.fail(WORK, `${error.code} ${error.message}`);
    if (params === undefined) return;
    tally.done(WORK);
    const number = headNumber(params.result);
    if (number === undefined) return;
    if (newest !== undefined && number !== newest + 1) tally.fail(WORK, "a head was left out or told twice");
    newest = number;
  });
  socket.on("error", () => undefined); // close follows
  return new Promise((resolve) => {
    socket.on("close", () => {
      signal.removeEventListener("abort", end);
      if (subject.generation === generation && !signal.aborted)
        tally.fail(WORK, "the node closed a connection");
      resolve();
    });
  });
}

/** Of a head, which alone has a parent and a number. */
function headNumber(result: { readonly number?: string } | string): number | undefined {
  if (typeof result === "string" || !("parentHash" in result)) return undefined;
  return Number(result.number);
}

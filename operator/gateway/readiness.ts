/** Reasons for which the node is not ready for clients, read from its `/readyz`. */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { readReasons } from "../control/answers.ts";

/** Loaded without `import`, which evaluates every export of the module, including a fetch client of 4 MiB. */
const { get } = process.getBuiltinModule("node:http");

/** Time limit of the request in milliseconds. */
const LIMIT_MS = 1_000;
const MAX_BYTES = 4_096;

/** Reads the reasons. Rejects when the node does not respond in time, or the response is invalid. */
export async function readinessReasons(url: string): Promise<readonly string[]> {
  const request = get(url, { signal: AbortSignal.timeout(LIMIT_MS), agent: false });
  const [response] = (await once(request, "response")) as [IncomingMessage]; // the event has this argument
  let text = "";
  for await (const chunk of response) {
    text += String(chunk);
    if (text.length > MAX_BYTES) throw new Error("the response is too long");
  }
  const { reasons } = JSON.parse(text) as { reasons?: unknown };
  return readReasons(reasons);
}

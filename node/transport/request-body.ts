/**
 * Bodies of requests on the full HTTP server. The memory of a body does not depend on its chunks: the bytes
 * go into one buffer, and the objects of the request are counted.
 */
import type { IncomingMessage } from "node:http";
import type { Holder, MemoryBudget } from "../jsonrpc/memory-budget.ts";
import { GrowingBuffer } from "./fast/growing-buffer.ts";
import type { HttpLimits } from "./http-limits.ts";
import { clientOf } from "./places.ts";

/** Limits and budget for reading a body. */
export interface BodyOptions {
  readonly limits: Pick<HttpLimits, "maxBody">;
  /** Budget of partial requests of all connections. */
  readonly halves: MemoryBudget;
}

/** Bytes of the objects of a request and its response. */
export const REQUEST_COST = 4096;
/** Bytes of one raw header besides its characters. */
const HEADER_COST = 48;

/** Returns the body, cut at the limit; undefined when the peer left early or the budget is full. */
export function readBody(
  request: IncomingMessage,
  { limits, halves }: BodyOptions,
): Promise<string | undefined> {
  const { maxBody } = limits;
  const body = new GrowingBuffer(maxBody);
  const headCost = costOfHead(request);
  return new Promise((resolve) => {
    let isOver = false;
    const holder: Holder = { owner: clientOf(request.socket), onDrop: () => finish(false) };
    const finish = (isUsable: boolean): void => {
      if (isOver) return;
      isOver = true;
      request.off("data", take);
      request.resume(); // what comes behind the limit is thrown away
      halves.hold(holder, 0);
      const bytes = body.take();
      resolve(isUsable ? bytes.toString("utf8") : undefined);
    };
    const take = (piece: Buffer): void => {
      body.append(piece.subarray(0, maxBody - body.length));
      halves.hold(holder, headCost + body.memory);
      if (body.length >= maxBody) finish(true);
    };
    request.on("data", take);
    request.once("end", () => finish(true));
    request.once("close", () => finish(false));
    halves.hold(holder, headCost);
  });
}

function costOfHead({ rawHeaders }: IncomingMessage): number {
  const characters = rawHeaders.reduce((sum, { length }) => sum + length, 0);
  return REQUEST_COST + characters + rawHeaders.length * HEADER_COST;
}

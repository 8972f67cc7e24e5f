/**
 * Bodies of requests on the full HTTP server. What a body costs does not depend on its chunks: the bytes go into one
 * buffer, and the request's own objects are counted.
 */
import type { IncomingMessage } from "node:http";
import type { Holder, MemoryBudget } from "../jsonrpc/memory-budget.ts";
import { GrowingBuffer } from "./fast/growing-buffer.ts";
import type { HttpLimits } from "./http-limits.ts";

/** What reading needs of the server. */
export interface BodyOptions {
  readonly limits: Pick<HttpLimits, "maxBody">;
  /** Half requests of all connections. */
  readonly halves: MemoryBudget;
}

/** Bytes of a request and its response as objects, and of one raw header besides its characters. */
const REQUEST_COST = 4096;
const HEADER_COST = 48;

/** The body, cut at the limit; undefined when the peer left before it was all there, or bodies have filled the budget. */
export function readBody(
  request: IncomingMessage,
  { limits, halves }: BodyOptions,
): Promise<string | undefined> {
  const { maxBody } = limits;
  const body = new GrowingBuffer(maxBody);
  const headCost = costOfHead(request);
  return new Promise((resolve) => {
    let isOver = false;
    const holder: Holder = { dropped: () => finish(false) };
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

/** Reads envelopes of any length to their end. */
import { type Envelope, LongBatch, readEnvelope } from "../../node/jsonrpc/envelope.ts";

/** Same as `readEnvelope`, with a long batch read to its end. */
export function wholeEnvelope(text: string): Envelope | "empty" | undefined {
  const begun = readEnvelope(text);
  if (!(begun instanceof LongBatch)) return begun;
  for (;;) {
    const read = begun.readOn();
    if (read !== "unfinished") return read;
  }
}

/** Parser of a watch: a stream of JSON lines, whose chunks may end within a line or a character. */
import { KubeError } from "./error.ts";

const NEWLINE = 0x0a;

/**
 * Yields the parsed lines of a stream without empty ones. Throws `KubeError` `bad-answer` for invalid JSON,
 * `too-large` for a line above the limit, and `unreachable` when the stream ends within a line.
 */
export async function* jsonLines(chunks: AsyncIterable<Buffer>, mostBytes: number): AsyncGenerator {
  let held: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      held.push(chunk.subarray(from, end));
      const line = Buffer.concat(held).toString("utf8").trim();
      from = end + 1;
      held = [];
      size = 0;
      if (line !== "") yield parseJson(line);
    }
    held.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > mostBytes) throw new KubeError("too-large", `the event is longer than ${mostBytes} bytes`);
  }
  if (size > 0) throw new KubeError("unreachable", "the watch ended within an event");
}

/** Parses JSON. Throws `KubeError` `bad-answer`. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new KubeError("bad-answer", "the response is not JSON", { cause });
  }
}

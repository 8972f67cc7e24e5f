/** One call over a node's IPC socket: a line of JSON there, a line of JSON back. */
import { connect } from "node:net";
import { type ControlCall, MOST_ANSWER_BYTES } from "../control/methods.ts";

/** Why the node could not be asked. */
export class IpcError extends Error {
  override readonly name = "IpcError";
  readonly code = "no-answer";
}

const DEADLINE_MS = 10_000;
const NEWLINE = 0x0a;

/** The node's answer as it came, one JSON text. Rejects with `IpcError`. */
export function callNode(socketPath: string, { method, params }: ControlCall): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const socket = connect({ path: socketPath });
    const end = (settle: () => void): void => {
      clearTimeout(deadline);
      socket.destroy();
      settle();
    };
    const fail = (why: string, cause?: unknown): void =>
      end(() => reject(new IpcError(`the node does not answer: ${why}`, { cause })));
    const deadline = setTimeout(() => fail("it takes too long"), DEADLINE_MS);
    socket.on("error", (error) => fail(error.message, error));
    socket.on("close", () => fail("it closed the connection"));
    socket.on("connect", () =>
      socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })}\n`),
    );
    socket.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > MOST_ANSWER_BYTES) return fail("its answer is too large");
      chunks.push(chunk);
      if (!chunk.includes(NEWLINE)) return undefined;
      const text = Buffer.concat(chunks).toString("utf8");
      return end(() => resolve(text.slice(0, text.indexOf("\n"))));
    });
  });
}

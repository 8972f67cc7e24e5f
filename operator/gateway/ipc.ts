/** One call over a node's IPC socket: a line of JSON each way. The response is validated. */
import { connect } from "node:net";
import { type ControlCall, type ControlRow, controlMethods } from "../control/methods.ts";
import type { ReportedHop } from "../control/refusal.ts";

/** Error of a node that accepts no connection, does not respond, or responds with invalid JSON. */
export class IpcError extends Error {
  override readonly name = "IpcError";
  readonly code: ReportedHop;

  constructor(code: ReportedHop, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Response of a node as JSON text, and whether it is an error. */
export interface NodeAnswer {
  readonly text: string;
  readonly isError: boolean;
}

const NEWLINE = 0x0a;

/** Calls the node. Rejects with `IpcError`. */
export function callNode(socketPath: string, call: ControlCall, deadlineMs: number): Promise<NodeAnswer> {
  const { answerBytes, alias = call.method }: ControlRow = controlMethods[call.method];
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const socket = connect({ path: socketPath });
    const end = (settle: () => void): void => {
      clearTimeout(deadline);
      socket.destroy();
      settle();
    };
    const fail = (code: ReportedHop, why: string, cause?: unknown): void =>
      end(() => reject(new IpcError(code, `the node gave no valid response: ${why}`, { cause })));
    const deadline = setTimeout(() => fail("silent", "the deadline has passed"), deadlineMs);
    socket.on("error", (error) => fail("socket", error.message, error));
    socket.on("close", () => fail("socket", "the connection was closed"));
    socket.on("connect", () => {
      const { params } = call;
      socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: alias, params })}\n`);
    });
    socket.on("data", (chunk: Buffer) => {
      size += chunk.length;
      const last = chunk.indexOf(NEWLINE);
      if (size > answerBytes) return fail("bad-answer", `the response is longer than ${answerBytes} bytes`);
      chunks.push(last < 0 ? chunk : chunk.subarray(0, last));
      if (last < 0) return undefined;
      const answer = parseAnswer(Buffer.concat(chunks));
      return answer === undefined
        ? fail("bad-answer", "the response is not JSON-RPC")
        : end(() => resolve(answer));
    });
  });
}

/** Parses a line of a node; undefined when it is no response to the request. */
export function parseAnswer(bytes: Uint8Array): NodeAnswer | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const answer: unknown = JSON.parse(text);
    if (typeof answer !== "object" || answer === null) return undefined;
    const { id, result, error } = answer as { id?: unknown; result?: unknown; error?: unknown };
    const isError = error !== undefined && error !== null;
    return id === 1 && (isError || result !== undefined) ? { text, isError } : undefined;
  } catch {
    return undefined;
  }
}

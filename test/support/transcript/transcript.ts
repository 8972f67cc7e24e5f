/** A transcript: what clients asked a Go node over HTTP, WebSocket and IPC, and its answers byte for byte. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** The file. */
export interface Transcript {
  /** The recorded chain that the node held; its folder stands beside the transcripts'. */
  readonly chain: string;
  /** Such as `kaia-2.2.1`. */
  readonly node: string;
  readonly networkId: number;
  readonly nodeKey: string;
  readonly entries: readonly Entry[];
}

/** One exchange. */
export interface Entry {
  readonly n: number;
  readonly group: string;
  readonly via: "http" | "ipc" | "ws";
  readonly request?: string;
  /** Set where the request is too long to be kept. */
  readonly requestNote?: string;
  readonly http?: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly response?: string;
  /** Reason of a missing answer. */
  readonly connection?: string;
  /** Parts that cannot be compared literally. */
  readonly varies?: string;
  readonly note?: string;
  /** A WebSocket connection from beginning to end. */
  readonly script?: readonly ScriptStep[];
  readonly closed?: { readonly code: number };
}

/** A step of a WebSocket connection. */
export interface ScriptStep {
  readonly dir: "send" | "recv" | "event" | "note";
  readonly text: string;
}

/** Reads a packed or plain file. */
export function readTranscript(path: string): Transcript {
  const bytes = readFileSync(path);
  return JSON.parse((path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString()) as Transcript;
}

/** The method that an entry is about; entries that are about none share a word. */
export function methodOf({ request = "", via, requestNote }: Entry): string {
  if (via === "ws") return "(connection)";
  if (requestNote !== undefined) return requestNote.split(" ")[0] ?? "";
  try {
    const json = JSON.parse(request) as { method?: unknown } | null;
    return typeof json?.method === "string" ? json.method : "(envelope)";
  } catch {
    return "(envelope)";
  }
}

/** A request that was not kept, made anew from its note: `web3_sha3 of 262000 zero bytes`. */
export function requestOf({ request, requestNote = "" }: Entry): string {
  if (request !== undefined) return request;
  const [, method = "", bytes = "0"] = /^(\w+) of (\d+) zero bytes$/.exec(requestNote) ?? [];
  const data = `0x${"00".repeat(Number(bytes))}`;
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [data] });
}

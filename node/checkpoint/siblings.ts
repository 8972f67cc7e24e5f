/** Checkpoints of siblings: nodes of one operator, whose gateways send them over TLS with certificates on both sides. */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { join } from "node:path";
import { messageOf } from "../bytes/message-of.ts";
import { readBoundedText } from "../runtime/bounded-file.ts";
import { CheckpointError } from "./error.ts";
import { type KeptTables, NO_TABLES } from "./kept-tables.ts";

/** A gateway. */
export interface Sibling {
  readonly host: string;
  readonly port: number;
  /** Name in its certificate. */
  readonly name: string;
}

/** Gateways to ask, in order, and the directory with the certificate of the one who asks. */
export interface Siblings {
  readonly siblings: readonly Sibling[];
  readonly credentials: string;
}

const MAX_BYTES = 64 * 1024;
const MAX_SIBLINGS = 32;
/** Time without a byte: the sibling reads all of its files before it sends the first. */
const IDLE_MS = 600_000;

/** Reads the file; one that is missing has none. Throws `CheckpointError` `no-target`. */
export async function readSiblings(path: string): Promise<Siblings> {
  const text = await readBoundedText(path, MAX_BYTES).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return '{"siblings":[],"credentials":""}';
    throw new CheckpointError("no-target", `cannot read ${path}: ${cause.message}`, { cause });
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new CheckpointError("no-target", `${path} is not JSON: ${messageOf(cause)}`, { cause });
  }
  const { siblings, credentials } = (value ?? {}) as { siblings?: unknown; credentials?: unknown };
  const isSound = Array.isArray(siblings) && siblings.length <= MAX_SIBLINGS && siblings.every(isSibling);
  if (!isSound || typeof credentials !== "string")
    throw new CheckpointError("no-target", `${path} is no list of siblings with credentials`);
  return { siblings, credentials };
}

function isSibling(value: unknown): value is Sibling {
  if (typeof value !== "object" || value === null) return false;
  const { host, port, name } = value as Readonly<Record<string, unknown>>;
  const areNames = [host, name].every((each) => typeof each === "string" && /^[-.:\w]{1,253}$/.test(each));
  return areNames && Number.isInteger(port) && Number(port) > 0 && Number(port) <= 65_535;
}

/** Status of a gateway that sends a checkpoint to another one. */
const BUSY_STATUS = 503;

/** A request of a checkpoint. */
export interface SiblingRequest {
  /** Directory with the certificate of the one who asks. */
  readonly credentials: string;
  /** Tables that need not be sent. */
  readonly kept: KeptTables;
  readonly signal: AbortSignal;
}

/**
 * Asks a sibling for its checkpoint as a tar stream, from which it may leave out tables that are kept: an earlier release
 * sends all. Throws `CheckpointError` `busy` or `failed`; the stream ends with `cut` where the connection does.
 */
export async function openSibling(
  sibling: Sibling,
  asked: SiblingRequest,
): Promise<AsyncIterable<Uint8Array>> {
  const { name, host } = sibling;
  try {
    const { kept } = asked;
    let response = await ask(sibling, asked, kept);
    const { statusCode = 0 } = response;
    if (kept.size > 0 && statusCode !== 200 && statusCode !== BUSY_STATUS) {
      response.destroy();
      response = await ask(sibling, asked, NO_TABLES);
    }
    if (response.statusCode === 200) return uncut(response, name);
    response.destroy();
    if (response.statusCode === BUSY_STATUS)
      throw new CheckpointError("busy", `${name} gives its checkpoint to another node`);
    throw new Error(`it answers ${response.statusCode}`);
  } catch (cause) {
    asked.signal.throwIfAborted();
    if (cause instanceof CheckpointError) throw cause;
    throw new CheckpointError("failed", `${name} at ${host} gives no checkpoint: ${messageOf(cause)}`, {
      cause,
    });
  }
}

async function ask(
  { host, port, name }: Sibling,
  { credentials, signal }: SiblingRequest,
  kept: KeptTables,
): Promise<IncomingMessage> {
  const [cert, key, ca] = await Promise.all(
    ["reader.crt", "reader.key", "ca.crt"].map((file) => readBoundedText(join(credentials, file), MAX_BYTES)),
  );
  const { bytes } = kept;
  const asked = request({
    host,
    port,
    servername: name,
    path: "/checkpoint",
    ...(bytes.length > 0 && { method: "POST", headers: { "content-length": bytes.length } }),
    cert,
    key,
    ca,
    minVersion: "TLSv1.3",
    timeout: IDLE_MS,
    signal,
    agent: false,
  });
  asked.on("timeout", () => asked.destroy(new Error(`nothing was sent for ${IDLE_MS / 60_000} minutes`)));
  asked.end(bytes);
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  return response;
}

async function* uncut(response: IncomingMessage, name: string): AsyncGenerator<Uint8Array> {
  try {
    yield* response;
  } catch (cause) {
    throw new CheckpointError("cut", `the stream of ${name} has ended: ${messageOf(cause)}`, { cause });
  }
}

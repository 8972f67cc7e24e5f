/** Checkpoints of siblings: nodes of one operator, whose gateways send them over TLS with certificates on both sides. */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { join } from "node:path";
import { messageOf } from "../bytes/message-of.ts";
import { readBoundedText } from "../runtime/bounded-file.ts";
import { CheckpointError } from "./error.ts";

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

/** Asks a sibling for its checkpoint as a tar stream. Throws `CheckpointError` `busy` or `failed`. */
export async function openSibling(
  { host, port, name }: Sibling,
  credentials: string,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  try {
    const [cert, key, ca] = await Promise.all(
      ["reader.crt", "reader.key", "ca.crt"].map((file) =>
        readBoundedText(join(credentials, file), MAX_BYTES),
      ),
    );
    const asked = request({
      host,
      port,
      servername: name,
      path: "/checkpoint",
      cert,
      key,
      ca,
      minVersion: "TLSv1.3",
      timeout: IDLE_MS,
      signal,
      agent: false,
    });
    asked.on("timeout", () => asked.destroy(new Error(`nothing was sent for ${IDLE_MS / 60_000} minutes`)));
    asked.end();
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    if (response.statusCode === 200) return response;
    response.destroy();
    if (response.statusCode === BUSY_STATUS)
      throw new CheckpointError("busy", `${name} gives its checkpoint to another node`);
    throw new Error(`it answers ${response.statusCode}`);
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof CheckpointError) throw cause;
    throw new CheckpointError("failed", `${name} at ${host} gives no checkpoint: ${messageOf(cause)}`, {
      cause,
    });
  }
}

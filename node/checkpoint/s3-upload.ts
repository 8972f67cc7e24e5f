/**
 * Uploads of large objects to an S3 store in parts, several at a time (multipart uploads, Amazon S3 API reference). An
 * upload that was interrupted stays open, and the next one of that object sends the parts that it lacks.
 */
import { createHash } from "node:crypto";
import { inParallel } from "../runtime/parallel.ts";
import { PARALLEL } from "./archive.ts";
import { CheckpointError } from "./error.ts";
import { sha256Of } from "./manifest.ts";
import { refusalCode, type S3Answer, type S3Send } from "./s3-client.ts";
import { plainText, xmlElement, xmlElements } from "./s3-xml.ts";

/**
 * Size of all parts but the last; S3 takes parts from 5 MiB on, and 10,000 of them, which is more than a file in memory
 * can have. An object that is not larger goes in one request.
 */
export const PART_BYTES: number = 8 * 1024 * 1024;

const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_LIST_BYTES = 4 * 1024 * 1024;
/** Pages of a list with 1,000 parts or uploads each: an upload has at most 10,000 parts. */
const MAX_PAGES = 10;
const MAX_UPLOADS = 1_000;
/** Maximum characters of an upload's id, and of the tag of a part. */
const MAX_ID = 1024;

/** An object that is written in parts. */
export interface LargeObject {
  /** Name in errors. */
  readonly name: string;
  readonly key: string;
  readonly bytes: Uint8Array;
}

/** Requests to the store, and the size of parts. */
export interface UploadDeps {
  readonly send: S3Send;
  /** Sends contents when the store takes more at a time. */
  readonly sendContent: S3Send;
  /** Resolves to true when the store lists the object with its size. */
  isStored(): Promise<boolean>;
  /** Size of all parts but the last. */
  readonly partBytes: number;
}

interface Part {
  readonly number: number;
  readonly bytes: Uint8Array;
}

/** An upload that the store holds open. */
interface OpenUpload {
  readonly key: string;
  readonly id: string;
  /** Milliseconds since the epoch; 0 when the store does not say it. */
  readonly begunAt: number;
}

/** An upload to go on with, and the tags of the parts that it has. */
interface Begun {
  readonly id: string;
  readonly tags: ReadonlyMap<number, string>;
}

/**
 * Writes an object in parts; it appears when it is whole. Other uploads of its key are aborted then. Throws
 * `CheckpointError`, and aborts the upload when the store has refused it.
 */
export async function uploadInParts(
  deps: UploadDeps,
  object: LargeObject,
  signal: AbortSignal,
): Promise<void> {
  const parts = partsOf(object.bytes, deps.partBytes);
  const open = await openUploads(deps.send, object.key, signal).catch(unlessRefused([]));
  const own = open.filter(({ key }) => key === object.key).toSorted((a, b) => b.begunAt - a.begunAt);
  const newest = own[0];
  const begun =
    (newest && (await storedParts(deps.send, newest, signal).catch(unlessRefused(undefined)))) ??
    (await createUpload(deps.send, object, signal));
  try {
    const tags = await inParallel(parts, PARALLEL, async (part) => {
      signal.throwIfAborted();
      const tag = begun.tags.get(part.number);
      if (tag !== undefined && isTagOf(tag, part)) return tag;
      return sendPart(deps, object, { part, id: begun.id }, signal);
    });
    await completeUpload(deps, object, { id: begun.id, tags }, signal);
  } catch (error) {
    const code = refusalCode(error);
    // another process, or an answer that was lost, may have completed it
    const isDone = code === "NoSuchUpload" && (await deps.isStored());
    if (code !== undefined && !isDone) await abortUpload(deps.send, { ...object, id: begun.id }, signal);
    if (!isDone) throw error;
  }
  for (const { id } of own) if (id !== begun.id) await abortUpload(deps.send, { ...object, id }, signal);
}

/** Aborts the uploads of keys with a prefix that were begun before a time, in milliseconds since the epoch. */
export async function abortUploads(
  send: S3Send,
  { prefix, before }: { readonly prefix: string; readonly before: number },
  signal: AbortSignal,
): Promise<void> {
  for (const { key, id, begunAt } of await openUploads(send, prefix, signal).catch(unlessRefused([])))
    if (key.startsWith(prefix) && begunAt > 0 && begunAt < before)
      await abortUpload(send, { name: key, key, id }, signal);
}

/** Returns a handler that gives a value for an error with which the store has refused, and throws others. */
function unlessRefused<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (refusalCode(error) === undefined) throw error;
    return value;
  };
}

function partsOf(bytes: Uint8Array, size: number): readonly Part[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => ({
    number: i + 1,
    bytes: bytes.subarray(i * size, (i + 1) * size),
  }));
}

async function createUpload(send: S3Send, { name, key }: LargeObject, signal: AbortSignal): Promise<Begun> {
  const query = { uploads: "" };
  const answer = await send({ name, key, query, method: "POST", maxBytes: MAX_ANSWER_BYTES }, signal);
  const id = idOf(textOf(answer));
  if (id === undefined)
    throw new CheckpointError("failed", `${name}: the store begins an upload without an id`);
  return { id, tags: new Map() };
}

async function sendPart(
  { sendContent }: UploadDeps,
  { name, key }: LargeObject,
  { part: { number, bytes }, id }: { readonly part: Part; readonly id: string },
  signal: AbortSignal,
): Promise<string> {
  const content = { bytes, sha256: await sha256Of(bytes) };
  const query = { partNumber: String(number), uploadId: id };
  const { etag } = await sendContent(
    { name, key, query, method: "PUT", content, maxBytes: MAX_ANSWER_BYTES },
    signal,
  );
  if (etag === undefined || etag.length > MAX_ID)
    throw new CheckpointError("failed", `${name}: the store takes part ${number} without a tag`);
  return etag;
}

async function completeUpload(
  deps: UploadDeps,
  object: LargeObject,
  { id, tags }: { readonly id: string; readonly tags: readonly string[] },
  signal: AbortSignal,
): Promise<void> {
  const { name, key } = object;
  const rows = tags.map(
    (tag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${escapeText(tag)}</ETag></Part>`,
  );
  const bytes = Buffer.from(`<CompleteMultipartUpload>${rows.join("")}</CompleteMultipartUpload>`);
  const content = { bytes, sha256: await sha256Of(bytes) };
  const query = { uploadId: id };
  const answer = await deps.send(
    { name, key, query, method: "POST", content, maxBytes: MAX_ANSWER_BYTES },
    signal,
  );
  if (textOf(answer).includes("<CompleteMultipartUploadResult")) return;
  if (!(await deps.isStored()))
    throw new CheckpointError("failed", `${name}: the store does not say that the upload is complete`);
}

/** Aborts an upload; a store that refuses it keeps the parts until it deletes them by its own rules. */
async function abortUpload(
  send: S3Send,
  { name, key, id }: Omit<LargeObject, "bytes"> & { readonly id: string },
  signal: AbortSignal,
): Promise<void> {
  const query = { uploadId: id };
  await send({ name, key, query, method: "DELETE", maxBytes: MAX_ANSWER_BYTES }, signal).catch(
    (error: unknown) => {
      if (!(error instanceof CheckpointError)) throw error;
    },
  );
}

async function storedParts(send: S3Send, { key, id }: OpenUpload, signal: AbortSignal): Promise<Begun> {
  const tags = new Map<number, string>();
  await eachPage(
    (marker) =>
      send({ name: key, key, query: { uploadId: id, ...marker }, maxBytes: MAX_LIST_BYTES }, signal),
    (page) => {
      for (const row of xmlElements(page, "Part"))
        tags.set(Number(xmlElement(row, "PartNumber")), plainText(xmlElement(row, "ETag") ?? ""));
      return { "part-number-marker": xmlElement(page, "NextPartNumberMarker") };
    },
  );
  return { id, tags };
}

/**
 * True for the tag of a part with these bytes: it is their MD5, unless the store encrypts them with a key of its owner;
 * such parts are sent again.
 */
function isTagOf(tag: string, { bytes }: Part): boolean {
  return tag.replaceAll('"', "") === createHash("md5").update(bytes).digest("hex");
}

/** Lists the open uploads of keys with a prefix, at most `MAX_UPLOADS`. */
async function openUploads(
  send: S3Send,
  prefix: string,
  signal: AbortSignal,
): Promise<readonly OpenUpload[]> {
  const uploads: OpenUpload[] = [];
  await eachPage(
    (marker) =>
      send({ name: prefix, query: { uploads: "", prefix, ...marker }, maxBytes: MAX_LIST_BYTES }, signal),
    (page) => {
      for (const row of xmlElements(page, "Upload")) {
        const [key, id] = [xmlElement(row, "Key"), idOf(row)];
        if (key === undefined || id === undefined || uploads.length === MAX_UPLOADS) continue;
        const begunAt = Math.max(0, Date.parse(xmlElement(row, "Initiated") ?? "") || 0);
        uploads.push({ key: plainText(key), id, begunAt });
      }
      return {
        "key-marker": xmlElement(page, "NextKeyMarker"),
        "upload-id-marker": xmlElement(page, "NextUploadIdMarker"),
      };
    },
  );
  return uploads;
}

type Markers = Readonly<Record<string, string | undefined>>;

/** Reads the pages of a list; `read` returns the place of the next one. Throws `CheckpointError`. */
async function eachPage(
  ask: (markers: Readonly<Record<string, string>>) => Promise<S3Answer>,
  read: (page: string) => Markers,
): Promise<void> {
  let markers: Readonly<Record<string, string>> = {};
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = textOf(await ask(markers));
    const next = Object.entries(read(page)).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, plainText(text)] as const],
    );
    if (xmlElement(page, "IsTruncated") !== "true") return;
    markers = Object.fromEntries(next);
  }
  throw new CheckpointError("failed", "the list of uploads does not end");
}

function idOf(xml: string): string | undefined {
  const id = plainText(xmlElement(xml, "UploadId") ?? "");
  return id.length > 0 && id.length <= MAX_ID ? id : undefined;
}

function textOf({ bytes }: S3Answer): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

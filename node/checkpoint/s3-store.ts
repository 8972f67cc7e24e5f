/** An S3-compatible store: objects of a bucket below a prefix. Large ones are written in parts. */

import { createSlots } from "../runtime/parallel.ts";
import { type ArchiveStore, PARALLEL, type StoredName } from "./archive.ts";
import { CheckpointError } from "./error.ts";
import { type S3Options, type S3Send, s3Client } from "./s3-client.ts";
import { abortUploads, PART_BYTES, uploadInParts } from "./s3-upload.ts";
import { plainText, xmlElement, xmlElements } from "./s3-xml.ts";

/** Pages of a list with 1,000 names each. */
const MAX_PAGES = 10_000;
const MAX_LIST_BYTES = 8 * 1024 * 1024;
/** Limit of answers that say nothing. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** Maximum characters of the time of an object. */
const MAX_TIME = 40;

/** Creates a client of the store. Nothing is requested yet. */
export function s3Store(options: S3Options): ArchiveStore {
  const { prefix, partBytes = PART_BYTES } = options;
  const send = s3Client(options);
  const slots = createSlots(PARALLEL);
  const sendContent: S3Send = (request, signal) => slots(() => send(request, signal));
  const list: ArchiveStore["list"] = (begin, signal) =>
    listAll(async (token) => {
      const query = { "list-type": "2", prefix: prefix + begin, ...token };
      return (await send({ name: begin, query, maxBytes: MAX_LIST_BYTES }, signal)).bytes;
    }, prefix.length);
  return {
    prepare: async () => undefined,
    list,
    async read(name, maxBytes, signal) {
      return (await send({ name, key: prefix + name, maxBytes }, signal)).bytes;
    },
    async write(name, bytes, sha256, signal) {
      const object = { name, key: prefix + name };
      if (bytes.length > partBytes) {
        const isStored = async (): Promise<boolean> =>
          (await list(name, signal)).some((each) => each.name === name && each.size === bytes.length);
        return uploadInParts({ send, sendContent, isStored, partBytes }, { ...object, bytes }, signal);
      }
      const content = { bytes, sha256 };
      await sendContent({ ...object, method: "PUT", content, maxBytes: MAX_ANSWER_BYTES }, signal);
    },
    async remove(name, signal) {
      const object = { name, key: prefix + name };
      await send({ ...object, method: "DELETE", maxBytes: MAX_ANSWER_BYTES }, signal);
    },
    removeUnfinished: (begin, before, signal) =>
      abortUploads(send, { prefix: prefix + begin, before }, signal),
  };
}

/** Reads all pages of a list. `skipped` characters are cut off the front of each name. Throws `CheckpointError`. */
export async function listAll(
  page: (token: Readonly<Record<string, string>>) => Promise<Uint8Array>,
  skipped: number,
): Promise<readonly StoredName[]> {
  const names: StoredName[] = [];
  let token: Readonly<Record<string, string>> = {};
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const text = Buffer.from(await page(token)).toString("utf8");
    for (const item of xmlElements(text, "Contents")) names.push(storedName(item, skipped));
    const next = xmlElement(text, "NextContinuationToken");
    if (next === undefined && xmlElement(text, "IsTruncated") === "true") break;
    if (next === undefined) return names;
    token = { "continuation-token": plainText(next) };
  }
  throw new CheckpointError("failed", "the list of the store does not end");
}

function storedName(item: string, skipped: number): StoredName {
  const key = xmlElement(item, "Key");
  const digits = xmlElement(item, "Size") ?? "";
  const time = xmlElement(item, "LastModified") ?? "";
  if (key === undefined || !/^\d{1,15}$/.test(digits))
    throw new CheckpointError("failed", "the list of the store has an object without a key or a size");
  const writtenAt = time.length <= MAX_TIME ? Date.parse(time) : 0;
  return {
    name: plainText(key).slice(skipped),
    size: Number(digits),
    writtenAt: Math.max(0, writtenAt || 0),
  };
}

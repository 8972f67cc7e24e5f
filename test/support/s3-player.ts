/** An S3 store in this process: objects of one bucket in memory, with the faults that a test asks for. */
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A fault of the next answers to some requests. */
export interface S3Fault {
  readonly kind: "unavailable" | "cut" | "short" | "long";
  /** Answers that are faulty before the store is well again. */
  times: number;
  readonly method: "GET" | "PUT" | "POST";
}

/** An upload in parts that was not completed. */
export interface S3Upload {
  readonly key: string;
  readonly begunAt: Date;
  readonly parts: Map<number, Buffer>;
}

/** An answer in place of the store's own. */
export interface S3Reply {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A running store. */
export interface S3Player extends AsyncDisposable {
  readonly endpoint: string;
  readonly objects: Map<string, Buffer>;
  /** Open uploads by id. */
  readonly uploads: Map<string, S3Upload>;
  fault: S3Fault | undefined;
  /** Answers requests in place of the store; it answers those for which this returns undefined itself. */
  reply: ((method: string, url: URL) => S3Reply | undefined) | undefined;
  /** Resolves when the store may answer a request whose body it has read. */
  hold: ((method: string, url: URL) => Promise<void>) | undefined;
  /** Requests by method. */
  readonly requests: Record<string, number>;
}

export const S3_KEYS = { accessKeyId: "player", secretAccessKey: "secret of the player" };
const PAGE = 7;
/** Minimum size of all parts but the last in Amazon's store. */
const MIN_PART = 5 * 1024 * 1024;

/** Starts a store on a free port. `minPart` is the size that all parts but the last must have. */
export async function openS3Player(minPart: number = MIN_PART): Promise<S3Player> {
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, S3Upload>();
  const requests: Record<string, number> = {};
  const player: State = {
    objects,
    uploads,
    requests,
    minPart,
    fault: undefined,
    reply: undefined,
    hold: undefined,
  };
  const server = createServer((request, response) => {
    answer(player, request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return Object.assign(player, {
    endpoint: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  });
}

type State = Omit<S3Player, "endpoint" | typeof Symbol.asyncDispose> & { readonly minPart: number };

async function answer(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "", url = "" } = request;
  state.requests[method] = (state.requests[method] ?? 0) + 1;
  const body = await readBody(request);
  const fault = takeFault(state, method);
  if (fault === "unavailable") return refuse(response, 503, "SlowDown");
  if (!request.headers.authorization?.includes(`Credential=${S3_KEYS.accessKeyId}/`))
    return refuse(response, 403, "AccessDenied");
  const place = new URL(url, "http://s3");
  await state.hold?.(method, place);
  const reply = state.reply?.(method, place);
  if (reply !== undefined) return void response.writeHead(reply.status, reply.headers).end(reply.body);
  const key = decodeURIComponent(place.pathname).replace(/^\/bucket\/?/, "");
  const { searchParams: query } = place;
  const isUpload = query.has("uploads") || query.has("uploadId");
  const answerIt = isUpload ? answerUpload : answerObject;
  answerIt(state, { method, key, body, fault, query }, request, response);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

interface KeyRequest {
  readonly method: string;
  readonly key: string;
  readonly body: Buffer;
  readonly fault: S3Fault["kind"] | undefined;
  readonly query: URLSearchParams;
}

/** Answers a request about an object, or for the list of objects. */
function answerObject(
  state: State,
  { method, key, body, fault, query }: KeyRequest,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (method === "PUT") return put(state, { key, body, fault }, request, response);
  if (key === "") return list(state, query, response);
  if (method === "DELETE") {
    state.objects.delete(key);
    response.writeHead(204).end();
    return;
  }
  const found = state.objects.get(key);
  return found === undefined ? refuse(response, 404, "NoSuchKey") : give(found, fault, response);
}

/** Answers a request about uploads in parts. */
function answerUpload(
  state: State,
  { method, key, body, fault, query }: KeyRequest,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { uploads } = state;
  const id = query.get("uploadId");
  if (id === null && method === "GET") return listUploads(state, query, response);
  if (id === null) {
    const next = `upload&${randomUUID()}`;
    uploads.set(next, { key, begunAt: new Date(), parts: new Map() });
    return void response.end(
      `<InitiateMultipartUploadResult xmlns="x"><UploadId>${escapeText(next)}</UploadId></InitiateMultipartUploadResult>`,
    );
  }
  const upload = uploads.get(id);
  if (upload?.key !== key) return refuse(response, 404, "NoSuchUpload");
  if (method === "GET") return listParts(upload, query, response);
  if (method === "PUT") {
    const number = Number(query.get("partNumber"));
    return putPart(upload.parts, { number, body, fault }, request, response);
  }
  if (method === "POST") {
    const refusal = complete(state, { id, upload, text: body.toString() });
    if (refusal !== undefined) return refuse(response, 400, refusal);
    if (fault !== undefined) return void response.destroy(); // done, but the answer is lost
    return void response.end(`<CompleteMultipartUploadResult xmlns="x"></CompleteMultipartUploadResult>`);
  }
  uploads.delete(id);
  response.writeHead(204).end();
}

function putPart(
  parts: S3Upload["parts"],
  { number, body, fault }: Pick<KeyRequest, "body" | "fault"> & { readonly number: number },
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (fault !== undefined) return void response.destroy();
  if (!isWhole(body, request)) return refuse(response, 400, "XAmzContentSHA256Mismatch");
  parts.set(number, body);
  response.writeHead(200, { etag: tagOf(body) }).end();
}

/** Puts an object together; returns the code of a refusal. */
function complete(
  { objects, uploads, minPart }: State,
  { id, upload, text }: { readonly id: string; readonly upload: S3Upload; readonly text: string },
): string | undefined {
  const rows = [...text.matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>(.*?)<\/ETag>/g)];
  const parts = rows.map(([, number, tag]) => ({ tag, bytes: upload.parts.get(Number(number)) }));
  if (parts.some(({ tag, bytes }) => bytes === undefined || tagOf(bytes) !== tag)) return "InvalidPart";
  const whole = parts.map(({ bytes = Buffer.alloc(0) }) => bytes);
  if (whole.slice(0, -1).some(({ length }) => length < minPart)) return "EntityTooSmall";
  objects.set(upload.key, Buffer.concat(whole));
  uploads.delete(id);
  return undefined;
}

function listUploads({ uploads }: State, query: URLSearchParams, response: ServerResponse): void {
  const after = query.get("upload-id-marker") ?? "";
  const found = [...uploads]
    .filter(([id, { key }]) => key.startsWith(query.get("prefix") ?? "") && id > after)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const page = found.slice(0, PAGE);
  const rows = page.map(
    ([id, { key, begunAt }]) =>
      `<Upload><Key>${key}</Key><UploadId>${escapeText(id)}</UploadId><Initiated>${begunAt.toISOString()}</Initiated></Upload>`,
  );
  const [id, upload] = page.at(-1) ?? [];
  const next = `<NextKeyMarker>${upload?.key ?? ""}</NextKeyMarker><NextUploadIdMarker>${escapeText(id ?? "")}</NextUploadIdMarker>`;
  const truncated = `<IsTruncated>${found.length > PAGE}</IsTruncated>`;
  response.end(
    `<ListMultipartUploadsResult>${truncated}${next}${rows.join("")}</ListMultipartUploadsResult>`,
  );
}

function listParts({ parts }: S3Upload, query: URLSearchParams, response: ServerResponse): void {
  const after = Number(query.get("part-number-marker") ?? 0);
  const found = [...parts].filter(([number]) => number > after).toSorted(([a], [b]) => a - b);
  const page = found.slice(0, PAGE);
  const rows = page.map(
    ([number, bytes]) =>
      `<Part><PartNumber>${number}</PartNumber><ETag>${tagOf(bytes).replaceAll('"', "&quot;")}</ETag><Size>${bytes.length}</Size></Part>`,
  );
  const next = `<NextPartNumberMarker>${page.at(-1)?.[0] ?? 0}</NextPartNumberMarker>`;
  const truncated = `<IsTruncated>${found.length > PAGE}</IsTruncated>`;
  response.end(`<ListPartsResult>${truncated}${next}${rows.join("")}</ListPartsResult>`);
}

function tagOf(bytes: Buffer): string {
  return `"${createHash("md5").update(bytes).digest("hex")}"`;
}

function isWhole(body: Buffer, { headers }: IncomingMessage): boolean {
  const sum = createHash("sha256").update(body).digest("hex");
  return sum === headers["x-amz-content-sha256"] && headers["content-length"] === String(body.length);
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;");
}

/** Returns the fault of an answer to this method and counts it. */
function takeFault({ fault }: State, method: string): S3Fault["kind"] | undefined {
  if (fault === undefined || fault.method !== method || fault.times === 0) return undefined;
  fault.times--;
  return fault.kind;
}

function put(
  { objects }: State,
  { key, body, fault }: Pick<KeyRequest, "key" | "body" | "fault">,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (fault !== undefined) return void response.destroy();
  if (!isWhole(body, request)) return refuse(response, 400, "XAmzContentSHA256Mismatch");
  objects.set(key, body);
  response.end();
}

function give(found: Buffer, fault: S3Fault["kind"] | undefined, response: ServerResponse): void {
  if (fault === "cut") {
    response.writeHead(200, { "content-length": found.length });
    response.write(found.subarray(0, found.length >> 1), () => response.destroy());
  } else if (fault === "short") response.end(found.subarray(0, -1));
  else response.end(fault === "long" ? Buffer.concat([found, Buffer.from("x")]) : found);
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { "content-type": "application/xml" });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
}

function list({ objects }: State, query: URLSearchParams, response: ServerResponse): void {
  const prefix = query.get("prefix") ?? "";
  const after = query.get("continuation-token") ?? "";
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).toSorted();
  const page = keys.slice(0, PAGE);
  const rows = page.map(
    (key) =>
      `<Contents><Key>${key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><Size>${objects.get(key)?.length ?? 0}</Size></Contents>`,
  );
  const next =
    keys.length > PAGE ? `<NextContinuationToken>${page.at(-1) ?? ""}</NextContinuationToken>` : "";
  response.end(`<?xml version="1.0"?><ListBucketResult>${rows.join("")}${next}</ListBucketResult>`);
}

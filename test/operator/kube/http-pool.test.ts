/** Tests of the pool of connections to the API server: limit, ends of requests, silence, permission to send. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { type HttpPool, openHttpPool, type PoolRequest } from "../../../operator/kube/http-pool.ts";

let server: Server;
let pool: HttpPool;
let handle: RequestListener;
let sockets: Set<number | undefined>;

beforeEach(async () => {
  sockets = new Set();
  handle = (request, response) => void request.pipe(response);
  server = createServer((request, response) => {
    sockets.add(request.socket.remotePort);
    handle(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // listening on TCP
  pool = openHttpPool(`http://127.0.0.1:${port}`, { connections: 2, connectMs: 5_000 });
});

afterEach(() => {
  pool[Symbol.dispose]();
  server.closeAllConnections();
  server.close();
});

function send(more: Partial<PoolRequest> = {}): Promise<IncomingMessage> {
  return pool.send({
    method: "GET",
    path: "/",
    headers: {},
    body: undefined,
    tls: {},
    signal: new AbortController().signal,
    silenceMs: 60_000,
    beforeSend: () => undefined,
    ...more,
  });
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test.each(["POST", "PUT", "PATCH", "DELETE"])("a body of %s arrives with its length", async (method) => {
  let length: string | undefined;
  handle = (request, response) => {
    length = request.headers["content-length"];
    request.pipe(response);
  };
  expect(await textOf(await send({ method, body: "grüße" }))).toBe("grüße");
  expect(length).toBe("7");
});

test("connections are kept, and no more are opened than allowed", async () => {
  const all = await Promise.all(Array.from({ length: 10 }, async () => textOf(await send())));
  expect(all).toHaveLength(10);
  await textOf(await send());
  expect(sockets.size).toBeLessThanOrEqual(2);
});

test("a running, a queued and a streaming request end with the reason of their signal", async () => {
  handle = ({ url }, response) => {
    if (url === "/stream") response.write("part");
  };
  const controller = new AbortController();
  const { signal } = controller;
  const stream = await send({ path: "/stream", signal });
  const ends = [send({ signal }), send({ signal }), send({ signal }), textOf(stream)];
  const reason = new Error("over");
  controller.abort(reason);
  for (const end of ends) await expect(end).rejects.toBe(reason);
  await expect(send({ signal })).rejects.toBe(reason);
});

test("a request that may not be sent when its connection is free never reaches the server", async () => {
  let requests = 0;
  handle = (_request, response) => {
    requests++;
    response.end();
  };
  const refusal = new Error("not the leader");
  const beforeSend = (): never => {
    throw refusal;
  };
  await expect(send({ beforeSend })).rejects.toBe(refusal);
  await textOf(await send());
  await expect(send({ beforeSend })).rejects.toBe(refusal);
  await textOf(await send());
  expect(requests).toBe(2);
});

test("a response that stays silent is ended", async () => {
  handle = (_request, response) => void response.write("part");
  await expect(textOf(await send({ silenceMs: 50 }))).rejects.toThrow("silent for 50 ms");
});

test("a closed pool fails what runs and what comes", async () => {
  const reached = new Promise<void>((resolve) => {
    handle = () => resolve();
  });
  const running = send();
  await reached;
  const ends = Promise.allSettled([running, send(), send()]);
  pool[Symbol.dispose]();
  expect((await ends).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  await expect(send()).rejects.toThrow("closed");
});

test("a server that does not answer the connection is an error", async () => {
  server.close();
  server.closeAllConnections();
  await once(server, "close");
  await expect(send()).rejects.toThrow("ECONNREFUSED");
});

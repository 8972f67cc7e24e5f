/** Sessions that are resumed: by name, once, and without the memory that they were cut from. */
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, createServer, request } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { expect, test } from "@jest/globals";
import { createAuthority, issueGateway, issueOperator } from "../../../operator/control/authority.ts";
import { resumeSessions, Sessions } from "../../../operator/control/sessions.ts";

test("of too many the oldest goes; one that is renewed is new", () => {
  const sessions = new Sessions(2);
  for (const name of ["a", "b", "a", "c"]) sessions.keep(name, Buffer.of(1));
  expect(["a", "b", "c"].filter((name) => sessions.get(name) !== undefined)).toEqual(["a", "c"]);
});

test("what is kept is apart from the block that it was cut from", () => {
  const sessions = new Sessions();
  const block = Buffer.alloc(65_536, "\u0000\u007f\u0080\u00ff", "latin1");
  sessions.keep("a", block.subarray(0, 1_200));
  block.fill(7);
  expect(sessions.get("a")).toEqual(Buffer.alloc(1_200, "\u0000\u007f\u0080\u00ff", "latin1"));
});

test("connections to a name resume its session, to whichever address, until one fails", async () => {
  const now = Date.now();
  const authority = await createAuthority(now);
  const { certificate: cert, key } = await issueGateway(authority, "*.gateway.knit.dev", now);
  const ca = authority.certificate;
  const terms = { cert, key, ca, requestCert: true, minVersion: "TLSv1.3" } as const;
  const server = createServer(terms, (_asked, answer) => answer.end());
  await once(server.listen(0), "listening");
  const { port } = server.address() as AddressInfo; // it listens
  const operator = await issueOperator(authority, now);
  const agent = new Agent({ ca, cert: operator.certificate, key: operator.key, maxCachedSessions: 0 });
  resumeSessions(agent);
  const isResumed = async (name: string, host = "127.0.0.1"): Promise<boolean> => {
    const asked = request({ agent, host, port, servername: `${name}.gateway.knit.dev` }).end();
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    const socket = answer.socket as TLSSocket; // the agent speaks TLS alone
    await once(answer.resume(), "end");
    return socket.isSessionReused();
  };
  expect([await isResumed("one"), await isResumed("one", "127.0.0.2")]).toEqual([false, true]);
  expect([await isResumed("other"), await isResumed("one")]).toEqual([false, true]);
  server.once("connection", (socket: Socket) => socket.resetAndDestroy());
  await expect(isResumed("one")).rejects.toThrow();
  expect([await isResumed("one"), await isResumed("other")]).toEqual([false, true]);
  agent.destroy();
  server.close();
});

/** The gateway on real sockets: TLS on one side, a stand-in for the node's IPC socket on the other. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect as connectPlain, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  type Credentials,
  createAuthority,
  issueGateway,
  issueOperator,
} from "../../../operator/control/authority.ts";
import { type Channel, openChannel } from "../../../operator/control/channel.ts";
import type { ControlMethod } from "../../../operator/control/methods.ts";
import { type Gateway, openGateway } from "../../../operator/gateway/gateway.ts";
import { silentLog } from "../../../operator/observe/log.ts";

const NAME = "core.demo.gateway.knit.dev";
let authority: Credentials;
let operator: Credentials;
let directory: string;
let node: Server;
let gateway: Gateway;
let channel: Channel;
/** What the stand-in does with a line. */
let answer: (line: string, socket: Socket) => void;
const opened: Socket[] = [];
/** Warnings in its log. */
let said: string[];

beforeAll(async () => {
  authority = await createAuthority(Date.now());
  operator = await issueOperator(authority, Date.now());
});

async function putCertificate(): Promise<string> {
  const { certificate, key } = await issueGateway(authority, NAME, Date.now());
  const files = { "tls.crt": certificate, "tls.key": key, "ca.crt": authority.certificate };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return certificate;
}

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "kg-"));
  await putCertificate();
  answer = (line, socket) => {
    const { method, params } = JSON.parse(line) as { method: string; params: unknown };
    socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, result: { method, params } })}\n`);
  };
  const socketPath = join(directory, "n.ipc");
  node = createServer((socket) => {
    opened.push(socket);
    let text = "";
    socket
      .on("error", () => undefined)
      .on("data", (chunk) => {
        text += chunk.toString();
        if (text.endsWith("\n")) answer(text, socket);
      });
  });
  await new Promise<void>((resolve) => node.listen(socketPath, resolve));
  said = [];
  const log = { ...silentLog, warn: (_fields: object, message: string) => void said.push(message) };
  gateway = await openGateway({
    host: "127.0.0.1",
    port: 0,
    socketPath,
    certificates: directory,
    log,
    lookMs: 50,
  });
  channel = openChannel({ authority: authority.certificate, operator });
});

afterEach(async () => {
  channel[Symbol.dispose]();
  await gateway[Symbol.asyncDispose]();
  for (const socket of opened.splice(0)) socket.destroy();
  await new Promise((resolve) => node.close(resolve));
  rmSync(directory, { recursive: true });
});

/** A connection of the operator's own, made by hand. */
const asOperator = () => ({
  host: "127.0.0.1",
  port: gateway.port,
  ca: authority.certificate,
  cert: operator.certificate,
  key: operator.key,
  servername: NAME,
});

const at = (name = NAME) => ({ host: "127.0.0.1", port: gateway.port, name });

test("passes a call on, under an id of its own, and the answer back", async () => {
  const url = `kni://${"ab".repeat(64)}@core:1?discport=0`;
  expect(await channel.call(at(), "admin_addPeer", url)).toEqual({ method: "admin_addPeer", params: [url] });
});

test("gives the node's error back as the node's", async () => {
  answer = (_line, socket) =>
    socket.write('{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"not there"}}\n');
  await expect(channel.call(at(), "admin_startStateMigration")).rejects.toMatchObject({
    code: "node-error",
    message: "not there (-32601)",
  });
});

test("never lets a method through that is not on the list", async () => {
  let heard = 0;
  answer = () => heard++;
  for (const method of ["personal_unlockAccount", "admin_importChain"] as unknown as ControlMethod[]) {
    await expect(channel.call(at(), method)).rejects.toMatchObject({ code: "refused" });
  }
  expect(heard).toBe(0);
});

describe("a node that misbehaves is an error, and not the gateway's end:", () => {
  test.each([
    ["it closes at once", (_line: string, socket: Socket) => void socket.destroy()],
    [
      "it answers without end",
      (_line: string, socket: Socket) => {
        const more = (): void => {
          while (!socket.destroyed && socket.write("x".repeat(65_536)));
          socket.once("drain", more);
        };
        more();
      },
    ],
    ["it answers no JSON", (_line: string, socket: Socket) => void socket.write("what?\n")],
  ])("%s", async (_name, misbehave) => {
    answer = misbehave;
    await expect(channel.call(at(), "admin_peers")).rejects.toThrow();
    answer = (_line, socket) => socket.write('{"result":true}\n');
    expect(await channel.call(at(), "admin_peers")).toBe(true);
  });

  test("it is not there", async () => {
    await new Promise((resolve) => {
      node.close(resolve);
      for (const socket of opened) socket.destroy();
    });
    await expect(channel.call(at(), "admin_peers")).rejects.toMatchObject({
      message: expect.stringContaining("does not answer"),
    });
    node.listen(join(directory, "n.ipc"));
  });
});

async function refused(credentials: Credentials, name = NAME): Promise<void> {
  using other = openChannel({ authority: authority.certificate, operator: credentials });
  await expect(other.call(at(name), "chain_blockNumber")).rejects.toMatchObject({ code: "unreachable" });
}

describe("lets nobody in", () => {
  test("without a certificate", () => refused({ certificate: "", key: "" }));
  test("with another authority's", async () =>
    refused(await issueOperator(await createAuthority(Date.now()), Date.now())));
  test("with a gateway's own", async () => refused(await issueGateway(authority, NAME, Date.now())));
  test("with one that has ended", async () =>
    refused(await issueOperator(authority, Date.now() - 100 * 86_400_000)));
  test("who looks for another node", () => refused(operator, "proxy.demo.gateway.knit.dev"));

  test("who speaks an older TLS", async () => {
    const older = { ...asOperator(), maxVersion: "TLSv1.2" } as const;
    const error = await new Promise<Error>((resolve, reject) => {
      connect(older, () => reject(new Error("let in"))).on("error", resolve);
    });
    expect(error.message).toMatch(/protocol version|handshake failure|alert/i);
  });
});

test("ends requests that are too large", async () => {
  const text = await new Promise<string>((resolve, reject) => {
    let received = "";
    const socket = connect(asOperator(), () => {
      socket.write("POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 999999\r\n\r\n");
      socket.write("x".repeat(50_000));
    });
    socket.on("error", reject).on("data", (chunk) => {
      received += chunk.toString();
      if (received.includes("\r\n\r\n")) {
        socket.destroy();
        resolve(received);
      }
    });
  });
  expect(text).toMatch(/^HTTP\/1\.1 413 /);
});

const shown = (): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(asOperator(), () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? "");
      socket.destroy();
    });
    socket.on("error", reject);
  });

test("says who could not prove himself, and not that the port was probed", async () => {
  const probe = connectPlain({ host: "127.0.0.1", port: gateway.port });
  await new Promise((resolve) => probe.on("connect", () => probe.destroy()).on("close", resolve));
  await refused({ certificate: "", key: "" });
  expect(said).toEqual(["connection refused"]);
});

test("shows a renewed certificate without being started anew", async () => {
  const before = await shown();
  await putCertificate();
  while ((await shown()) === before) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await channel.call(at(), "admin_peers")).toBeDefined();
});

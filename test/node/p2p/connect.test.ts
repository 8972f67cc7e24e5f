/** Tests of TCP connections by host name. */
import { createServer } from "node:net";
import { expect, test } from "@jest/globals";
import { connectTo } from "../../../node/p2p/connect.ts";

const signal = new AbortController().signal;
const node = (host: string | undefined, tcpPort: number) => ({
  id: new Uint8Array(64),
  host,
  tcpPort,
  udpPort: tcpPort,
  tcpPorts: [tcpPort],
  type: "unknown" as const,
});

const never = () => new Promise<string>(() => undefined);
const unknown = async (): Promise<string> => {
  throw new Error("getaddrinfo ENOTFOUND core.example");
};

test("a host name is resolved for every dial, an address never", async () => {
  const server = createServer((socket) => void socket.on("error", () => undefined));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const asked: string[] = [];
  const resolve = async (host: string): Promise<string> => {
    asked.push(host);
    return "127.0.0.1";
  };
  for (const host of ["core.example", "127.0.0.1", "core.example"])
    (await connectTo(node(host, port), { resolve, timeoutMs: 10_000, signal })).destroy();
  expect(asked).toEqual(["core.example", "core.example"]);
  await new Promise((resolveClosed) => void server.close(resolveClosed));
  const refused = connectTo(node("127.0.0.1", port), { resolve, timeoutMs: 10_000, signal });
  await expect(refused).rejects.toMatchObject({ name: "P2pError", code: "closed" });
});

test("a dial fails without a resolved name, without an answer, without an address and at shutdown", async () => {
  await expect(
    connectTo(node("core.example", 1), { resolve: unknown, timeoutMs: 10_000, signal }),
  ).rejects.toThrow("cannot connect to core.example: getaddrinfo ENOTFOUND core.example");
  await expect(
    connectTo(node("core.example", 1), { resolve: never, timeoutMs: 20, signal }),
  ).rejects.toMatchObject({
    code: "timeout",
  });
  await expect(
    connectTo(node(undefined, 0), { resolve: never, timeoutMs: 20, signal }),
  ).rejects.toMatchObject({
    code: "closed",
  });
  const ended = connectTo(node("core.example", 1), {
    resolve: never,
    timeoutMs: 10_000,
    signal: AbortSignal.abort(),
  });
  await expect(ended).rejects.toMatchObject({ code: "closed" });
});

/** Tests of slow and of many clients: they are disconnected, and the operator still gets a connection. */
import { connect as connectPlain, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { openChannel } from "../../../operator/control/channel.ts";
import type { GatewayTimes } from "../../../operator/gateway/gateway.ts";
import {
  BODY,
  GatewayStand,
  head,
  type Identities,
  makeIdentities,
  receiveAll,
} from "../../support/gateway.ts";
import { until } from "../../support/until.ts";

let identities: Identities;
let stand: GatewayStand;

beforeAll(async () => {
  identities = await makeIdentities();
});

async function open(times: Partial<GatewayTimes> = {}): Promise<void> {
  stand = await new GatewayStand(identities).open(times);
}

afterEach(async () => {
  await stand[Symbol.asyncDispose]();
});

describe("slowness:", () => {
  test("a handshake that does not go on ends", async () => {
    await open({ requestMs: 300 });
    const plain = connectPlain({ host: "127.0.0.1", port: stand.port });
    await receiveAll(plain);
    await until(() => stand.warnings().length > 0);
    expect(stand.warnings()).toEqual([["connection refused", expect.stringContaining("timeout")]]);
    expect(await stand.unharmed()).toBe(true);
  });

  test.each<[string, (socket: TLSSocket) => void]>([
    ["no request at all", () => undefined],
    ["half a head", (socket) => void socket.write("POST / HTTP/1.1\r\nhost")],
    ["half a body", (socket) => void socket.write(`${head(100)}{`)],
    [
      "a byte now and then",
      (socket) => {
        socket.write(head(1_000));
        const timer = setInterval(() => socket.write(" "), 50);
        socket.once("close", () => clearInterval(timer));
      },
    ],
  ])("a request that does not come to its end: %s", async (_name, begin) => {
    await open({ requestMs: 300 });
    const socket = stand.connect();
    socket.on("secureConnect", () => begin(socket));
    expect(await receiveAll(socket)).not.toContain("jsonrpc");
    expect(await stand.unharmed()).toBe(true);
  });

  test("a connection that is not used ends", async () => {
    await open({ idleMs: 200 });
    const socket = stand.connect();
    socket.write(head(BODY.length) + BODY);
    expect(await receiveAll(socket)).toMatch(/^HTTP\/1\.1 200 /);
  });
});

const hold = async (count: number): Promise<Socket[]> => {
  const held = Array.from({ length: count }, () =>
    connectPlain({ host: "127.0.0.1", port: stand.port }).on("error", () => undefined),
  );
  await until(() => held.every(({ connecting }) => !connecting));
  return held;
};

describe("many connections:", () => {
  test("those that prove nothing do not keep the operator out, nor fill the log", async () => {
    await open();
    const held = await hold(200);
    expect(await stand.unharmed()).toBe(true);
    await until(() => held.filter(({ closed }) => !closed).length <= 32);
    expect(stand.warnings().length).toBeLessThanOrEqual(30);
    for (const socket of held) socket.destroy();
  });

  test("of those that prove to be the operator's only so many stay", async () => {
    await open();
    const held = Array.from({ length: 20 }, () => stand.connect().on("error", () => undefined));
    await until(() => held.filter(({ closed }) => closed).length === 4);
    expect(await stand.metrics.render()).toContain("knit_gateway_connections 16");
    for (const socket of held) socket.destroy();
    await until(async () => (await stand.metrics.render()).includes("knit_gateway_connections 0"));
    expect(await stand.unharmed()).toBe(true);
  });

  test("more calls than there is room for are told to wait", async () => {
    await open();
    const held: Socket[] = [];
    stand.answer = (_line, socket) => void held.push(socket);
    using second = openChannel({
      authority: identities.authority.certificate,
      operator: identities.operator,
    });
    using third = openChannel({
      authority: identities.authority.certificate,
      operator: identities.operator,
    });
    const calls = [stand.channel, second, third].flatMap((each) =>
      Array.from({ length: 3 }, () =>
        each.call(stand.address, "admin_peers").then(
          () => "answered",
          ({ code }: { code: string }) => code,
        ),
      ),
    );
    await until(() => held.length === 8);
    for (const socket of held) socket.write('{"id":1,"result":[]}\n');
    expect((await Promise.all(calls)).sort()).toEqual([...Array<string>(8).fill("answered"), "busy"]);
  });
});

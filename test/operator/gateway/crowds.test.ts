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

/** Connections of an attempt to keep the operator out; those with a handshake are a tenth of them. */
const CONNECTIONS = Number(process.env["KNIT_GATEWAY_CONNECTIONS"] ?? 200);
const PROVEN = Math.max(20, Math.floor(CONNECTIONS / 10));
/** Places of connections at the gateway, as `connections.ts` has them. */
const MAX_UNPROVEN = 32;
const MAX_PROVEN = 16;

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

interface Crowd<Kind extends Socket> {
  readonly count: number;
  /** Connections that are begun at once. */
  readonly atOnce: number;
  readonly connect: () => Kind;
  /** True when the next ones may follow. */
  readonly isThere: (socket: Kind) => boolean;
}

/** Opens connections and keeps those that stay. */
async function hold<Kind extends Socket>({ count, atOnce, connect, isThere }: Crowd<Kind>): Promise<Kind[]> {
  const held: Kind[] = [];
  while (held.length < count) {
    const next = Array.from({ length: Math.min(atOnce, count - held.length) }, connect);
    for (const socket of next) socket.on("error", () => undefined);
    await until(() => next.every((socket) => socket.closed || isThere(socket)));
    held.push(...next);
  }
  return held;
}

describe("many connections:", () => {
  test("those that prove nothing do not keep the operator out, nor fill the log", async () => {
    await open();
    const held = await hold({
      count: CONNECTIONS,
      atOnce: 200,
      connect: () => connectPlain({ host: "127.0.0.1", port: stand.port }),
      isThere: ({ connecting }) => !connecting,
    });
    expect(held).toHaveLength(CONNECTIONS);
    expect(await stand.unharmed()).toBe(true);
    await until(() => held.filter(({ closed }) => !closed).length <= MAX_UNPROVEN);
    expect(stand.warnings().length).toBeLessThanOrEqual(30);
    for (const socket of held) socket.destroy();
  });

  test("of those that prove to be the operator's only so many stay", async () => {
    await open({ requestMs: 600_000 }); // none of them asks anything
    const held = await hold({
      count: PROVEN,
      atOnce: MAX_PROVEN,
      connect: () => stand.connect(),
      isThere: ({ authorized }) => authorized,
    });
    await until(() => held.filter(({ closed }) => closed).length === PROVEN - MAX_PROVEN);
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

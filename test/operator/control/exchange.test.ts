/** Calls to gateways that fail: the hop at which each failed, so that a dead gateway is told apart from a slow node. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type Channel, openChannel } from "../../../operator/control/channel.ts";
import type { GatewayAddress } from "../../../operator/control/exchange.ts";
import { GATEWAY, GatewayStand, type Identities, makeIdentities } from "../../support/gateway.ts";
import { freePort } from "../../support/go-node.ts";

/** Deadline of the calls of these tests; that of the gateway for its node is shorter, as in the operator. */
const DEADLINE_MS = 1_000;
const NODE_MS = 200;

let identities: Identities;
let channel: Channel;
let ends: AsyncDisposableStack;

beforeAll(async () => {
  identities = await makeIdentities();
});

beforeEach(() => {
  ends = new AsyncDisposableStack();
  const { authority, operator } = identities;
  channel = ends.use(openChannel({ authority: authority.certificate, operator }, DEADLINE_MS));
});

afterEach(() => ends.disposeAsync());

const reasonOf = (gateway: GatewayAddress): Promise<unknown> =>
  channel.call(gateway, "admin_peers").then(
    () => "answered",
    (error: { readonly reason: unknown }) => error.reason,
  );

/** Opens a listener that does this to each connection, and returns its address. */
async function listen(serve: (socket: Socket) => void): Promise<GatewayAddress> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    serve(socket);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  ends.defer(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return { host: "127.0.0.1", port, name: GATEWAY };
}

test("a gateway that is not there", async () => {
  const gateway = { host: "127.0.0.1", port: await freePort(), name: GATEWAY };
  expect(await reasonOf(gateway)).toBe("GatewayUnreachable");
  expect(await reasonOf({ ...gateway, host: "gateway.invalid" })).toBe("GatewayNameUnknown");
});

test.each<[string, (socket: Socket) => void]>([
  ["says nothing", () => undefined],
  ["ends the connection", (socket) => void socket.once("data", () => socket.resetAndDestroy())],
  ["speaks no TLS", (socket) => void socket.once("data", () => socket.write("HTTP/1.1 400 no\r\n\r\n"))],
])("a handshake with a gateway that %s", async (_what, serve) => {
  expect(await reasonOf(await listen(serve))).toBe("GatewayHandshakeFailed");
});

test("a gateway that takes the call and is silent is another failure than a node that is", async () => {
  const stand = ends.use(await new GatewayStand(identities).open({ nodeMs: NODE_MS }));
  stand.answer = () => undefined;
  expect(await reasonOf(stand.address)).toBe("NodeSilent");
  const frozen = ends.use(await new GatewayStand(identities).open({ nodeMs: 10 * DEADLINE_MS }));
  frozen.answer = () => undefined;
  expect(await reasonOf(frozen.address)).toBe("GatewayFailed");
});

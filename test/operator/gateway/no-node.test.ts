/** Tests of a gateway whose socket has no node, or a broken one: an error says so, and the gateway goes on. */
import type { Socket } from "node:net";
import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { GatewayTimes } from "../../../operator/gateway/gateway.ts";
import { GatewayStand, type Identities, makeIdentities } from "../../support/gateway.ts";

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

const endless = (_line: string, socket: Socket): void => {
  const more = (): void => {
    while (!socket.destroyed && socket.write("x".repeat(65_536)));
    socket.once("drain", more);
  };
  more();
};
const says = (text: string | Uint8Array) => (_line: string, socket: Socket) => void socket.write(text);

describe("a node that is no node:", () => {
  test.each<[string, (line: string, socket: Socket) => void, string]>([
    ["closes at once", (_line, socket) => void socket.destroy(), "socket"],
    ["says nothing", () => undefined, "silent"],
    ["answers without end", endless, "bad-answer"],
    ["answers no JSON", says("what?\n"), "bad-answer"],
    ["answers no object", says("7\n"), "bad-answer"],
    ["answers bytes that are no text", says(Buffer.of(0x22, 0xff, 0x22, 0x0a)), "bad-answer"],
    ["answers another question", says('{"id":2,"result":true}\n'), "bad-answer"],
    ["answers neither result nor error", says('{"id":1}\n'), "bad-answer"],
    [
      "answers a line and half another",
      says('{"id":1,"error":{"code":1,"message":"m"}}\n{"id"'),
      "node-error",
    ],
  ])("it %s", async (_name, misbehave, code) => {
    await open({ nodeMs: 500 });
    stand.answer = misbehave;
    await expect(stand.channel.call(stand.address, "admin_peers")).rejects.toMatchObject({ code });
    stand.answer = says('{"id":1,"result":true}\n');
    expect(await stand.channel.call(stand.address, "admin_peers")).toBe(true);
  });

  test("it is not there, and comes back", async () => {
    await open();
    await stand.stopNode();
    await expect(stand.channel.call(stand.address, "admin_peers")).rejects.toMatchObject({
      code: "socket",
      reason: "NodeSocketClosed",
    });
    await stand.startNode();
    expect(await stand.channel.call(stand.address, "admin_peers")).toBeDefined();
  });
});

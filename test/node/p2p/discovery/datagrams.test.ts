/** The UDP socket of discovery. */
import { expect, test } from "@jest/globals";
import { openDatagrams } from "../../../../node/p2p/discovery/datagrams.ts";
import type { UdpAddress } from "../../../../node/p2p/discovery/exchange.ts";
import { until } from "../../../support/until.ts";

const LOOPBACK = { host: "127.0.0.1", port: 0 };

test.each<[string, UdpAddress]>([
  ["port 0", { ip: "127.0.0.1", port: 0 }],
  ["a port above the last one", { ip: "127.0.0.1", port: 65_536 }],
  ["an address without its zone", { ip: "fe80::1", port: 30_303 }],
])("a packet to %s is lost, and the socket still sends", async (_, nowhere) => {
  const heard: Uint8Array[] = [];
  await using target = await openDatagrams(LOOPBACK, (bytes) => void heard.push(bytes));
  await using source = await openDatagrams(LOOPBACK, () => undefined);
  source.send(Uint8Array.of(1), nowhere);
  source.send(Uint8Array.of(2), { ip: "127.0.0.1", port: target.port });
  await until(() => heard.length > 0);
  expect(heard).toEqual([Buffer.of(2)]);
});

test("a packet that is sent after the end is lost", async () => {
  const source = await openDatagrams(LOOPBACK, () => undefined);
  await source[Symbol.asyncDispose]();
  expect(() => source.send(Uint8Array.of(1), { ip: "127.0.0.1", port: 30_303 })).not.toThrow();
});

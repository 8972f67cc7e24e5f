/** Tests of the limit on handshakes of one address. */
import { expect, test } from "@jest/globals";
import { createHandshakeLimit } from "../../../node/p2p/p2p.ts";

/** Number of handshakes that begin when an address opens so many connections at once. */
const beginMany = (mayShake: (ip: string) => boolean, ip: string, count: number): number =>
  Array.from({ length: count }, () => mayShake(ip)).filter(Boolean).length;

test("an address begins sixty handshakes at once and four a second, and leaves those of others alone", () => {
  let nowMs = 0;
  const mayShake = createHandshakeLimit({ now: () => nowMs });
  expect(beginMany(mayShake, "203.0.113.7", 200)).toBe(60);
  expect(beginMany(mayShake, "203.0.113.8", 1)).toBe(1);
  nowMs += 10_000;
  expect(beginMany(mayShake, "203.0.113.7", 200)).toBe(40);
});

test("addresses of one IPv6 network share a limit, and processes of this machine have none", () => {
  const mayShake = createHandshakeLimit({ now: () => 0 });
  const shaken = Array.from({ length: 200 }, (_, i) => mayShake(`2001:db8:1:2::${(i + 1).toString(16)}`));
  expect(shaken.filter(Boolean)).toHaveLength(60);
  expect(beginMany(mayShake, "127.0.0.1", 200)).toBe(200);
});

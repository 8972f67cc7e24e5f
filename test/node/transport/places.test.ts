/** Tests of places for connections by address. */
import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { expect, test } from "@jest/globals";
import { Places } from "../../../node/transport/places.ts";

/** A socket of an address that can be closed. */
class Played extends EventEmitter {
  readonly remoteAddress: string;
  isOpen = true;
  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }
  destroy(): void {
    this.isOpen = false;
    this.emit("close");
  }
}

const socketOf = (address: string): Played & Socket => new Played(address) as unknown as Played & Socket;

test("an address that holds all places gives up its oldest ones to others, down to an equal number", () => {
  const places = new Places(6);
  const crowd = Array.from({ length: 6 }, () => socketOf("10.0.0.1"));
  for (const each of crowd) expect(places.take(each)).toBe(true);
  expect(places.take(socketOf("10.0.0.1"))).toBe(false);
  const others = Array.from({ length: 4 }, () => socketOf("10.0.0.2"));
  expect(others.map((each) => places.take(each))).toEqual([true, true, true, false]);
  expect(crowd.map(({ isOpen }) => isOpen)).toEqual([false, false, false, true, true, true]);
});

test("addresses of one IPv6 network are one client, and a closed connection frees its place once", () => {
  const places = new Places(2);
  const [first, second] = [socketOf("2a00:1:2:3::1"), socketOf("2a00:1:2:3::2")];
  expect([places.take(first), places.take(second)]).toEqual([true, true]);
  expect(places.take(socketOf("2a00:1:2:3::3"))).toBe(false);
  first.destroy();
  first.emit("close");
  expect(places.take(socketOf("2a00:1:2:3::4"))).toBe(true);
  expect(places.take(socketOf("2a00:1:2:3::5"))).toBe(false);
});

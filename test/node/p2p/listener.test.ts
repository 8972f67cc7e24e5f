/** Tests of the places for handshakes, by owner of an address. */
import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { expect, test } from "@jest/globals";
import { HandshakeQueue } from "../../../node/p2p/listener.ts";

const setUp = (): Promise<void> => new Promise(() => undefined);

/** A socket of an address that can be closed. */
class Played extends EventEmitter {
  readonly remoteAddress: string;
  destroyed = false;
  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }
  destroy(): void {
    this.destroyed = true;
    this.emit("close");
  }
}

test("addresses of one IPv6 network close their own connections, not those of others", () => {
  using queue = new HandshakeQueue({ maxPending: 2, crowdedMs: 60_000, setUp });
  const open = (address: string): Played => {
    const socket = new Played(address);
    queue.add(socket as unknown as Socket);
    return socket;
  };
  const [first, second] = [open("2001:db8:1:1::1"), open("2001:db8:1:2::1")];
  const crowd = Array.from({ length: 8 }, (_, i) => open(`2001:db8:1:3::${i + 1}`));
  expect([first.destroyed, second.destroyed]).toEqual([false, false]);
  expect(crowd.filter(({ destroyed }) => destroyed)).toHaveLength(6);
});

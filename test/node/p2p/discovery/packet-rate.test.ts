/** Tests of the rate limits of discovery packets. */
import { expect, test } from "@jest/globals";
import { createPacketRateLimiter } from "../../../../node/p2p/discovery/packet-rate.ts";

const limits = { address: { perSecond: 10, burst: 20 }, all: { perSecond: 100, burst: 50 }, addresses: 3 };

/** An allowance, with a clock that the test turns; `take` tells how many of so many packets may pass. */
function anAllowance() {
  const clock = { ms: 1_000_000, now: () => clock.ms };
  const allowance = createPacketRateLimiter(limits, clock);
  const take = (ip: string, count: number): number =>
    Array.from({ length: count }, () => allowance(ip)).filter((may) => may).length;
  return { clock, take };
}

test("an address has its burst, then its rate, while other addresses are served", () => {
  const { clock, take } = anAllowance();
  expect([take("8.8.8.8", 100), take("8.8.4.4", 15)]).toEqual([20, 15]);
  clock.ms += 1000;
  expect(take("8.8.8.8", 100)).toBe(10);
  clock.ms += 3_600_000;
  expect(take("8.8.8.8", 100)).toBe(20);
});

test("addresses of one IPv6 subnet share a limit", () => {
  const { take } = anAllowance();
  expect([take("2a00:1:2:3::1", 15), take("2a00:1:2:3::2", 15), take("2a00:1:2:4::1", 15)]).toEqual([
    15, 5, 15,
  ]);
});

test("the total limit holds even when addresses are no longer tracked", () => {
  const { clock, take } = anAllowance();
  const all = ["1.0.0.1", "1.0.0.2", "1.0.0.3", "1.0.0.4", "1.0.0.5"].map((ip) => take(ip, 20));
  expect(all).toEqual([20, 20, 10, 0, 0]);
  clock.ms += 100;
  expect(take("1.0.0.1", 20)).toBe(10);
});

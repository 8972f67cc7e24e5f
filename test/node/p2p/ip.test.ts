/** Tests of networks and of the rules for relaying addresses. */
import { expect, test } from "@jest/globals";
import { createAddressFilter, mayRelay } from "../../../node/p2p/ip.ts";

test("public nodes announce no private addresses, and no node announces special-purpose ones", () => {
  const rows: readonly [sender: string, ip: string, may: boolean][] = [
    ["8.8.8.8", "9.9.9.9", true],
    ["10.0.0.1", "9.9.9.9", true],
    ["10.0.0.1", "192.168.1.1", true],
    ["8.8.8.8", "192.168.1.1", false],
    ["8.8.8.8", "fd00::1", false],
    ["127.0.0.1", "127.0.0.1", true],
    ["::1", "127.0.0.1", true],
    ["10.0.0.1", "127.0.0.1", false],
    ["127.0.0.1", "10.0.0.1", true],
    ["127.0.0.1", "0.0.0.0", false],
    ["127.0.0.1", "::", false],
    ["127.0.0.1", "224.0.0.1", false],
    ["127.0.0.1", "ff02::1", false],
    ["127.0.0.1", "203.0.113.9", false],
    ["127.0.0.1", "2001:db8::1", false],
    ["127.0.0.1", "255.255.255.255", false],
  ];
  expect(rows.map(([sender, ip]) => [sender, ip, mayRelay(sender, ip)])).toEqual(rows);
});

test("an address filter allows addresses of its networks, and all addresses without networks", () => {
  const allows = createAddressFilter(["10.0.0.0/8", "fd00::/8"]);
  expect(["10.200.0.1", "fd00::1", "11.0.0.1", "fe80::1"].map(allows)).toEqual([true, true, false, false]);
  expect(createAddressFilter(undefined)("11.0.0.1")).toBe(true);
});

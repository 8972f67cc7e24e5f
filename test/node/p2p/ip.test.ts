/** Tests of IP addresses, networks and relay rules. */
import { expect, test } from "@jest/globals";
import { createAddressFilter, ipBytes, ipText, mayRelay, plainIp, subnetOf } from "../../../node/p2p/ip.ts";

test("addresses survive the way to bytes and back; IPv4-mapped ones become IPv4", () => {
  for (const ip of [
    "0.0.0.0",
    "127.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "2001:db8::abcd:ef12",
    "fe80::1:0:0:1",
  ])
    expect(ipText(ipBytes(ip))).toBe(ip);
  expect(Buffer.from(ipBytes("2001:db8:3c4d:15::abcd:ef12")).toString("hex")).toBe(
    "20010db83c4d001500000000abcdef12",
  );
  expect([plainIp("::ffff:10.1.2.3"), plainIp("fe80::1%eth0"), plainIp("0:0::1")]).toEqual([
    "10.1.2.3",
    "fe80::1",
    "::1",
  ]);
  expect([ipText(new Uint8Array(5)), ipText(new Uint8Array(0))]).toEqual([undefined, undefined]);
  expect(() => ipBytes("core.example")).toThrow("core.example is not an IP address");
});

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

test("a subnet has 24 bits, or 64 of an IPv6 address", () => {
  expect(subnetOf("8.8.8.1")).toBe(subnetOf("8.8.8.200"));
  expect(subnetOf("8.8.8.1")).not.toBe(subnetOf("8.8.9.1"));
  expect(subnetOf("2a00:1:2:3::1")).toBe(subnetOf("2a00:1:2:3:4::1"));
  expect(subnetOf("2a00:1:2:3::1")).not.toBe(subnetOf("2a00:1:2:4::1"));
});

test("an address filter allows addresses of its networks, and all addresses without networks", () => {
  const allows = createAddressFilter(["10.0.0.0/8", "fd00::/8"]);
  expect(["10.200.0.1", "fd00::1", "11.0.0.1", "fe80::1"].map(allows)).toEqual([true, true, false, false]);
  expect(createAddressFilter(undefined)("11.0.0.1")).toBe(true);
});

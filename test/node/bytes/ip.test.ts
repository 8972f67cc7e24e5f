/** Tests of IP addresses as text and bytes. */
import { expect, test } from "@jest/globals";
import { ipBytes, ipText, ownerOfIp, plainIp, subnetOf } from "../../../node/bytes/ip.ts";

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

test("a subnet has 24 bits, or 64 of an IPv6 address", () => {
  expect(subnetOf("8.8.8.1")).toBe(subnetOf("8.8.8.200"));
  expect(subnetOf("8.8.8.1")).not.toBe(subnetOf("8.8.9.1"));
  expect(subnetOf("2a00:1:2:3::1")).toBe(subnetOf("2a00:1:2:3:4::1"));
  expect(subnetOf("2a00:1:2:3::1")).not.toBe(subnetOf("2a00:1:2:4::1"));
});

test("an owner has one IPv4 address in every form, or 64 bits of IPv6 addresses", () => {
  expect(ownerOfIp("::ffff:10.1.2.3")).toBe(ownerOfIp("10.1.2.3"));
  expect(ownerOfIp("10.1.2.3")).not.toBe(ownerOfIp("10.1.2.4"));
  expect(ownerOfIp("2a00:1:2:3::1")).toBe(ownerOfIp("2a00:1:2:3:4::1%eth0"));
  expect(ownerOfIp("2a00:1:2:3::1")).not.toBe(ownerOfIp("2a00:1:2:4::1"));
  expect([ownerOfIp(""), ownerOfIp("core.example")]).toEqual([undefined, undefined]);
});

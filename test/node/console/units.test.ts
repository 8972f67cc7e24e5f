/** Tests of the units of the coin. */
import { expect, test } from "@jest/globals";
import { BigNumber } from "bignumber.js";
import { consoleBigNumber, fromDecimal, toBigNumber } from "../../../node/console/big-number.ts";
import { conversions } from "../../../node/console/units.ts";

const klay = conversions({ coin: "KLAY", peb: "peb" });
const kaia = conversions({ coin: "KAIA", peb: "kei" });

test.each([
  [klay.from("1"), "0.000000000000000001"],
  [klay.to("1"), "1000000000000000000"],
  [klay.to(25, "ston"), "25000000000"],
  [klay.from("1000000", "Mpeb"), "1"],
  [kaia.to("2", "mKAIA"), "2000000000000000"],
  [kaia.to("3", "Gkei"), "3000000000"],
  [kaia.fromWei("1000000000", "gwei"), "1"],
  [kaia.toWei("1", "ether"), "1000000000000000000"],
])("%s", (found, expected) => {
  expect(found).toBe(expected);
});

test("a BigNumber gives a BigNumber; an unknown unit lists those that are known", () => {
  expect(klay.from(new BigNumber("1e18"))).toEqual(new BigNumber(1));
  expect(() => klay.to(1, "gold")).toThrow(/^This unit doesn't exist.*\nnoKLAY: 0\npeb: 1\n/);
  expect(() => kaia.to(1, "ston")).toThrow("KAIA: 1000000000000000000");
});

test("numbers of scripts have the names of older consoles too", () => {
  const Big = consoleBigNumber() as unknown as new (
    value: string,
  ) => Record<string, (value?: unknown) => unknown>;
  const five = new Big("5.5");
  expect(String(five["add"]?.(1))).toBe("6.5");
  expect(String(five["mul"]?.(2))).toBe("11");
  expect([five["floor"]?.(), five["ceil"]?.(), five["round"]?.()].map(String)).toEqual(["5", "6", "5"]);
  expect(five["greaterThan"]?.(5)).toBe(true);
  expect([fromDecimal(-255), fromDecimal("0x10"), toBigNumber("-0xff").toString()]).toEqual([
    "-0xff",
    "0x10",
    "-255",
  ]);
});

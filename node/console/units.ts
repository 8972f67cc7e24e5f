/** Units of the coin and conversions between them. */
import { BigNumber } from "bignumber.js";
import { toBigNumber } from "./big-number.ts";

/** Names of the coin and its smallest unit in one family of nodes. */
export interface UnitNames {
  readonly coin: "KLAY" | "KAIA";
  readonly peb: "peb" | "kei";
}

const POWERS_OF_PARTS = { "": 0, k: 3, K: 3, m: 6, M: 6, g: 9, G: 9 } as const;
const POWERS_OF_COINS = { u: 12, m: 15, "": 18, k: 21, M: 24, G: 27, T: 30 } as const;

/** Ethereum's unit names and their powers of ten. */
const ETHER_POWERS: Readonly<Record<string, number>> = {
  wei: 0,
  kwei: 3,
  Kwei: 3,
  babbage: 3,
  femtoether: 3,
  mwei: 6,
  Mwei: 6,
  lovelace: 6,
  picoether: 6,
  gwei: 9,
  Gwei: 9,
  shannon: 9,
  nanoether: 9,
  nano: 9,
  szabo: 12,
  microether: 12,
  micro: 12,
  finney: 15,
  milliether: 15,
  milli: 15,
  ether: 18,
  kether: 21,
  grand: 21,
  mether: 24,
  gether: 27,
  tether: 30,
};

const power = (exponent: number): BigNumber => new BigNumber(10).pow(exponent);

/** Returns the size of each unit in the smallest one, without `no` and the coin. */
export function unitTable({ coin, peb }: UnitNames): ReadonlyMap<string, BigNumber> {
  return new Map([
    [`no${coin}`, new BigNumber(0)],
    ...Object.entries(POWERS_OF_PARTS).map(
      ([prefix, exponent]) => [`${prefix}${peb}`, power(exponent)] as const,
    ),
    ...(coin === "KLAY" ? [["ston", power(9)] as const] : []),
    ...Object.entries(POWERS_OF_COINS).map(
      ([prefix, exponent]) => [`${prefix}${coin}`, power(exponent)] as const,
    ),
  ]);
}

/**
 * Converts an amount: a number or text to a text, a BigNumber to a BigNumber. The default unit is the coin.
 */
export type Convert = (amount: unknown, unit?: string) => BigNumber | string;

/** Returns the conversions from and to the smallest unit, with the node's unit names and Ethereum's. */
export function conversions(
  names: UnitNames,
): Readonly<Record<"from" | "to" | "fromWei" | "toWei", Convert>> {
  const table = unitTable(names);
  const listed = [...table].map(([name, value]) => `${name}: ${value.toFixed()}`).join("\n");
  const valueOf = (unit: string): BigNumber => {
    const value = table.get(unit);
    if (value !== undefined) return value;
    throw new Error(`This unit doesn't exist, please use one of the following units\n${listed}`);
  };
  const etherValue = (unit: string): BigNumber => {
    const exponent = ETHER_POWERS[unit];
    return exponent === undefined ? valueOf(unit) : new BigNumber(10).pow(exponent);
  };
  return {
    from: (amount, unit = names.coin) => divide(valueOf(unit), amount),
    to: (amount, unit = names.coin) => multiply(valueOf(unit), amount),
    fromWei: (amount, unit = "ether") => divide(etherValue(unit), amount),
    toWei: (amount, unit = "ether") => multiply(etherValue(unit), amount),
  };
}

const divide = (value: BigNumber, amount: unknown): BigNumber | string =>
  same(amount, toBigNumber(amount).dividedBy(value));
const multiply = (value: BigNumber, amount: unknown): BigNumber | string =>
  same(amount, toBigNumber(amount).times(value));

function same(given: unknown, result: BigNumber): BigNumber | string {
  return BigNumber.isBigNumber(given) ? result : result.toString(10);
}

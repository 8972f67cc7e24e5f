/** Numbers of scripts: BigNumber with the method names of its version 2, and conversions. */
import { BigNumber } from "bignumber.js";

/** Names of the library's version 2, which web3.js 0.20 uses, and their current names. */
const OLDER_NAMES: Readonly<Record<string, keyof BigNumber>> = {
  add: "plus",
  ceil: "integerValue",
  cmp: "comparedTo",
  floor: "integerValue",
  greaterThan: "isGreaterThan",
  greaterThanOrEqualTo: "isGreaterThanOrEqualTo",
  equals: "isEqualTo",
  isInt: "isInteger",
  isNeg: "isNegative",
  lessThan: "isLessThan",
  lessThanOrEqualTo: "isLessThanOrEqualTo",
  mul: "multipliedBy",
  neg: "negated",
  round: "decimalPlaces",
  sub: "minus",
  toDigits: "precision",
  toPower: "exponentiatedBy",
};

/** Last argument of the new method that the older name implies. */
const ROUNDING: Readonly<Record<string, readonly [BigNumber.RoundingMode]>> = {
  ceil: [BigNumber.ROUND_CEIL],
  floor: [BigNumber.ROUND_FLOOR],
};

/** Returns the library with the older names in addition to its own. */
export function consoleBigNumber(): typeof BigNumber {
  const prototype = BigNumber.prototype as unknown as Record<string, (...args: unknown[]) => unknown>;
  for (const [older, name] of Object.entries(OLDER_NAMES)) {
    const method = prototype[name];
    const rest = ROUNDING[older] ?? [];
    prototype[older] ??= function (this: unknown, ...args: unknown[]) {
      return method?.apply(this, [...rest, ...args]);
    };
  }
  prototype["round"] = function (this: unknown, places: unknown = 0, mode?: unknown) {
    return prototype["decimalPlaces"]?.call(this, places, mode);
  };
  BigNumber.config({ ROUNDING_MODE: BigNumber.ROUND_DOWN });
  return BigNumber;
}

/** Converts a number, decimal text or `0x` text to BigNumber; an absent value is zero, an invalid one NaN. */
export function toBigNumber(value: unknown = 0): BigNumber {
  if (BigNumber.isBigNumber(value)) return value;
  const text = textOf(value ?? 0);
  const [, sign = "", digits] = /^(-?)0x(.*)$/i.exec(text) ?? [];
  return digits === undefined ? new BigNumber(text, 10) : new BigNumber(`${sign}${digits}`, 16);
}

/** Converts a value to text. */
export function textOf(value: unknown): string {
  return "".concat(value as string);
}

/** Converts a value to a JavaScript number. */
export function toDecimal(value?: unknown): number {
  return toBigNumber(value).toNumber();
}

/** Converts a value to `0x` text without leading zeros; a negative number begins with a minus. */
export function fromDecimal(value?: unknown): string {
  const number = toBigNumber(value);
  return number.isNegative() ? `-0x${number.toString(16).slice(1)}` : `0x${number.toString(16)}`;
}

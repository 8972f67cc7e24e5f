/**
 * The global `bigInt` of the Go node's JavaScript tracers: integers of any size with the methods of the
 * library BigInteger.js, on the engine's own bigints. A script whose value is the function.
 */
export const BIG_INTEGERS = `(function () {
  "use strict";
  const TOO_MUCH = 9007199254740992;

  function Big(n) {
    this.n = n;
  }

  function made(n) {
    return new Big(n);
  }

  function bigInt(value, radix) {
    if (value === undefined) return made(0n);
    if (radix === undefined || +radix === 10) return made(native(value));
    return fromDigits(String(value).toLowerCase(), +radix);
  }

  function native(value) {
    if (value instanceof Big) return value.n;
    if (typeof value === "bigint") return value;
    if (typeof value === "number") return fromNumber(value);
    if (typeof value === "string") return fromText(value);
    throw new TypeError("not a number");
  }

  function fromNumber(value) {
    if (!(Math.abs(value) < TOO_MUCH)) return fromText(String(value));
    if (value !== Math.trunc(value)) throw new Error(value + " is not an integer.");
    return BigInt(value);
  }

  function fromText(text) {
    const number = +text;
    if (Math.abs(number) < TOO_MUCH) {
      if (number === Math.trunc(number)) return BigInt(number);
      throw "Invalid integer: " + text;
    }
    const parts = /^(-?)([0-9]+)(?:[.]([0-9]*))?(?:e[+]?([0-9]+))?$/i.exec(text);
    const zeros = parts && Number(parts[4] || 0) - (parts[3] || "").length;
    if (!parts || (parts[3] !== undefined && parts[4] === undefined)) throw new Error("Invalid integer: " + text);
    if (zeros < 0) throw new Error("Cannot include negative exponent part for integers");
    return BigInt(parts[1] + parts[2] + (parts[3] || "") + "0".repeat(zeros));
  }

  function fromDigits(text, radix) {
    const isNegative = text[0] === "-";
    let sum = 0n;
    for (const digit of isNegative ? text.slice(1) : text) {
      const value = parseInt(digit, 36);
      if (!(value < Math.abs(radix))) throw new Error(digit + " is not a valid digit in base " + radix + ".");
      sum = sum * BigInt(radix) + BigInt(value);
    }
    return made(isNegative ? -sum : sum);
  }

  function size(n) {
    return n < 0n ? -n : n;
  }

  function divisor(value) {
    const n = native(value);
    if (n === 0n) throw new Error("Cannot divide by zero");
    return n;
  }

  function order(a, b) {
    return a === b ? 0 : a > b ? 1 : -1;
  }

  function compare(self, value) {
    if (value === Infinity) return -1;
    if (value === -Infinity) return 1;
    return order(self.n, native(value));
  }

  function power(base, exponent) {
    if (exponent === 0n || base === 1n) return 1n;
    if (base === 0n) return 0n;
    if (base === -1n) return exponent % 2n === 0n ? 1n : -1n;
    return exponent < 0n ? 0n : base ** exponent;
  }

  function powerBelow(base, exponent, modulus) {
    if (modulus === 0n) throw new Error("Cannot take modPow with modulus 0");
    let result = 1n;
    base %= modulus;
    for (let left = exponent; left > 0n; left >>= 1n) {
      if (base === 0n) return 0n;
      if (left & 1n) result = (result * base) % modulus;
      base = (base * base) % modulus;
    }
    return result;
  }

  function commonDivisor(a, b) {
    let x = size(a);
    let y = size(b);
    while (y !== 0n) [x, y] = [y, x % y];
    return x;
  }

  function inverse(self, modulus) {
    let [t, next, r, rest] = [0n, 1n, modulus, size(self)];
    while (rest !== 0n) {
      const q = r / rest;
      [t, next, r, rest] = [next, t - q * next, rest, r - q * rest];
    }
    if (r !== 1n) throw new Error(self + " and " + modulus + " are not co-prime");
    if (t < 0n) t += modulus;
    return self < 0n ? -t : t;
  }

  function isPrime(self) {
    const n = size(self);
    const bases = [2n, 3n, 5n, 7n, 11n, 13n, 17n, 19n];
    if (n < 2n) return false;
    if (bases.includes(n)) return true;
    if (bases.some((base) => n % base === 0n)) return false;
    let odd = n - 1n;
    while (odd % 2n === 0n) odd /= 2n;
    return bases.every((base) => isWitnessed(base, odd, n));
  }

  function isWitnessed(base, odd, n) {
    let x = powerBelow(base, odd, n);
    if (x === 1n) return true;
    for (let left = odd; left < n - 1n; left *= 2n) {
      if (x === n - 1n) return true;
      x = (x * x) % n;
    }
    return false;
  }

  const methods = {
    "add plus": (n, v) => made(n + native(v)),
    "subtract minus": (n, v) => made(n - native(v)),
    "multiply times": (n, v) => made(n * native(v)),
    "divide over": (n, v) => made(n / divisor(v)),
    "mod remainder": (n, v) => made(n % divisor(v)),
    divmod: (n, v) => ({ quotient: made(n / divisor(v)), remainder: made(n % divisor(v)) }),
    pow: (n, v) => made(power(n, native(v))),
    modPow: (n, exponent, modulus) => made(powerBelow(n, native(exponent), native(modulus))),
    modInv: (n, v) => made(inverse(n, native(v))),
    negate: (n) => made(-n),
    abs: (n) => made(size(n)),
    square: (n) => made(n * n),
    next: (n) => made(n + 1n),
    prev: (n) => made(n - 1n),
    not: (n) => made(~n),
    and: (n, v) => made(n & native(v)),
    or: (n, v) => made(n | native(v)),
    xor: (n, v) => made(n ^ native(v)),
    shiftLeft: (n, v) => made(n << native(v)),
    shiftRight: (n, v) => made(n >> native(v)),
    compareAbs: (n, v) => order(size(n), size(native(v))),
    isEven: (n) => n % 2n === 0n,
    isOdd: (n) => n % 2n !== 0n,
    isPositive: (n) => n > 0n,
    isNegative: (n) => n < 0n,
    isUnit: (n) => size(n) === 1n,
    isZero: (n) => n === 0n,
    isDivisibleBy: (n, v) => native(v) !== 0n && n % native(v) === 0n,
    "isPrime isProbablePrime": isPrime,
    toString: (n, radix) => n.toString(radix === undefined ? 10 : radix),
    toJSON: (n) => n.toString(),
    "valueOf toJSNumber": (n) => Number(n),
  };
  const comparisons = {
    "compare compareTo": (sign) => sign,
    "equals eq": (sign) => sign === 0,
    "notEquals neq": (sign) => sign !== 0,
    "greater gt": (sign) => sign > 0,
    "lesser lt": (sign) => sign < 0,
    "greaterOrEquals geq": (sign) => sign >= 0,
    "lesserOrEquals leq": (sign) => sign <= 0,
  };

  function define(names, run) {
    for (const name of names.split(" ")) {
      Object.defineProperty(Big.prototype, name, { value: run, writable: true, configurable: true });
    }
  }

  for (const names of Object.keys(methods)) {
    const run = methods[names];
    define(names, function (first, second) {
      return run(this.n, first, second);
    });
  }
  for (const names of Object.keys(comparisons)) {
    const holds = comparisons[names];
    define(names, function (value) {
      return holds(compare(this, value));
    });
  }

  for (let i = -999; i < 1000; i++) bigInt[i] = made(BigInt(i));
  bigInt.zero = bigInt[0];
  bigInt.one = bigInt[1];
  bigInt.minusOne = bigInt[-1];
  bigInt.max = (a, b) => made(native(a) > native(b) ? native(a) : native(b));
  bigInt.min = (a, b) => made(native(a) < native(b) ? native(a) : native(b));
  bigInt.gcd = (a, b) => made(commonDivisor(native(a), native(b)));
  bigInt.lcm = (a, b) => made((size(native(a)) / commonDivisor(native(a), native(b))) * size(native(b)));
  bigInt.isInstance = (value) => value instanceof Big;
  bigInt.randBetween = (a, b) => {
    const [low, high] = [bigInt.min(a, b).n, bigInt.max(a, b).n];
    let sum = 0n;
    for (let left = high - low; left > 0n; left >>= 30n) {
      sum = (sum << 30n) | BigInt(Math.floor(Math.random() * 1073741824));
    }
    return made(low + (sum % (high - low + 1n)));
  };
  bigInt.fromArray = (digits, base, isNegative) => {
    const radix = native(base || 10);
    const sum = digits.reduce((before, digit) => before * radix + native(digit), 0n);
    return made(isNegative ? -sum : sum);
  };
  return bigInt;
})()`;

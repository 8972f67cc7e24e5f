/** Kubernetes quantities in bytes, such as `10Gi`, `500M`, `1.5Ti`, `1e9`. */

const POWERS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** Parses a quantity to bytes, rounded up; undefined when it is invalid. */
export function parseBytes(text: string): number | undefined {
  const [, number, exponent, suffix = ""] =
    /^([0-9]{1,18}(?:\.[0-9]{0,9})?)(?:[eE]([0-9]{1,2})|([a-zA-Z]{1,2}))?$/.exec(text) ?? [];
  const power = Object.hasOwn(POWERS, suffix) ? POWERS[suffix] : undefined;
  if (number === undefined || power === undefined) return undefined;
  return Math.ceil(Number(number) * power * 10 ** Number(exponent ?? 0));
}

/** Formats bytes in the largest binary unit that divides them. */
export function formatBytes(bytes: number): string {
  const unit = (["Ti", "Gi", "Mi", "Ki"] as const).find((each) => bytes % (POWERS[each] ?? 1) === 0);
  return unit === undefined ? String(bytes) : `${bytes / (POWERS[unit] ?? 1)}${unit}`;
}

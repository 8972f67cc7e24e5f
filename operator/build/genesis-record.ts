/** Reads a genesis file as far as the operator needs it: its digest, its timestamp, its validators and its later forks. */
import { createHash } from "node:crypto";
import { type LaterForks, laterForks } from "../api/network-spec.ts";

const VANITY_DIGITS = 64;
/** An address as an item of an RLP list: its prefix byte and 20 bytes. */
const ADDRESS = /94([0-9a-f]{40})/y;

/**
 * Summarises a genesis file for the status. The digest of a created file covers its bytes without forks after block 0;
 * that of a file which users maintain covers the members that decide block 0. Later forks are those of such a file; a
 * created one has those of the spec.
 */
export function genesisRecord(
  text: string,
  isCreated: boolean,
): {
  readonly digest: string;
  readonly time: number;
  readonly validators: readonly string[];
  readonly forks: LaterForks | undefined;
} {
  const genesis = parseExact(text);
  return {
    digest: sha256(
      isCreated || genesis === undefined
        ? withoutLaterForks(text)
        : JSON.stringify(blockZeroMembers(genesis)),
    ),
    time: numberIn(genesis?.["timestamp"]),
    validators: validatorsIn(genesis?.["extraData"]),
    forks: isCreated ? undefined : forksIn(genesis?.["config"]),
  };
}

/** Committee size of a file without a member `istanbul`, as in the node. */
const DEFAULT_COMMITTEE = 21;

/** Returns the number of validators that agree on block 1, at most. */
export function committeeSize(text: string): number {
  const config = parseExact(text)?.["config"] as Members | null | undefined;
  const istanbul = config?.["istanbul"] as Members | null | undefined;
  return istanbul === undefined ? DEFAULT_COMMITTEE : Math.max(1, numberIn(istanbul?.["sub"]));
}

/** Removes the lines of forks after block 0 from a created file. */
function withoutLaterForks(text: string): string {
  return text.replaceAll(/^ {4}"\w+CompatibleBlock": [1-9]\d*,\n/gm, "");
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

type Members = Readonly<Record<string, unknown>>;

/** Parses JSON with numbers as text, because amounts exceed a double. */
function parseExact(text: string): Members | undefined {
  try {
    const exact = text.replaceAll(
      /("(?:[^"\\]|\\.)*")|(-?\d[\d.eE+-]*)/g,
      (_all, quoted?: string, number?: string) => quoted ?? JSON.stringify(`number ${number}`),
    );
    const value: unknown = JSON.parse(exact);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Members)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Removes forks after block 0, which may be scheduled later, and sorts members. */
function blockZeroMembers(genesis: Members): unknown {
  const config = genesis["config"];
  const present =
    typeof config === "object" && config !== null
      ? Object.fromEntries(Object.entries(config).filter(([name, value]) => !isLaterFork(name, value)))
      : config;
  return sortMembers({ ...genesis, config: present });
}

/** Reads the forks after block 0 of a configuration; undefined for none. */
function forksIn(config: unknown): LaterForks | undefined {
  if (typeof config !== "object" || config === null) return undefined;
  const entries = laterForks.flatMap((fork) => {
    const block = numberIn((config as Members)[`${fork}CompatibleBlock`]);
    return block === 0 ? [] : [[fork, block]];
  });
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as LaterForks);
}

function isLaterFork(name: string, value: unknown): boolean {
  return name.endsWith("CompatibleBlock") && value !== "number 0";
}

function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, each]) => [name, sortMembers(each)]));
}

/** Reads a number that is 0 or more, as text of `parseExact` or in hex; 0 for none. */
function numberIn(value: unknown): number {
  const text = typeof value === "string" ? value.replace(/^number /, "") : "";
  const number = Number(text);
  return text !== "" && Number.isSafeInteger(number) && number >= 0 ? number : 0;
}

/** Reads the validators: the first list in the RLP after the vanity bytes of `extraData`. */
function validatorsIn(extraData: unknown): readonly string[] {
  if (typeof extraData !== "string" || !/^0x[0-9a-fA-F]*$/.test(extraData)) return [];
  const digits = extraData.slice(2).toLowerCase();
  const outer = contentAt(digits, VANITY_DIGITS);
  const inner = outer && contentAt(digits, outer.from);
  if (inner === undefined) return [];
  const addresses: string[] = [];
  ADDRESS.lastIndex = inner.from;
  for (
    let match = ADDRESS.exec(digits);
    match !== null && ADDRESS.lastIndex <= inner.to;
    match = ADDRESS.exec(digits)
  )
    addresses.push(`0x${match[1]}`);
  return addresses;
}

/** Returns the range of the items of the list at `place`, in hex digits; undefined when there is no list. */
function contentAt(
  digits: string,
  place: number,
): { readonly from: number; readonly to: number } | undefined {
  const head = Number.parseInt(digits.slice(place, place + 2), 16);
  if (!(head >= 0xc0)) return undefined;
  if (head <= 0xf7) return { from: place + 2, to: place + 2 + 2 * (head - 0xc0) };
  const sizeDigits = 2 * (head - 0xf7);
  const size = Number.parseInt(digits.slice(place + 2, place + 2 + sizeDigits), 16);
  const from = place + 2 + sizeDigits;
  return Number.isSafeInteger(size) ? { from, to: from + 2 * size } : undefined;
}

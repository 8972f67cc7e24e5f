/**
 * Names and values of logs, by the ABI of a contract that was dropped on the page. Topics are hashed by the node, so
 * the page needs no hash function.
 */
import { call, type Json } from "./rpc.ts";

interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly indexed: boolean;
}

interface Event {
  readonly name: string;
  readonly inputs: readonly Parameter[];
}

const events = new Map<string, Event>();

/** Adds the events of a JSON ABI, or of a compiler's artifact with one. Returns their number; rejects for another text. */
export async function addAbi(text: string): Promise<number> {
  const json: unknown = JSON.parse(text);
  const abi = Array.isArray(json) ? json : (json as { abi?: unknown }).abi;
  if (!Array.isArray(abi)) throw new Error("this file has no ABI");
  const found = abi.filter(isEvent);
  for (const event of found) {
    const signature = `${event.name}(${event.inputs.map(({ type }) => type).join(",")})`;
    const hex = [...new TextEncoder().encode(signature)]
      .map((byte) => byte.toString(16).padStart(2, "0"))
      .join("");
    events.set(await call<string>("web3_sha3", `0x${hex}`), event);
  }
  return found.length;
}

function isEvent(entry: unknown): entry is Event {
  const { type, name, inputs } = (entry ?? {}) as Json;
  return (
    type === "event" &&
    typeof name === "string" &&
    Array.isArray(inputs) &&
    inputs.every((each: unknown) => typeof (each as Json | null)?.["type"] === "string")
  );
}

/** Returns a log as text, `Name(parameter: value, ...)`; undefined for an unknown event or data that does not fit. */
export function decodeLog({ topics, data }: Json): string | undefined {
  if (!Array.isArray(topics) || typeof data !== "string") return undefined;
  const event = events.get(String(topics[0]));
  if (event === undefined) return undefined;
  const indexed = topics.slice(1).map(String);
  const body = data.slice(2);
  let at = 0;
  const values = event.inputs.map(({ name, type, indexed: isIndexed }) => {
    const word = isIndexed ? (indexed.shift() ?? "0x").slice(2) : body.slice(at * 64, ++at * 64);
    return `${name}: ${isIndexed && isDynamic(type) ? `0x${word}` : valueOf(type, word, body)}`;
  });
  return `${event.name}(${values.join(", ")})`;
}

function isDynamic(type: string): boolean {
  return type === "string" || type === "bytes" || type.endsWith("]");
}

function valueOf(type: string, word: string, body: string): string {
  if (word.length < 64) return "?";
  if (type === "address") return `0x${word.slice(24)}`;
  if (type === "bool") return BigInt(`0x${word}`) === 0n ? "false" : "true";
  if (type.startsWith("uint")) return BigInt(`0x${word}`).toString();
  if (type.startsWith("int")) return BigInt.asIntN(256, BigInt(`0x${word}`)).toString();
  if (type !== "string" && type !== "bytes") return `0x${word}`;
  const start = Number(BigInt(`0x${word}`)) * 2;
  const length = body.slice(start, start + 64);
  if (length.length < 64) return "?";
  const size = Number(BigInt(`0x${length}`));
  const hex = body.slice(start + 64, start + 64 + size * 2);
  if (type === "bytes") return `0x${hex}`;
  const bytes = (hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
  return JSON.stringify(new TextDecoder().decode(Uint8Array.from(bytes)));
}

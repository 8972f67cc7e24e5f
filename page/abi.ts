/**
 * Names and values of logs, by the ABI of a contract that was dropped on the page. Topics are hashed by the node, so
 * the page needs no hash function.
 */
import { type AbiParameter, canonicalType, elementsOf, isDynamic } from "../node/model/abi-types.ts";
import { abiTexts } from "../node/presenters/abi-values.ts";
import { call, type Json } from "./rpc.ts";

interface Parameter extends AbiParameter {
  readonly indexed?: boolean;
}

interface Event {
  readonly name: string;
  readonly inputs: readonly Parameter[];
}

const events = new Map<string, Event>();

/** Adds the events of a JSON ABI, or of a compiler's artifact with one. Returns their number; rejects for another text. */
export async function addAbi(text: string): Promise<number> {
  const json: unknown = JSON.parse(text);
  const abi = Array.isArray(json) ? json : (json as { abi?: unknown } | null)?.abi;
  if (!Array.isArray(abi)) throw new Error("this file has no ABI");
  const found = abi.filter(isEvent);
  for (const event of found) {
    const signature = `${event.name}(${event.inputs.map(canonicalType).join(",")})`;
    events.set(await call<string>("web3_sha3", hexOf(new TextEncoder().encode(signature))), event);
  }
  return found.length;
}

function isEvent(entry: unknown): entry is Event {
  const { type, name, inputs } = (entry ?? {}) as Json;
  return type === "event" && typeof name === "string" && Array.isArray(inputs) && inputs.every(isParameter);
}

function isParameter(entry: unknown): entry is Parameter {
  const { type, components } = (entry ?? {}) as Json;
  const hasMembers = components === undefined || (Array.isArray(components) && components.every(isParameter));
  return typeof type === "string" && hasMembers;
}

/** Returns a log as text, `Name(parameter: value, ...)`; undefined for an unknown event or data that does not fit. */
export function decodeLog({ topics, data }: Json): string | undefined {
  if (!Array.isArray(topics) || typeof data !== "string") return undefined;
  const event = events.get(String(topics[0]));
  if (event === undefined) return undefined;
  const plain = event.inputs.filter(({ indexed }) => indexed !== true);
  const texts = abiTexts(plain, bytesOf(data));
  if (texts === undefined) return undefined;
  const [words, values] = [topics.slice(1).map(String), [...texts]];
  const members = event.inputs.map((input) => {
    const value = input.indexed === true ? topicText(input, words.shift() ?? "") : (values.shift() ?? "");
    return `${input.name ?? ""}: ${input.type === "string" && input.indexed !== true ? JSON.stringify(value) : value}`;
  });
  return `${event.name}(${members.join(", ")})`;
}

/** A topic holds the hash of what does not fit into it. */
function topicText(input: Parameter, topic: string): string {
  const isHash = input.type === "tuple" || elementsOf(input) !== undefined || isDynamic(input);
  return (isHash ? undefined : abiTexts([input], bytesOf(topic))?.[0]) ?? topic;
}

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(hex.slice(2).match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function hexOf(bytes: Uint8Array): string {
  return `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

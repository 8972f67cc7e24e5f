/** Differences between two pod templates, as paths for people. Pure. */
import { annotations } from "../api/names.ts";
import type { PodInputs } from "./template.ts";

/** Maximum number of paths in a text. */
const MAX_PATHS = 8;

/** Annotations that say which inputs a template is made from; another one is no change of its own. */
const MARKS: readonly string[] = [annotations.settings, annotations.former];

/**
 * Returns the parts in which the inputs of a pod differ, such as `spec.containers[node].image` and `settings file`;
 * empty when they are equal.
 */
export function changedParts(before: PodInputs, after: PodInputs): readonly string[] {
  const paths = pathsBetween(before.template, after.template, "");
  return before.settings === after.settings ? paths : [...paths, "settings file"];
}

/** Joins changed parts to a text of bounded length. */
export function partsText(parts: readonly string[]): string {
  const more = parts.length > MAX_PATHS ? ` and ${parts.length - MAX_PATHS} more` : "";
  return `${parts.slice(0, MAX_PATHS).join(", ")}${more}`;
}

function pathsBetween(before: unknown, after: unknown, path: string): readonly string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const [old, now] = [membersOf(before), membersOf(after)];
  if (old === undefined || now === undefined) return [path];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((key) =>
    MARKS.includes(key) ? [] : pathsBetween(old.get(key), now.get(key), pathOf(path, key, after)),
  );
}

function pathOf(path: string, key: string, parent: unknown): string {
  if (Array.isArray(parent)) return `${path}[${key}]`;
  return path === "" ? key : `${path}.${key}`;
}

/** Returns the members of an object, and the items of a list by name; undefined for other values. */
function membersOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (!Array.isArray(value)) return new Map(Object.entries(value));
  const named = value.map((item: unknown) => [(item as { name?: unknown } | null)?.name, item] as const);
  return named.every((entry): entry is readonly [string, unknown] => typeof entry[0] === "string")
    ? new Map(named)
    : undefined;
}

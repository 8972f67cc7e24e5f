/** Releasing Nodes after the operator: all pages, what changes meanwhile, and never another's finalizer. */
import { beforeEach, expect, test } from "@jest/globals";
import { FINALIZER } from "../../operator/api/names.ts";
import { KubeError, type KubeErrorCode } from "../../operator/kube/error.ts";
import { silentLog } from "../../operator/observe/log.ts";
import { releaseNodes } from "../../operator/release.ts";

let held: Map<string, readonly string[]>;
let trouble: (name: string) => KubeErrorCode | undefined;
const PAGE = 2;

beforeEach(() => {
  held = new Map([1, 2, 3, 4, 5].map((each) => [`n${each}`, [FINALIZER]]));
  trouble = () => undefined;
});

/** An API server with Nodes by name; pages are short. */
const client = {
  page: async (_selection: unknown, next: string | undefined) => {
    const from = Number(next ?? "0");
    const items = [...held].slice(from, from + PAGE).map(([name, finalizers]) => ({
      metadata: { name, namespace: "demo", uid: name, resourceVersion: "7", finalizers },
    }));
    return { items, resourceVersion: "7", next: from + PAGE < held.size ? String(from + PAGE) : undefined };
  },
  merge: async (_kind: unknown, { name }: { readonly name: string }, patch: unknown) => {
    const code = trouble(name);
    if (code !== undefined) throw new KubeError(code, "no");
    const { metadata } = patch as { metadata: { resourceVersion: string; finalizers: readonly string[] } };
    expect(metadata.resourceVersion).toBe("7");
    held.set(name, metadata.finalizers);
  },
};

const released = (): Promise<number> =>
  releaseNodes({ client, watchNamespace: undefined, log: silentLog }, new AbortController().signal);

test("all are released, on all pages; what others hold they hold on, and a second time there is nothing to do", async () => {
  held.set("n2", ["theirs", FINALIZER]);
  held.set("n3", ["theirs"]);
  expect(await released()).toBe(4);
  expect(Object.fromEntries(held)).toEqual({ n1: [], n2: ["theirs"], n3: ["theirs"], n4: [], n5: [] });
  expect(await released()).toBe(0);
});

test("one that changed meanwhile is read again, one that is gone is none of it", async () => {
  let times = 0;
  trouble = (name) => {
    if (name === "n1" && times++ === 0) return "conflict";
    if (name !== "n2") return undefined;
    held.delete("n2");
    return "not-found";
  };
  expect(await released()).toBe(4);
  expect([...held.values()].flat()).toEqual([]);
});

test.each<[string, KubeErrorCode, string]>([
  ["may not be written", "forbidden", "no"],
  ["changes all the time", "conflict", "Nodes changed all the time"],
])("one that %s is said", async (_name, code, said) => {
  trouble = () => code;
  await expect(released()).rejects.toThrow(said);
});

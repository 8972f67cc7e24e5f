/** Releasing Nodes after the operator: all pages, what changes meanwhile, and never another's finalizer. */
import { beforeEach, describe, expect, test } from "@jest/globals";
import { FINALIZER } from "../../../operator/api/names.ts";
import { createLeaseWait, releaseNodes } from "../../../operator/compose/release.ts";
import { KubeError, type KubeErrorCode } from "../../../operator/kube/error.ts";
import { silentLog } from "../../../operator/observe/log.ts";

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

const releaseAll = (): Promise<number> =>
  releaseNodes(
    { client, watchNamespaces: [], log: silentLog, operatorId: "ops/knit-operator" },
    new AbortController().signal,
  );

test("all are released, on all pages; what others hold they hold on, and a second time there is nothing to do", async () => {
  held.set("n2", ["theirs", FINALIZER]);
  held.set("n3", ["theirs"]);
  expect(await releaseAll()).toBe(4);
  expect(Object.fromEntries(held)).toEqual({ n1: [], n2: ["theirs"], n3: ["theirs"], n4: [], n5: [] });
  expect(await releaseAll()).toBe(0);
});

test("one that changed meanwhile is read again, one that is gone is none of it", async () => {
  let times = 0;
  trouble = (name) => {
    if (name === "n1" && times++ === 0) return "conflict";
    if (name !== "n2") return undefined;
    held.delete("n2");
    return "not-found";
  };
  expect(await releaseAll()).toBe(4);
  expect([...held.values()].flat()).toEqual([]);
});

test.each<[string, KubeErrorCode, string]>([
  ["may not be written", "forbidden", "no"],
  ["changes all the time", "conflict", "Nodes kept changing"],
])("one that %s is said", async (_name, code, said) => {
  trouble = () => code;
  await expect(releaseAll()).rejects.toThrow(said);
});

test("one that may not be written holds up no other", async () => {
  trouble = (name) => (name === "n2" ? "forbidden" : undefined);
  await expect(releaseAll()).rejects.toThrow("not all Nodes could be released, 1 refused; demo/n2: no");
  expect([...held].filter(([, finalizers]) => finalizers.length > 0)).toEqual([["n2", [FINALIZER]]]);
});

test("where the definition of Nodes is gone there is none to release", async () => {
  const gone = {
    ...client,
    page: () =>
      Promise.reject(new KubeError("not-found", "the server could not find the requested resource")),
  };
  const options = {
    client: gone,
    watchNamespaces: [],
    log: silentLog,
    operatorId: "ops/knit-operator",
  };
  expect(await releaseNodes(options, new AbortController().signal)).toBe(0);
});

const leaseWait = (): ReturnType<typeof createLeaseWait> => createLeaseWait("ops/knit-operator");

describe("the wait for the Lease", () => {
  const NO_RIGHT =
    'leases.coordination.k8s.io "knit-operator" is forbidden: User "system:serviceaccount:ops:x" cannot get resource "leases"';

  test.each<KubeErrorCode>(["forbidden", "unauthorized"])("ends at once when it is %s", (code) => {
    const refusal = new KubeError(code, NO_RIGHT);
    expect(() => leaseWait().onFailure(refusal)).toThrow(refusal);
  });

  test("says that an operator is at work only when one held the Lease last, and who", () => {
    const busy = leaseWait();
    busy.onFailure(new KubeError("unreachable", "connect ECONNREFUSED"));
    busy.onHeld("knit-operator-7d-x");
    expect(busy.timeout().message).toMatch(
      /could not be acquired within 120 s: knit-operator-7d-x holds it. Stop the operator/,
    );
    const cut = leaseWait();
    cut.onHeld("knit-operator-7d-x");
    cut.onFailure(new KubeError("unreachable", "connect ECONNREFUSED"));
    expect(cut.timeout().message).toMatch(/within 120 s: connect ECONNREFUSED$/);
    expect(leaseWait().timeout().message).toMatch(/within 120 s$/);
  });
});

/** Metadata of a Node with the finalizer. */
function heldMeta(namespace: string) {
  return { name: "n1", namespace, uid: "n1", resourceVersion: "7", finalizers: [FINALIZER] };
}

test("Nodes of another operator stay as they are", async () => {
  const metadata = heldMeta("demo");
  const items = [{ metadata: { ...metadata, annotations: { "knit.dev/operator": "other/knit" } } }];
  const page = () => Promise.resolve({ items, resourceVersion: "1", next: undefined });
  const options = { client: { ...client, page }, watchNamespaces: [], log: silentLog };
  expect(
    await releaseNodes({ ...options, operatorId: "ops/knit-operator" }, new AbortController().signal),
  ).toBe(0);
});

test("a namespace that cannot be read holds up no other, and is named in the end", async () => {
  const metadata = heldMeta("here");
  let isHeld = true;
  const page = async ({ namespace }: { namespace: string | undefined }) => {
    if (namespace === "gone") throw new KubeError("forbidden", "no rights");
    return { items: isHeld ? [{ metadata }] : [], resourceVersion: "1", next: undefined };
  };
  const merge = async () => {
    isHeld = false;
  };
  const options = {
    client: { ...client, page, merge },
    watchNamespaces: ["gone", "here"],
    log: silentLog,
    operatorId: "ops/knit-operator",
  };
  await expect(releaseNodes(options, new AbortController().signal)).rejects.toThrow(
    "the namespace gone: no rights",
  );
  expect(isHeld).toBe(false);
});

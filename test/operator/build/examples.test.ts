/**
 * Manifests of the objects that the operator writes for each example, one Node of each type, kept as files so that a change
 * shows in them. `KNIT_EXAMPLES=write npm test -- test/operator/build/examples` writes them anew.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { parseAllDocuments, stringify } from "yaml";
import { reconcile } from "../../../operator/reconcile/reconcile.ts";
import type { FakeCluster } from "../../support/fake-cluster.ts";
import { freshCluster } from "../../support/fresh-cluster.ts";

const DIRECTORY = new URL("examples/", import.meta.url);

interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: Readonly<Record<string, unknown>> & { readonly type?: string };
}

interface Written {
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

let cluster: FakeCluster;
freshCluster((fresh) => {
  cluster = fresh;
});

const resourcesOf = (example: string): readonly Resource[] =>
  parseAllDocuments(readFileSync(`examples/${example}`, "utf8")).map((each) => each.toJS() as Resource);

/** The first Node of each type, of the example or of its Network's `spec.nodes`. */
function nodesOf(resources: readonly Resource[]): readonly Resource[] {
  const network = resources.find(({ kind }) => kind === "Network");
  const listed = ((network?.spec["nodes"] ?? []) as readonly (Resource["spec"] & { name: string })[]).map(
    ({ name, ...spec }) => ({
      apiVersion: "knit.dev/v1alpha1",
      kind: "Node",
      metadata: { name },
      spec: { ...spec, network: { name: network?.metadata.name } },
    }),
  );
  const all = [...resources.filter(({ kind }) => kind === "Node"), ...listed];
  return [...Map.groupBy(all, ({ spec }) => spec.type).values()].flatMap(([first]) => first ?? []);
}

/** An object as a file has it: without what the server adds, digests of the operator and contents of Secrets. */
function manifestOf({ metadata, ...rest }: Written): object {
  const { name, labels } = metadata;
  const content = rest.kind === "Secret" ? { kind: rest.kind } : rest;
  const text = JSON.stringify({ ...content, metadata: { name, labels } }, (key, value: unknown) =>
    key === "annotations" ? undefined : value,
  );
  return JSON.parse(text) as object;
}

async function manifests(example: string): Promise<string> {
  const resources = resourcesOf(example);
  for (const resource of resources.filter(({ kind }) => kind === "Network")) {
    const { name } = resource.metadata;
    cluster.put({ ...resource, metadata: { name, namespace: "demo" } });
    const genesis = { name: `${name}-genesis`, namespace: "demo" };
    cluster.put({ apiVersion: "v1", kind: "ConfigMap", metadata: genesis, data: { "genesis.json": "{}" } });
  }
  let keys = 0;
  const deps = { ...cluster.deps(), createKey: () => String(++keys).padStart(64, "0") };
  const nodes = nodesOf(resources);
  for (const { metadata, spec } of nodes) cluster.putNode(metadata.name, spec);
  const given = new Set(cluster.objects.keys());
  for (const { metadata } of nodes) await reconcile(cluster.node(metadata.name), deps);
  return [...cluster.objects]
    .filter(([key]) => !given.has(key))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, object]) => `---\n${stringify(manifestOf(object as unknown as Written), { lineWidth: 0 })}`)
    .join("");
}

test.each(readdirSync("examples"))("%s makes the same objects as before", async (example) => {
  const text = await manifests(example);
  const file = new URL(example, DIRECTORY);
  if (process.env["KNIT_EXAMPLES"] === "write") {
    mkdirSync(DIRECTORY, { recursive: true });
    writeFileSync(file, text);
  }
  expect(text).toBe(readFileSync(file, "utf8"));
  expect(text.length).toBeGreaterThan(1_000);
});

/** Resources in the pages about the operator: each Node and Network fits its definition. */
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { parseAllDocuments } from "yaml";
import { readNetwork, readNode } from "../../../operator/api/resource.ts";

interface Shown {
  readonly kind?: string;
  readonly metadata?: { readonly name?: string };
}

/** The pages shorten node URLs. */
const URL_SHOWN = `kni://${"ab".repeat(64)}`;

const READERS = { Node: readNode, Network: readNetwork } as const;

const examples = globSync(["docs/operator.md", "docs/operator/*.md"]).flatMap((page) =>
  [
    ...readFileSync(page, "utf8")
      .replaceAll("kni://...", URL_SHOWN)
      .matchAll(/^```yaml\n(.*?)^```/gms),
  ].flatMap(([, text = ""]) =>
    parseAllDocuments(text).flatMap((document) => {
      const shown = document.toJS() as Shown | null;
      const kind = shown?.kind;
      return kind === "Node" || kind === "Network" ? [[page, kind, shown] as const] : [];
    }),
  ),
);

test.each(examples)("%s: a %s can be read", (_page, kind, shown) => {
  const metadata = { ...shown?.metadata, namespace: "demo", uid: "u", resourceVersion: "1" };
  expect(READERS[kind]({ ...shown, metadata }).meta.name).toBe(shown?.metadata?.name);
});

test("there are examples to read", () => expect(examples.length).toBeGreaterThan(5));

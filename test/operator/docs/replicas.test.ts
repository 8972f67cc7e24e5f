/** The page on scaling and on starts from a copy: its resources fit the definitions. */
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { parse } from "yaml";
import { definitions } from "../../../operator/api/definition.ts";
import { readNode } from "../../../operator/api/resource.ts";

const page = readFileSync("docs/operator/replicas.md", "utf8");
const [autoscaler, sibling, node] = [...page.matchAll(/^```yaml\n(.*?)^```/gms)].map(
  ([, text = ""]) => parse(text) as { metadata: object; spec: Record<string, unknown> },
);

test("the Node starts from the archive of the page", () => {
  const { spec } = readNode({ ...node, metadata: { ...node?.metadata, uid: "u", resourceVersion: "1" } });
  expect(spec.bootstrap).toMatchObject({ url: "s3://archive/demo", credentialsSecret: "archive" });
});

test("the Node with siblings starts from them", () => {
  const metadata = { ...sibling?.metadata, uid: "u", resourceVersion: "1" };
  expect(readNode({ ...sibling, metadata }).spec.bootstrap).toMatchObject({ from: "Sibling" });
});

test("the autoscaler refers to a kind with replicas", () => {
  const [definition] = definitions;
  const target = autoscaler?.spec["scaleTargetRef"];
  expect(target).toMatchObject({
    apiVersion: `${definition?.spec.group}/${definition?.spec.versions[0]?.name}`,
    kind: definition?.spec.names.kind,
  });
  expect(definition?.spec.versions[0]?.subresources).toHaveProperty("scale");
});

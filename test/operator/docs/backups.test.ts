/** The page on backups: a Node that backs up, and one that is restored from the same archive. */
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { parseAllDocuments } from "yaml";
import { annotations, operations } from "../../../operator/api/names.ts";
import { storeVariables } from "../../../operator/api/node-bootstrap.ts";
import { readNetwork, readNode } from "../../../operator/api/resource.ts";
import { nodeDeclarations } from "../../../operator/observe/node-metrics.ts";

const page = readFileSync("docs/operator/backups.md", "utf8");
const documents = [...page.matchAll(/^```yaml\n(.*?)^```/gms)].flatMap(([, text = ""]) =>
  parseAllDocuments(text).map((document) => document.toJS() as { metadata: object }),
);
const [saved, network, restored] = documents.map((given) => ({
  ...given,
  metadata: { ...given.metadata, namespace: "demo", uid: "u", resourceVersion: "1" },
}));

test("the restored Node starts from the archive of the backups, on the genesis that is copied", () => {
  const { backup } = readNode(saved).spec;
  expect(readNode(restored).spec.bootstrap).toMatchObject({
    url: backup?.to.url,
    credentialsSecret: backup?.to.credentialsSecret,
  });
  expect(page).toContain(`create configmap ${readNetwork(network).spec.genesis.configMap?.name} `);
});

test("the annotation, the variables and the metrics are those that there are", () => {
  const [, value = ""] = new RegExp(`${annotations.run}=([a-z-]+)`).exec(page) ?? [];
  expect(Object.keys(operations)).toContain(value);
  for (const name of storeVariables) expect(page).toContain(`\`${name}\``);
  const metrics = nodeDeclarations.map(({ name }) => name).filter((name) => name.includes("_backup_"));
  expect(metrics).toHaveLength(4);
  for (const name of metrics) expect(page).toContain(`\`${name}\``);
});

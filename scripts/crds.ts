/** Writes what is printed from `operator/api`: `crds/`, the chart's copy and the page on the resource. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { definitionText } from "../operator/api/definition.ts";
import { resourceDocs } from "./resource-docs.ts";

const files = {
  "crds/knit.dev_nodes.yaml": definitionText(),
  "charts/knit-operator/crds/knit.dev_nodes.yaml": definitionText(),
  "docs/node-resource.md": resourceDocs(),
};
for (const [name, text] of Object.entries(files)) {
  const file = fileURLToPath(new URL(`../${name}`, import.meta.url));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(`wrote ${name}`);
}

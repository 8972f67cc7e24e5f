/** Writes what is printed from `operator/api`: `crds/`, the chart's copy and the page on the resource. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { definitionFiles } from "../operator/api/definition.ts";
import { resourceDocs } from "./resource-docs.ts";

const copies = ["crds", "charts/knit-operator/crds"];
const files = Object.fromEntries([
  ...copies.flatMap((directory) => definitionFiles().map(([name, text]) => [`${directory}/${name}`, text])),
  ["docs/node-resource.md", resourceDocs()],
]) as Readonly<Record<string, string>>;
for (const [name, text] of Object.entries(files)) {
  const file = fileURLToPath(new URL(`../${name}`, import.meta.url));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(`wrote ${name}`);
}

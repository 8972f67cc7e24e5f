/** Writes the CustomResourceDefinition to `crds/` and to the chart's copy. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { definitionText } from "../operator/api/definition.ts";

for (const place of ["crds", "charts/knit-operator/crds"]) {
  const file = fileURLToPath(new URL(`../${place}/knit.dev_nodes.yaml`, import.meta.url));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, definitionText());
  console.log(`wrote ${place}/knit.dev_nodes.yaml`);
}

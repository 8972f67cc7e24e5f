/** Metadata of the charts for Artifact Hub, by the rules of its page on annotations; in the tree and in a release. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { definitions } from "../../operator/api/definition.ts";
import { readNetwork, readNode } from "../../operator/api/resource.ts";
import { type Change, changesOf, charts, writeReleaseCharts } from "../../scripts/release-charts.ts";

interface Chart {
  readonly name: string;
  readonly version: string;
  readonly home?: string;
  readonly icon?: string;
  readonly annotations: Readonly<Record<string, string>>;
}

const CATEGORIES = [
  "ai-machine-learning",
  "database",
  "integration-delivery",
  "monitoring-logging",
  "networking",
  "security",
  "storage",
  "streaming-messaging",
  "skip-prediction",
];
const CAPABILITIES = ["Basic Install", "Seamless Upgrades", "Full Lifecycle", "Deep Insights", "Auto Pilot"];
const CHANGES = ["added", "changed", "deprecated", "removed", "fixed", "security"];
const PLACES = { registry: "ghcr.io/owner", repository: "https://github.com/owner/knit" };

const chartIn = (directory: string): Chart =>
  parse(readFileSync(join(directory, "Chart.yaml"), "utf8")) as Chart;
const version = (JSON.parse(readFileSync("package.json", "utf8")) as { version: string }).version;

/** An annotation whose text is YAML. */
function listIn({ annotations }: Chart, name: string): readonly Readonly<Record<string, unknown>>[] {
  return (parse(annotations[`artifacthub.io/${name}`] ?? "[]") ?? []) as Readonly<Record<string, unknown>>[];
}

let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "knit-charts-"));
  writeReleaseCharts(directory, PLACES);
});
afterAll(() => rmSync(directory, { recursive: true }));

describe.each([...charts])("%s", (name) => {
  test.each(["in the tree", "in a release"])("has metadata that Artifact Hub accepts, %s", (place) => {
    const chart = chartIn(place === "in the tree" ? `charts/${name}` : join(directory, name));
    const { annotations } = chart;
    expect(chart.version).toBe(version);
    expect(CATEGORIES).toContain(annotations["artifacthub.io/category"]);
    expect(annotations["artifacthub.io/license"]).toBe("Apache-2.0");
    for (const flag of ["operator", "prerelease"])
      expect(["true", "false"]).toContain(annotations[`artifacthub.io/${flag}`]);
    for (const text of Object.values(annotations)) expect(typeof text).toBe("string");
  });

  test("in a release names its home, its links and its licence", () => {
    const chart = chartIn(join(directory, name));
    expect(chart.home).toBe(PLACES.repository);
    expect(existsSync(join(directory, name, "LICENSE"))).toBe(true);
    expect(listIn(chart, "links").map(({ url }) => String(url).startsWith(PLACES.repository))).toEqual([
      true,
      true,
    ]);
    expect(existsSync(chart.icon?.replace(/^.*?\/v[\d.]+\//, "") ?? "")).toBe(true);
  });
});

describe("knit-operator", () => {
  test("lists its definitions as they are, and examples that fit them", () => {
    const chart = chartIn("charts/knit-operator");
    expect(CAPABILITIES).toContain(chart.annotations["artifacthub.io/operatorCapabilities"]);
    expect(listIn(chart, "crds")).toEqual(
      definitions.map(({ metadata, spec }) => ({
        kind: spec.names.kind,
        version: spec.versions[0]?.name,
        name: metadata.name,
        displayName: spec.names.kind,
        description: spec.versions[0]?.schema.openAPIV3Schema.description,
      })),
    );
    const readers: Readonly<Record<string, (object: unknown) => unknown>> = {
      Node: readNode,
      Network: readNetwork,
    };
    for (const example of listIn(chart, "crdsExamples")) {
      const metadata = {
        ...(example["metadata"] as object),
        namespace: "demo",
        uid: "u",
        resourceVersion: "1",
      };
      expect(readers[String(example["kind"])]?.({ ...example, metadata })).toBeDefined();
    }
  });

  test("in a release has the images that its values name, and pictures that exist", () => {
    const chart = chartIn(join(directory, "knit-operator"));
    const values = parse(readFileSync(join(directory, "knit-operator/values.yaml"), "utf8")) as Readonly<
      Record<"image" | "nodeImage", { repository: string }>
    >;
    expect(listIn(chart, "images").map(({ image }) => image)).toEqual(
      [values.image, values.nodeImage].map(({ repository }) => `${repository}:${version}`),
    );
    const pictures = listIn(chart, "screenshots").map(({ url }) =>
      String(url).replace(/^.*?\/v[\d.]+\//, ""),
    );
    expect(pictures.filter((picture) => !existsSync(picture))).toEqual([]);
    const changes = listIn(chart, "changes") as unknown as readonly Change[];
    expect(changes.length).toBeGreaterThan(3);
    for (const { kind, description } of changes) {
      expect(CHANGES).toContain(kind);
      expect(description).not.toMatch(/`|\]\(/);
    }
  });
});

test("changes are those of the version, of its pre-releases and of the operator", () => {
  const changelog = `# Changelog
## Unreleased
### Added
#### Operator
- Not yet.
## 1.2.0 - 2026-01-01
### Added
#### Chain
- A fork.
#### Operator
- \`spec.x\` of a Node ([page](docs/x.md)).
### Fixed
#### Operator
- A wait.
## 1.2.0-rc.1 - 2025-12-01
### Changed
#### Operator
- A name.
## [1.2.01] - 2025-11-01
### Added
#### Operator
- Another version.
`;
  expect(changesOf(changelog, "1.2.0")).toEqual([
    { kind: "added", description: "spec.x of a Node (page)." },
    { kind: "fixed", description: "A wait." },
    { kind: "changed", description: "A name." },
  ]);
  expect(changesOf(changelog, "1.2.0-rc.1")).toEqual([{ kind: "changed", description: "A name." }]);
});

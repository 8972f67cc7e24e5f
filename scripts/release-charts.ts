/**
 * Copies the charts for a release: the registry of the images in their values, and what Artifact Hub shows of a release
 * (home, links, images, changes, screenshots) in Chart.yaml.
 *
 *   node scripts/release-charts.ts --out DIRECTORY --registry ghcr.io/OWNER --repository https://github.com/OWNER/NAME
 */
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Document, parseDocument, stringify } from "yaml";

/** Places of a release. */
export interface ReleasePlaces {
  /** Registry and owner of the images, such as `ghcr.io/OWNER`. */
  readonly registry: string;
  /** Address of the repository. */
  readonly repository: string;
}

/** A change, in the words of Artifact Hub. */
export interface Change {
  readonly kind: string;
  readonly description: string;
}

const root = fileURLToPath(new URL("../", import.meta.url));

/** Charts of a release. */
export const charts = ["knit-operator", "knit-network"] as const;

/** Maximum number of changes; Artifact Hub shows them as one list. */
const MAX_CHANGES = 100;

/** Returns what the sections of a version and of its pre-releases in a changelog say about the operator. */
export function changesOf(changelog: string, version: string): readonly Change[] {
  const sections = changelog.split(/^## /m).filter((text) => {
    const found = versionOf(text);
    return found === version || found.startsWith(`${version}-`);
  });
  return sections
    .flatMap((section) => section.split(/^### /m).slice(1))
    .flatMap((part) => {
      const kind = /^\w+/.exec(part)?.[0].toLowerCase() ?? "changed";
      const about = part.split(/^#### /m).find((text) => text.startsWith("Operator")) ?? "";
      return [...about.matchAll(/^- (.*)$/gm)].map(([, line = ""]) => ({
        kind,
        description: plainText(line),
      }));
    })
    .slice(0, MAX_CHANGES);
}

/** Returns the version of a section, such as `0.1.0` of `[0.1.0] - 2026-01-01`; empty for one without. */
function versionOf(section: string): string {
  return /^\[?(\d[^\s\]]*)/.exec(section)?.[1] ?? "";
}

function plainText(line: string): string {
  return line.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", "");
}

/** Writes the copies of all charts below `directory`. */
export function writeReleaseCharts(directory: string, places: ReleasePlaces): void {
  for (const name of charts) {
    const target = join(directory, name);
    cpSync(join(root, "charts", name), target, { recursive: true });
    const chart = parseDocument(readFileSync(join(target, "Chart.yaml"), "utf8"));
    const version = String(chart.get("version"));
    addMetadata(chart, name, version, places);
    writeFileSync(join(target, "Chart.yaml"), String(chart));
    cpSync(join(root, "LICENSE"), join(target, "LICENSE"));
    if (name === "knit-operator") writeImages(target, places);
  }
}

function addMetadata(chart: Document, name: string, version: string, places: ReleasePlaces): void {
  const { repository, registry } = places;
  const raw = `${repository.replace("https://github.com/", "https://raw.githubusercontent.com/")}/v${version}`;
  chart.set("home", repository);
  chart.set("sources", [repository]);
  chart.set("icon", `${raw}/docs/pictures/icon.svg`);
  const links = [
    { name: "Documentation", url: `${repository}/blob/v${version}/docs/operator.md` },
    { name: "Support", url: `${repository}/issues` },
  ];
  const add = (key: string, value: unknown): void =>
    chart.setIn(["annotations", `artifacthub.io/${key}`], stringify(value, { lineWidth: 0 }));
  add("links", links);
  if (name !== "knit-operator") return;
  const images = ["knit-operator", "knit"].map((image) => ({
    name: image,
    image: `${registry}/${image}:${version}`,
    platforms: ["linux/amd64", "linux/arm64"],
  }));
  add("images", images);
  add("screenshots", [
    { title: "The status page of the operator", url: `${raw}/docs/pictures/operator-page.png` },
  ]);
  const changes = changesOf(readFileSync(join(root, "CHANGELOG.md"), "utf8"), version);
  if (changes.length > 0) add("changes", changes);
}

function writeImages(target: string, { registry }: ReleasePlaces): void {
  const file = join(target, "values.yaml");
  const values = parseDocument(readFileSync(file, "utf8"));
  values.setIn(["image", "repository"], `${registry}/knit-operator`);
  values.setIn(["nodeImage", "repository"], `${registry}/knit`);
  writeFileSync(file, String(values));
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { out: { type: "string" }, registry: { type: "string" }, repository: { type: "string" } },
  });
  const { out, registry, repository } = values;
  if (out === undefined || registry === undefined || repository === undefined)
    throw new Error("name --out, --registry and --repository");
  writeReleaseCharts(out, { registry, repository });
}

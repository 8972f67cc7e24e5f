/** The bundle for the Operator Lifecycle Manager: in step with its sources, and in a release with its places. */
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { parse } from "yaml";
import { bundleFiles } from "../../scripts/bundle.ts";

interface ServiceVersion {
  readonly metadata: { readonly name: string; readonly annotations: Readonly<Record<string, string>> };
  readonly spec: {
    readonly version: string;
    readonly icon: readonly { readonly base64data: string }[];
    readonly links?: readonly { readonly url: string }[];
    readonly relatedImages: readonly { readonly image: string }[];
    readonly install: {
      readonly spec: {
        readonly deployments: readonly {
          readonly spec: {
            readonly template: {
              readonly spec: {
                readonly containers: readonly {
                  readonly image: string;
                  readonly args: readonly string[];
                  readonly env: readonly { readonly name: string }[];
                }[];
              };
            };
          };
        }[];
      };
    };
  };
}

const MANIFEST = "manifests/knit-operator.clusterserviceversion.yaml";

test.each(Object.entries(bundleFiles()))("bundle/%s is what npm run generate writes", (name, text) => {
  expect(readFileSync(`bundle/${name}`, "utf8")).toBe(text);
});

test("the version is that of the package, and its examples are JSON", () => {
  const { metadata, spec } = parse(bundleFiles()[MANIFEST] ?? "") as ServiceVersion;
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  expect([metadata.name, spec.version]).toEqual([`knit-operator.v${version}`, version]);
  const examples = JSON.parse(metadata.annotations["alm-examples"] ?? "") as readonly { kind: string }[];
  expect(new Set(examples.map(({ kind }) => kind))).toEqual(new Set(["Node", "Network"]));
  expect(Buffer.from(spec.icon[0]?.base64data ?? "", "base64").toString()).toContain("<svg");
});

test("each variable in an argument is one of the container", () => {
  const { spec } = parse(bundleFiles()[MANIFEST] ?? "") as ServiceVersion;
  const [container] = spec.install.spec.deployments[0]?.spec.template.spec.containers ?? [];
  const used = (container?.args ?? []).flatMap((argument) => argument.match(/(?<=\$\()\w+/) ?? []);
  expect(used.sort()).toEqual(["OPERATOR_NAMESPACE", "WATCH_NAMESPACE"]);
  expect(container?.env.map(({ name }) => name)).toEqual(expect.arrayContaining([...used]));
});

test("a release has its registry in every image, and its links", () => {
  const files = bundleFiles({ registry: "ghcr.io/owner", repository: "https://github.com/owner/knit" });
  const { metadata, spec } = parse(files[MANIFEST] ?? "") as ServiceVersion;
  const images = spec.relatedImages.map(({ image }) => image);
  expect(images).toEqual([
    `ghcr.io/owner/knit-operator:${spec.version}`,
    `ghcr.io/owner/knit:${spec.version}`,
  ]);
  const [container] = spec.install.spec.deployments[0]?.spec.template.spec.containers ?? [];
  expect([metadata.annotations["containerImage"], container?.image]).toEqual([images[0], images[0]]);
  expect(container?.args).toEqual(
    expect.arrayContaining([`--gateway-image=${images[0]}`, `--node-image=${images[1]}`]),
  );
  expect(spec.links?.[0]?.url).toMatch(/^https:\/\/github\.com\/owner\/knit\/blob\//);
});

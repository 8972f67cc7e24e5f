/** Tests of the probes of a pod's containers, and of missing answers. */
import { expect, test } from "@jest/globals";
import { podTemplate } from "../../../operator/build/stateful-set.ts";
import { aMember, PARTS } from "../../support/a-member.ts";

interface Container {
  readonly ports: readonly { readonly name: string }[];
  readonly startupProbe?: object;
  readonly livenessProbe?: object;
  readonly readinessProbe?: object;
}

const { containers, initContainers } = podTemplate(aMember(), PARTS)["spec"] as {
  containers: readonly Container[];
  initContainers: readonly Container[];
};
const httpProbe = (path: string, port: string) => ({ httpGet: { path, port } });
const portsOf = (container: Container | undefined) => container?.ports.map(({ name }) => name);

test("a node is asked whether it started, lives and is ready, and lives however far behind it is", () => {
  const [node] = containers;
  expect([node?.startupProbe, node?.livenessProbe, node?.readinessProbe]).toMatchObject([
    httpProbe("/healthz", "metrics"),
    httpProbe("/healthz", "metrics"),
    httpProbe("/readyz", "metrics"),
  ]);
  expect(portsOf(node)).toContain("metrics");
});

test("a gateway is asked whether it lives, not whether its node does", () => {
  const gateway = initContainers.at(-1);
  expect(gateway?.livenessProbe).toMatchObject(httpProbe("/healthz", "gateway-health"));
  expect(portsOf(gateway)).toContain("gateway-health");
});

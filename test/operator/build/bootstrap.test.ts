/** Pods of Nodes whose volumes are filled from an archive. */
import { expect, test } from "@jest/globals";
import { pod } from "../../../operator/api/names.ts";
import { podTemplate } from "../../../operator/build/stateful-set.ts";
import { aMember, PARTS } from "../../support/a-member.ts";

/** A container of the pod of a Node. */
function containerOf(spec: object, name: string) {
  const { initContainers = [], containers = [] } = podTemplate(aMember(spec), PARTS).spec ?? {};
  return [...initContainers, ...containers].find((each) => each.name === name);
}

test("an empty volume is filled from the archive of spec.bootstrap, with the credentials of its Secret alone", () => {
  const creator = `0x${"12".repeat(20)}`;
  const bootstrap = { url: "s3://archive/chain", creator, credentialsSecret: "store" };
  const genesis = containerOf({ bootstrap }, "genesis");
  expect(genesis?.args?.join(" ")).toMatch(
    `--bootstrap s3://archive/chain --bootstrap.creator ${creator} ${pod.genesisDirectory}/genesis.json`,
  );
  expect(genesis?.env).toContainEqual({
    name: "AWS_SECRET_ACCESS_KEY",
    valueFrom: { secretKeyRef: { name: "store", key: "AWS_SECRET_ACCESS_KEY", optional: true } },
  });
  expect(JSON.stringify(containerOf({ bootstrap }, "node"))).not.toContain("AWS_");
  expect(containerOf({}, "genesis")?.args).not.toContain("--bootstrap");
});

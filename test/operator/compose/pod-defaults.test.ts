/** The operator's choices for pods: words of its command line, and the addresses of its machine. */
import { expect, test } from "@jest/globals";
import { assignsIds, readPodDefaults } from "../../../operator/compose/pod-defaults.ts";

const address = (family: "IPv4" | "IPv6", text: string, internal = false) =>
  ({ family, address: text, internal, netmask: "", mac: "", cidr: null, scopeid: 0 }) as const;

test("words of the command line reach the pods, and others are refused", () => {
  const values = {
    "node-pull-policy": "Always",
    "gateway-pull-policy": "Never",
    "pull-secrets": "a,b",
    "pod-ids": "assigned",
  };
  expect(readPodDefaults(values, {})).toEqual({
    nodePullPolicy: "Always",
    gatewayPullPolicy: "Never",
    pullSecrets: ["a", "b"],
    assignsIds: true,
  });
  const empty = Object.fromEntries(Object.keys(values).map((name) => [name, ""]));
  expect(readPodDefaults(empty, {})).toEqual({});
  expect(() => readPodDefaults({ "node-pull-policy": "Sometimes" }, {})).toThrow(
    "--node-pull-policy must be one of",
  );
  expect(() => readPodDefaults({ "pod-ids": "mine" }, {})).toThrow(
    "--pod-ids must be one of fixed, assigned, detected",
  );
});

test("pods listen on IPv6 when the operator's own pod has such an address of the cluster", () => {
  const own = {
    lo: [address("IPv6", "::1", true)],
    eth0: [address("IPv4", "10.0.0.7"), address("IPv6", "fe80::1")],
  };
  expect(readPodDefaults({}, own)).toEqual({});
  expect(readPodDefaults({}, { ...own, eth1: [address("IPv6", "fd00::7")] })).toEqual({ listenHost: "::" });
});

test("a cluster assigns user ids when it serves the kind of OpenShift for that", async () => {
  const asked: string[] = [];
  const serving = (isServed: boolean) => ({
    serves: async ({ apiVersion, plural }: { apiVersion: string; plural: string }) => {
      asked.push(`${apiVersion}/${plural}`);
      return isServed;
    },
  });
  expect([await assignsIds(serving(true)), await assignsIds(serving(false))]).toEqual([true, false]);
  expect(new Set(asked)).toEqual(new Set(["security.openshift.io/v1/securitycontextconstraints"]));
  expect(readPodDefaults({ "pod-ids": "detected" }, {})).toEqual({});
});

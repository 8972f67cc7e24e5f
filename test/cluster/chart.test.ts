/** The chart as helm reads it: what its values make of it, and that each of them is described. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { parse, parseAllDocuments } from "yaml";

const SCRIPT = fileURLToPath(new URL("cluster.sh", import.meta.url));
const CHART = "charts/knit-operator";
const found = spawnSync(SCRIPT, ["helm"], { encoding: "utf8" });
const about = found.status === 0 ? describe : describe.skip;

interface Made {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly rules?: readonly object[];
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: {
      readonly spec: {
        readonly securityContext: object;
        readonly containers: readonly {
          args: string[];
          image: string;
          resources: object;
          securityContext: object;
        }[];
      };
    };
    readonly podMetricsEndpoints?: readonly object[];
  };
}

function helm(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(found.stdout.trim(), args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`helm ${args.join(" ")}: ${stdout}${stderr}`);
  return stdout;
}

/** The objects that these values make, by kind. */
function renderObjects(...values: string[]): ReadonlyMap<string, Made> {
  const sets = values.map((value) => `--set=${value}`);
  const text = helm("template", "knit-operator", CHART, "--namespace=knit-system", ...sets);
  const objects = parseAllDocuments(text).map((document) => document.toJS() as Made);
  return new Map(objects.map((object) => [`${object.kind} ${object.metadata.name}`, object]));
}

const HOOK = {
  annotations: expect.objectContaining({
    "helm.sh/hook": "post-delete",
    "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded",
  }),
};

/** The order in which helm runs hooks: by weight, then by name. */
function inHelmsOrder(hooks: readonly Made[]): readonly Made[] {
  const weight = ({ metadata }: Made): number => Number(metadata.annotations?.["helm.sh/hook-weight"] ?? 0);
  const byName = (a: Made, b: Made): number => (a.metadata.name < b.metadata.name ? -1 : 1);
  return hooks.toSorted((a, b) => weight(a) - weight(b) || byName(a, b));
}

/** Of an object's pods: the arguments, and what keeps them from doing harm. */
function podOf(all: ReadonlyMap<string, Made>, name: string) {
  const { spec } = all.get(name)?.spec?.template ?? {};
  const [container] = spec?.containers ?? [];
  return { args: container?.args, security: [spec?.securityContext, container?.securityContext] };
}

/** The paths of all values: an empty map or list is a value. */
function paths(value: unknown, path: string): readonly string[] {
  const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isMap || Object.keys(value).length === 0 || path === "resources") return [path];
  return Object.entries(value).flatMap(([name, each]) => paths(each, path === "" ? name : `${path}.${name}`));
}

about(`the chart${found.status === 0 ? "" : " (skipped: no helm)"}`, () => {
  test("has nothing that helm complains of", () => {
    expect(helm("lint", "--strict", CHART)).toContain("1 chart(s) linted, 0 chart(s) failed");
  });

  test("gives rights in all namespaces, or in the one that is watched alone", () => {
    const everywhere = renderObjects();
    expect([...everywhere.keys()]).toEqual(
      expect.arrayContaining(["ClusterRole knit-operator", "ClusterRoleBinding knit-operator"]),
    );
    const one = renderObjects("watchNamespace=mine");
    expect([...one.keys()].filter((name) => name.startsWith("Cluster"))).toEqual([]);
    expect(one.get("Role knit-operator")?.metadata.namespace).toBe("mine");
    expect(one.get("Role knit-operator-own")?.metadata.namespace).toBe("knit-system");
  });

  test("passes its values on to the operator", () => {
    const values = ["replicas=2", "logLevel=debug", "pollSeconds=7", "peerAddress=pod", "image.tag=t"];
    const deployment = renderObjects(...values, "resources.limits.memory=1Gi").get(
      "Deployment knit-operator",
    );
    expect(deployment?.spec?.replicas).toBe(2);
    const [operator] = deployment?.spec?.template?.spec.containers ?? [];
    expect(operator).toMatchObject({
      image: "knit-operator:t",
      resources: { limits: { memory: "1Gi" } },
      args: expect.arrayContaining([
        "--gateway-image=knit-operator:t",
        "--log-level=debug",
        "--poll-seconds=7",
        "--peer-address=pod",
      ]),
    });
  });

  test.each([
    ["ClusterRole", "", {}],
    ["Role", "mine", { namespace: "mine" }],
  ])("releases the Nodes behind its own deletion: by a %s, in %j", (role, watched, place) => {
    const all = renderObjects(`watchNamespace=${watched}`);
    const hooks = [...all].flatMap(([name, { metadata }]) =>
      metadata.annotations ? [[name, metadata]] : [],
    );
    expect(Object.keys(Object.fromEntries(hooks)).sort()).toEqual(
      [
        "Job knit-operator-release",
        `${role} knit-operator-release`,
        `${role}Binding knit-operator-release`,
        "Role knit-operator-release-own",
        "RoleBinding knit-operator-release-own",
        "ServiceAccount knit-operator-release",
      ].sort(),
    );
    expect(hooks.map(([, metadata]) => metadata)).toEqual(hooks.map(() => expect.objectContaining(HOOK)));
    expect(all.get(`${role} knit-operator-release`)).toMatchObject({
      metadata: place,
      rules: [{ apiGroups: ["knit.dev"], resources: ["nodes"], verbs: ["list", "patch"] }],
    });
    const scope = ["--namespace=knit-system", "--lease=knit-operator"];
    const terms = [...scope, `--watch-namespace=${watched}`, "--log-level=info"];
    const [operator, job] = [podOf(all, "Deployment knit-operator"), podOf(all, "Job knit-operator-release")];
    expect(job.args).toEqual(["release", ...terms]);
    expect(operator.security).not.toContain(undefined);
    expect(job.security).toEqual(operator.security);
  });

  test.each(["", "mine"])(
    "runs the release Job behind its account and its rights, watching %j",
    (watched) => {
      const hooks = [...renderObjects(`watchNamespace=${watched}`).values()].filter(
        ({ metadata }) => metadata.annotations !== undefined,
      );
      expect(inHelmsOrder(hooks).map(({ kind }) => kind === "Job")).toEqual([
        ...Array<boolean>(5).fill(false),
        true,
      ]);
    },
  );

  test("makes a PodMonitor when it is asked to, and none by itself", () => {
    expect(renderObjects().has("PodMonitor knit-operator")).toBe(false);
    const monitor = renderObjects("monitoring.podMonitor=true,monitoring.intervalSeconds=15").get(
      "PodMonitor knit-operator",
    );
    expect(monitor?.spec?.podMetricsEndpoints).toEqual([
      { port: "health", path: "/metrics", interval: "15s" },
    ]);
  });

  test("describes each of its values", () => {
    const readme = readFileSync(`${CHART}/README.md`, "utf8");
    const values = paths(parse(readFileSync(`${CHART}/values.yaml`, "utf8")), "");
    expect(values.length).toBeGreaterThan(10);
    expect(values.filter((path) => !readme.includes(`\`${path}\``))).toEqual([]);
  });
});

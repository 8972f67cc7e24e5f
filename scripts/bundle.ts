/**
 * Writes the bundle for the Operator Lifecycle Manager: the ClusterServiceVersion with the rights of the chart and the
 * Deployment that the chart makes, the definitions, the annotations and the Dockerfile. Without options it writes `bundle/`,
 * with images as the chart's defaults name them; a release names its registry and repository:
 *
 *   node scripts/bundle.ts --out DIRECTORY --registry ghcr.io/OWNER --repository https://github.com/OWNER/NAME
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { parse, parseAllDocuments, stringify } from "yaml";
import { definitionFiles, definitions } from "../operator/api/definition.ts";

/** Places of a release; in the tree they are unknown. */
export interface BundlePlaces {
  readonly registry?: string | undefined;
  readonly repository?: string | undefined;
}

const root = fileURLToPath(new URL("../", import.meta.url));
const read = (name: string): string => readFileSync(join(root, name), "utf8");

const NAME = "knit-operator";
const CHART = "charts/knit-operator";
const LABELS = { "app.kubernetes.io/name": NAME, "app.kubernetes.io/instance": NAME };

/** Labels of the bundle, in its annotations and on its image. */
const BUNDLE_LABELS = {
  "operators.operatorframework.io.bundle.mediatype.v1": "registry+v1",
  "operators.operatorframework.io.bundle.manifests.v1": "manifests/",
  "operators.operatorframework.io.bundle.metadata.v1": "metadata/",
  "operators.operatorframework.io.bundle.package.v1": NAME,
  "operators.operatorframework.io.bundle.channels.v1": "alpha",
  "operators.operatorframework.io.bundle.channel.default.v1": "alpha",
};

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

interface Values {
  readonly image: { readonly pullPolicy: string };
  readonly nodeImage: { readonly pullPolicy: string };
  readonly resources: object;
  readonly replicas: number;
}

/** Returns the files of the bundle by their path below its directory. */
export function bundleFiles(places: BundlePlaces = {}): Readonly<Record<string, string>> {
  const annotations = stringify({ annotations: BUNDLE_LABELS });
  const labels = Object.entries(BUNDLE_LABELS).map(([label, value]) => `LABEL ${label}=${value}`);
  return {
    "manifests/knit-operator.clusterserviceversion.yaml": stringify(serviceVersion(places), { lineWidth: 0 }),
    ...Object.fromEntries(definitionFiles().map(([name, text]) => [`manifests/${name}`, text])),
    "metadata/annotations.yaml": annotations,
    "bundle.Dockerfile": `${["FROM scratch", ...labels, "COPY manifests /manifests/", "COPY metadata /metadata/"].join("\n")}\n`,
  };
}

function serviceVersion({ registry, repository }: BundlePlaces) {
  const chart = parse(read(`${CHART}/Chart.yaml`)) as {
    readonly version: string;
    readonly description: string;
    readonly kubeVersion: string;
    readonly keywords: readonly string[];
    readonly annotations: Readonly<Record<string, string>>;
  };
  const imageOf = (name: string): string =>
    `${registry === undefined ? "" : `${registry}/`}${name}:${chart.version}`;
  const images = { operator: imageOf(NAME), node: imageOf("knit") };
  const examples = parseAllDocuments(read("examples/network.yaml")).map(
    (document) => document.toJS() as object,
  );
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: {
      name: `${NAME}.v${chart.version}`,
      namespace: "placeholder",
      annotations: {
        "alm-examples": JSON.stringify(examples),
        capabilities: chart.annotations["artifacthub.io/operatorCapabilities"],
        categories: "Networking",
        containerImage: images.operator,
        description: chart.description,
        ...(repository === undefined ? {} : { repository, support: `${repository}/issues` }),
      },
    },
    spec: {
      displayName: "Knit",
      description: DESCRIPTION,
      version: chart.version,
      maturity: "alpha",
      minKubeVersion: /\d+\.\d+\.\d+/.exec(chart.kubeVersion)?.[0],
      keywords: chart.keywords,
      provider: { name: "Knit" },
      ...(repository === undefined
        ? {}
        : {
            links: [{ name: "Documentation", url: `${repository}/blob/v${chart.version}/docs/operator.md` }],
          }),
      icon: [
        {
          base64data: Buffer.from(read("docs/pictures/icon.svg")).toString("base64"),
          mediatype: "image/svg+xml",
        },
      ],
      customresourcedefinitions: { owned: definitions.map(ownedDefinition) },
      installModes: ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"].map((type) => ({
        type,
        supported: true,
      })),
      install: {
        strategy: "deployment",
        spec: {
          // The clusters of the Lifecycle Manager are mostly those of OpenShift, which guard owners.
          permissions: [
            {
              serviceAccountName: NAME,
              rules: [
                ...chartRules("rules"),
                ...chartRules("namespaceRules"),
                ...chartRules("ownerRules"),
                ...OWN_RULES,
              ],
            },
          ],
          deployments: [{ name: NAME, label: LABELS, spec: deploymentSpec(images) }],
        },
      },
      relatedImages: Object.entries(images).map(([name, image]) => ({ name, image })),
    },
  };
}

const DESCRIPTION = `Runs Klaytn and Kaia nodes and knits them into networks.

- A Network describes a chain: a new one, an existing one, or the public networks Kairos and Mainnet.
- A Node describes one node or several replicas of it, each with its own key and volume.
- The operator connects the nodes, replaces and maintains them one at a time, and never stops a chain below its quorum.
`;

function ownedDefinition({ metadata, spec }: (typeof definitions)[number]) {
  const [version] = spec.versions;
  return {
    name: metadata.name,
    kind: spec.names.kind,
    version: version?.name,
    displayName: spec.names.kind,
    description: version?.schema.openAPIV3Schema.description,
  };
}

/** Reads rights on Nodes and their objects, which the chart has as plain YAML in a named template. */
function chartRules(template: "rules" | "namespaceRules" | "ownerRules"): readonly Rule[] {
  const text = read(`${CHART}/templates/_helpers.tpl`);
  const [, rules] = text.split(`define "knit-operator.${template}" -}}\n`);
  if (rules === undefined) throw new Error(`the chart has no ${template}`);
  return parse(rules.slice(0, rules.indexOf("{{- end"))) as readonly Rule[];
}

/** Rights on the operator's own objects: its authority and its Lease, as in the chart's role of its namespace. */
const OWN_RULES: readonly Rule[] = [
  {
    apiGroups: [""],
    resources: ["secrets"],
    resourceNames: ["knit-operator-authority"],
    verbs: ["get", "update"],
  },
  {
    apiGroups: ["coordination.k8s.io"],
    resources: ["leases"],
    resourceNames: [NAME],
    verbs: ["get", "update"],
  },
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create"] },
];

const fieldOf = (fieldPath: string) => ({ valueFrom: { fieldRef: { fieldPath } } });
const probe = (path: string, periodSeconds: number) => ({
  httpGet: { path, port: "health" },
  periodSeconds,
  timeoutSeconds: 5,
});

/** Returns the Deployment of the chart's defaults. The Lifecycle Manager tells the watched namespaces by an annotation of the pod. */
function deploymentSpec(images: { readonly operator: string; readonly node: string }) {
  const values = parse(read(`${CHART}/values.yaml`)) as Values;
  return {
    replicas: values.replicas,
    selector: { matchLabels: LABELS },
    template: {
      metadata: { labels: LABELS },
      spec: {
        serviceAccountName: NAME,
        terminationGracePeriodSeconds: 30,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
        containers: [
          {
            name: "operator",
            image: images.operator,
            imagePullPolicy: values.image.pullPolicy,
            args: operatorArguments(values, images),
            env: [
              { name: "HOME", value: "/" },
              { name: "OPERATOR_NAMESPACE", ...fieldOf("metadata.namespace") },
              { name: "WATCH_NAMESPACE", ...fieldOf("metadata.annotations['olm.targetNamespaces']") },
            ],
            ports: [{ name: "health", containerPort: 8080 }],
            livenessProbe: probe("/healthz", 20),
            readinessProbe: probe("/readyz", 5),
            resources: values.resources,
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ["ALL"] },
            },
          },
        ],
      },
    },
  };
}

function operatorArguments(values: Values, images: { readonly operator: string; readonly node: string }) {
  return [
    "run",
    "--namespace=$(OPERATOR_NAMESPACE)",
    `--lease=${NAME}`,
    `--node-image=${images.node}`,
    `--gateway-image=${images.operator}`,
    "--watch-namespace=$(WATCH_NAMESPACE)",
    `--node-pull-policy=${values.nodeImage.pullPolicy}`,
    `--gateway-pull-policy=${values.image.pullPolicy}`,
    "--pull-secrets=",
    "--pod-ids=detected",
    "--peer-address=service",
    "--poll-seconds=10",
    "--log-level=info",
    "--health-address=0.0.0.0:8080",
    "--status-port=8081",
  ];
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      out: { type: "string", default: join(root, "bundle") },
      registry: { type: "string" },
      repository: { type: "string" },
    },
  });
  for (const [name, text] of Object.entries(bundleFiles(values))) {
    const file = join(values.out, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  console.log(`wrote ${values.out}`);
}

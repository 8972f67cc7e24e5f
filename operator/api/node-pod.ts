/**
 * Schema of `spec.podTemplate`: additions to the pods of a Node. Lists hold objects of Kubernetes' own types, which the
 * API server judges with the pod; the fields that rules protect are declared here.
 */
import { objectName } from "./fields.ts";
import { labels, pod } from "./names.ts";
import {
  anyObject,
  integer,
  list,
  object,
  openObject,
  optional,
  type Rule,
  text,
  texts,
  withRules,
} from "./schema.ts";

const ownContainers = ["genesis", "node", "gateway"] as const;
const ownVolumes = ["data", "socket", "settings", "genesis", "nodekey", "certificates"] as const;
/** Prefixes of the variables in which the node reads its flags: `spec.settings` has those that users may set. */
const flagPrefixes = ["KNIT_", "KLAYTN_", "KAIA_"] as const;
const ownLabels = [labels.name, labels.instance, labels.component, labels.managedBy] as const;
const ownDirectories = [
  pod.dataDirectory,
  pod.socketDirectory,
  pod.settingsDirectory,
  pod.genesisDirectory,
  pod.nodeKeyDirectory,
  "/app",
] as const;

const celList = (words: readonly string[]): string => `['${words.join("','")}']`;

/** Rule: no item of a list has a name that the operator owns. */
function ownNames(what: string, names: readonly string[]): Rule {
  return {
    rule: `self.all(each, !(each.name in ${celList(names)}))`,
    message: `cannot contain a ${what} that the operator owns: ${names.join(", ")}`,
  };
}

const NAME_LENGTH = { maxLength: 253, minLength: 1 };
const items = (maxItems: number) => ({ maxItems, "x-kubernetes-list-type": "atomic" }) as const;

const environment = withRules(
  list(
    openObject("An environment variable, as in a pod.", { name: text("Name.", NAME_LENGTH) }),
    "Further environment variables of the node's container, as in env of a container.",
    items(64),
  ),
  {
    rule: `self.all(each, each.name != 'HOME' && !${celList(flagPrefixes)}.exists(own, each.name.startsWith(own)))`,
    message: `cannot contain a variable that the operator owns: HOME, ${flagPrefixes.map((own) => `${own}*`).join(", ")}; flags belong into settings`,
  },
);

const volumes = withRules(
  list(
    openObject("A volume, as in a pod.", { name: text("Name.", NAME_LENGTH) }),
    "Further volumes, as in volumes of a pod.",
    items(16),
  ),
  ownNames("volume", ownVolumes),
);

const mount = openObject("A mount, as in a container.", {
  name: text("Name of the volume.", NAME_LENGTH),
  mountPath: text("Directory in the container.", { maxLength: 1_024, minLength: 1 }),
});

const volumeMounts = withRules(
  list(
    mount,
    "Mounts of further volumes in the node's container, as in volumeMounts of a container.",
    items(16),
  ),
  ownNames("volume", ownVolumes),
  {
    rule: `self.all(each, !${celList(ownDirectories)}.exists(own, each.mountPath == own || each.mountPath.startsWith(own + '/')))`,
    message: `cannot cover a directory that the operator owns: ${ownDirectories.join(", ")}`,
  },
);

const sidecar = openObject("A container, as in a pod.", {
  name: text("Name.", { maxLength: 63, minLength: 1 }),
  volumeMounts: optional(
    list(
      openObject("A mount, as in a container.", { name: text("Name of the volume.", NAME_LENGTH) }),
      "Mounts of further volumes.",
      items(16),
    ),
  ),
});

const sidecars = (description: string) =>
  withRules(
    list(sidecar, `${description} One without a securityContext gets that of the node.`, items(8)),
    ownNames("container", ownContainers),
    {
      rule: `self.all(each, !has(each.volumeMounts) || each.volumeMounts.all(mount, !(mount.name in ${celList(ownVolumes)})))`,
      message: `cannot mount a volume that the operator owns: ${ownVolumes.join(", ")}`,
    },
  );

const seconds = (description: string) => optional(integer(description, 1, 3_600));

const probe = (description: string) =>
  optional(
    object(description, {
      initialDelaySeconds: optional(integer("Seconds before the first check.", 0, 3_600)),
      periodSeconds: seconds("Interval of checks in seconds."),
      timeoutSeconds: seconds("Time limit of a check in seconds."),
      failureThreshold: optional(integer("Failed checks in a row that count as a failure.", 1, 10_000)),
    }),
  );

/** Field for names of pull secrets. */
export const pullSecrets = (description: string) =>
  optional(
    list(object("Reference to a pull secret.", { name: objectName("Name of the Secret.") }), description, {
      maxItems: 16,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
    }),
  );

/** `spec.podTemplate`. */
export const podAdditions = object(
  "Additions to the pods. What the operator owns cannot be replaced: its containers, volumes, labels, commands and checks.",
  {
    labels: optional(
      withRules(texts("Further labels of the pods.", 32, 63), {
        rule: `self.all(key, !key.startsWith('knit.dev/') && !(key in ${celList(ownLabels)}))`,
        message: `cannot contain a label that the operator owns: knit.dev/*, ${ownLabels.join(", ")}`,
      }),
    ),
    annotations: optional(
      withRules(texts("Further annotations of the pods.", 32, 4_096), {
        rule: "self.all(key, !key.startsWith('knit.dev/'))",
        message: "cannot contain an annotation that the operator owns: knit.dev/*",
      }),
    ),
    env: optional(environment),
    volumes: optional(volumes),
    volumeMounts: optional(volumeMounts),
    containers: optional(sidecars("Sidecars: further containers of the pod, as in containers of a pod.")),
    initContainers: optional(
      sidecars(
        "Further init containers, which run after those of the operator, as in initContainers of a pod.",
      ),
    ),
    affinity: optional(
      anyObject(
        "Affinity, as in affinity of a pod. A podAntiAffinity replaces the one that spec.scheduling.spread gives.",
      ),
    ),
    topologySpreadConstraints: optional(
      list(
        anyObject("A constraint, as in a pod."),
        "Spread over zones, as in topologySpreadConstraints of a pod. Nodes of the same type and network are spread over zones where possible when absent; not when empty.",
        items(8),
      ),
    ),
    runtimeClassName: optional(objectName("RuntimeClass of the pods.")),
    securityContext: optional(
      anyObject(
        "Security context of the pods, as in securityContext of a pod; its fields replace those of the operator. runAsNonRoot is always true.",
      ),
    ),
    probes: optional(
      object("Timing of the probes of the node's container; the operator sets their requests.", {
        startup: probe("Check that the node has started."),
        liveness: probe("Check that the node works; the container is restarted after failures."),
        readiness: probe("Check that clients may trust the node's answers."),
      }),
    ),
  },
);

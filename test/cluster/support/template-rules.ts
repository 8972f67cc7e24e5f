/** Rules of `spec.podTemplate` and `spec.serviceTemplate`, and of other fields of ports, volumes and Services: rows for a test. */

/** A rule's message, a spec that it takes and one that it refuses. */
export type Row = readonly [message: string, good: object, bad: object];

const PROXY = { type: "proxy", network: { name: "n" } };

/** A Node with these additions to its pods. */
const withPod = (podTemplate: object) => ({ ...PROXY, podTemplate });
const CONTAINERS = "cannot contain a container that the operator owns: genesis, node, gateway";
const VOLUMES = "that the operator owns: data, socket, settings, genesis, nodekey, certificates";

/** Parts of pods and Services that the operator owns are protected, and the message says so. */
export const templateRules: readonly Row[] = [
  [
    "JSON-RPC and peers need ports of their own",
    { ...PROXY, p2p: { port: 8_552 } },
    { ...PROXY, p2p: { port: 8_551 } },
  ],
  [
    "cannot be a port of the gateway or of the metrics: 7443, 7444, 61001",
    { ...PROXY, api: { http: { port: 7_445 } } },
    { ...PROXY, api: { http: { port: 7_443 } } },
  ],
  [
    "cannot contain a label that the operator owns: knit.dev/*, app.kubernetes.io/name, app.kubernetes.io/instance, app.kubernetes.io/component, app.kubernetes.io/managed-by",
    withPod({ labels: { team: "chain", "app.kubernetes.io/part-of": "wallet" } }),
    withPod({ labels: { "knit.dev/node": "other" } }),
  ],
  [
    "cannot contain an annotation that the operator owns: knit.dev/*",
    withPod({ annotations: { "sidecar.istio.io/inject": "false" } }),
    withPod({ annotations: { "knit.dev/settings": "0" } }),
  ],
  [
    "cannot contain a variable that the operator owns: HOME, KNIT_*, KLAYTN_*, KAIA_*; flags belong into settings",
    withPod({ env: [{ name: "TZ", value: "UTC" }] }),
    withPod({ env: [{ name: "HOME", value: "/" }] }),
  ],
  [
    "cannot contain a variable that the operator owns: HOME, KNIT_*, KLAYTN_*, KAIA_*; flags belong into settings",
    withPod({ env: [{ name: "AWS_REGION", value: "eu" }] }),
    withPod({ env: [{ name: "KNIT_NODEKEY_ADDRESS", value: `0x${"1".repeat(40)}` }] }),
  ],
  [
    `cannot contain a volume ${VOLUMES}`,
    withPod({ volumes: [{ name: "scratch", emptyDir: { sizeLimit: "1Gi" } }] }),
    withPod({ volumes: [{ name: "nodekey", emptyDir: {} }] }),
  ],
  [
    `cannot contain a volume ${VOLUMES}`,
    withPod({ volumeMounts: [{ name: "scratch", mountPath: "/scratch" }] }),
    withPod({ volumeMounts: [{ name: "certificates", mountPath: "/scratch" }] }),
  ],
  [
    "cannot cover a directory that the operator owns: /data, /run/knit, /etc/knit, /etc/knit-genesis, /etc/knit-nodekey, /app",
    withPod({ volumeMounts: [{ name: "scratch", mountPath: "/database" }] }),
    withPod({ volumeMounts: [{ name: "scratch", mountPath: "/data/knit" }] }),
  ],
  [
    CONTAINERS,
    withPod({ containers: [{ name: "exporter", image: "e:1", resources: { limits: { cpu: 1 } } }] }),
    withPod({ containers: [{ name: "gateway", image: "e:1" }] }),
  ],
  [
    `cannot mount a volume ${VOLUMES}`,
    withPod({
      containers: [{ name: "e", volumeMounts: [{ name: "scratch", mountPath: "/s", readOnly: true }] }],
    }),
    withPod({ initContainers: [{ name: "e", volumeMounts: [{ name: "nodekey", mountPath: "/k" }] }] }),
  ],
  [
    "cannot contain a key that the operator owns: knit.dev/*, app.kubernetes.io/*",
    { ...PROXY, serviceTemplate: { annotations: { "balancer.example/scheme": "internal" } } },
    { ...PROXY, serviceTemplate: { labels: { "knit.dev/node": "other" } } },
  ],
  [
    "privileged modules cannot be served outside the cluster: serviceTemplate.type must be ClusterIP",
    { ...PROXY, api: { privileged: true } },
    { ...PROXY, api: { privileged: true }, serviceTemplate: { type: "LoadBalancer" } },
  ],
  [
    "must be a word such as PreferClose",
    { ...PROXY, serviceTemplate: { trafficDistribution: "PreferClose" } },
    { ...PROXY, serviceTemplate: { trafficDistribution: "near by" } },
  ],
  [
    "must be a range of addresses such as 203.0.113.0/24",
    { ...PROXY, serviceTemplate: { loadBalancerSourceRanges: ["2001:db8::/32"] } },
    { ...PROXY, serviceTemplate: { loadBalancerSourceRanges: ["203.0.113.1"] } },
  ],
  [
    "className is the former name of storageClassName: remove it",
    { ...PROXY, storage: { className: "slow" } },
    { ...PROXY, storage: { className: "slow", storageClassName: "fast" } },
  ],
  [
    "must be s3://BUCKET/PREFIX",
    { ...PROXY, bootstrap: { url: "s3://archive/chain-1", credentialsSecret: "store" } },
    { ...PROXY, bootstrap: { url: "https://archive/chain" } },
  ],
  [
    "name one of url, volumeSnapshot, from and node",
    { ...PROXY, bootstrap: { volumeSnapshot: "yesterday" } },
    { ...PROXY, bootstrap: {} },
  ],
  [
    "name one of url, volumeSnapshot, from and node",
    { ...PROXY, bootstrap: { from: "Sibling" } },
    { ...PROXY, bootstrap: { from: "Sibling", node: "other" } },
  ],
  [
    "must be s3://BUCKET/PREFIX",
    { ...PROXY, backup: { to: { url: "s3://archive/chain-1" }, schedule: "30 3 * * *", keep: 1 } },
    { ...PROXY, backup: { to: { url: "archive" } } },
  ],
  [
    "spec.backup.schedule",
    { ...PROXY, backup: { to: { url: "s3://archive" }, schedule: "0 */6 * * 1-5" } },
    { ...PROXY, backup: { to: { url: "s3://archive" }, schedule: "daily" } },
  ],
  [
    "spec.storage.whenScaled",
    { ...PROXY, storage: { whenScaled: "Delete" } },
    { ...PROXY, storage: { whenScaled: "Keep" } },
  ],
  [
    "creator and credentialsSecret belong to a url",
    { ...PROXY, bootstrap: { url: "s3://archive", creator: `0x${"1".repeat(40)}` } },
    { ...PROXY, bootstrap: { volumeSnapshot: "yesterday", credentialsSecret: "store" } },
  ],
];

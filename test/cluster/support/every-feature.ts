/** Specs that use each field of a Node at once, as far as one Node can. */

const bounds = { requests: { cpu: "10m", memory: "64Mi" }, limits: { memory: "1Gi" } };
const small = { resources: bounds };
const sidecar = { name: "exporter", image: "exporter:1", ports: [{ containerPort: 9_100 }] };

/** An endpoint of the Network `demo`; the names of Secrets need not exist for its pods to be admitted. */
export const EVERY_FEATURE = {
  type: "endpoint",
  replicas: 2,
  suspend: false,
  image: "knit:1",
  imagePullPolicy: "IfNotPresent",
  imagePullSecrets: [{ name: "registry" }],
  podTemplate: {
    labels: { team: "chain" },
    annotations: { note: "seen" },
    env: [{ name: "ZONE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } }],
    volumes: [{ name: "scratch", emptyDir: { sizeLimit: "1Gi" } }],
    volumeMounts: [{ name: "scratch", mountPath: "/scratch" }],
    containers: [sidecar],
    initContainers: [{ name: "first", image: "first:1" }],
    affinity: { nodeAffinity: {} },
    topologySpreadConstraints: [],
    securityContext: { supplementalGroupsPolicy: "Merge" },
    probes: { startup: { failureThreshold: 9_000 } },
  },
  serviceTemplate: { type: "LoadBalancer", labels: { team: "chain" } },
  ingress: { hosts: ["rpc.example.org"], tlsSecret: "tls" },
  route: { hosts: ["rpc.example.org"], parents: [{ name: "public" }] },
  network: { name: "demo" },
  terminationGracePeriodSeconds: 60,
  api: { http: { modules: ["eth", "net"] }, ws: { enabled: true }, origins: ["https://wallet.example.org"] },
  p2p: { external: "LoadBalancer", maxPeers: 20 },
  peers: { urls: [`kni://${"ab".repeat(64)}@node.example:32323?discport=0`] },
  storage: { size: "1Gi", whenScaled: "Delete", autoGrow: { limit: "2Gi" } },
  bootstrap: { from: "Sibling" },
  backup: { to: { url: "s3://archive/demo", credentialsSecret: "archive" }, schedule: "30 3 * * *" },
  ...small,
  scheduling: { nodeSelector: { disk: "fast" }, tolerations: [{ key: "chain", operator: "Exists" }] },
  settings: { verbosity: "3", "rpc.client-rate": "50" },
  maintenance: { stateMigration: { schedule: "0 3 * * 0" }, trieCache: { onShutdown: true } },
  monitoring: { serviceMonitor: true, labels: { release: "prometheus" } },
  networkPolicy: { clients: ["wallets"], metricsClients: ["monitoring"] },
  gateway: { image: "knit-operator:1", ...small },
  whenDeleted: "Delete",
} as const;

/** Fields that an endpoint with replicas cannot have: they are those of a core node with a key of its own. */
export const CORE_FEATURES = {
  type: "core",
  network: { name: "demo" },
  rewardAddress: `0x${"12".repeat(20)}`,
  nodeKeySecret: { name: "core-key" },
} as const;

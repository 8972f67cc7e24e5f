/** Schema of a Node's spec, from which validation, defaults, documentation and type derive. */
import {
  address,
  genesisReference,
  image,
  imagePullPolicy,
  member,
  NAME,
  NAME_SAYS,
  namespaceName,
  objectName,
  publicNetwork,
  resources,
  settings,
} from "./fields.ts";
import { api } from "./node-api.ts";
import { backup } from "./node-backup.ts";
import { bootstrap } from "./node-bootstrap.ts";
import { ingress, route } from "./node-exposure.ts";
import { maintenance } from "./node-maintenance.ts";
import { p2p, peers } from "./node-peers.ts";
import { scheduling } from "./node-placement.ts";
import { podAdditions, pullSecrets } from "./node-pod.ts";
import { serviceTemplate } from "./node-services.ts";
import { storage } from "./node-storage.ts";
import { nodeTypes } from "./node-types.ts";
import {
  flag,
  integer,
  list,
  object,
  oneOf,
  optional,
  text,
  texts,
  type ValueOf,
  withDefault,
  withMemberDefaults,
  withRules,
} from "./schema.ts";

const genesis = withRules(
  object("Genesis; that of the Network of this name in this namespace when absent.", {
    configMap: optional(genesisReference),
    public: optional(publicNetwork),
  }),
  { rule: "has(self.configMap) != has(self.public)", message: "name either configMap or public" },
);

const network = withRules(
  object("Network of the node. Nodes of one network in one namespace are peers.", {
    name: text("Name of the network.", { maxLength: 40, pattern: NAME, says: NAME_SAYS }),
    networkId: optional(
      integer("Network id that peers compare; the chain id by default.", 1, Number.MAX_SAFE_INTEGER),
    ),
    genesis: optional(genesis),
  }),
  { rule: "self == oldSelf", message: "a node's network cannot be changed" },
);

/** Maximum number of replicas; the index of a replica has at most two digits. */
export const MAX_REPLICAS = 32;

/** `spec` of a Node. */
export const nodeSpec = object(
  "Desired state of the node.",
  {
    type: oneOf(
      nodeTypes,
      "Node type: core validates and proposes blocks, proxy relays them, endpoint serves JSON-RPC clients.",
      {
        "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "a node's type cannot be changed" }],
      },
    ),
    replicas: withDefault(
      integer("Number of replicas, each with its own node key and volume.", 1, MAX_REPLICAS),
      1,
    ),
    suspend: withDefault(flag("Deletes all pods; volumes and node keys are retained."), false),
    image: optional(
      image(
        "Container image of the node, with a tag or a digest (NAME@sha256:DIGEST); the default of the Network when absent, else that of the operator.",
      ),
    ),
    imagePullPolicy: optional(
      imagePullPolicy(
        "Pull policy of that image; the default of the Network when absent, else that of the operator.",
      ),
    ),
    imagePullSecrets: pullSecrets(
      "Secrets of this namespace with credentials for the registries of the images; those of the Network and of the operator are added.",
    ),
    podTemplate: optional(podAdditions),
    serviceTemplate,
    ingress: optional(ingress),
    route: optional(route),
    network,
    terminationGracePeriodSeconds: optional(
      integer(
        "Seconds that a pod has to terminate, as in a pod; it saves its trie cache in the first four fifths of them. 300 when absent.",
        30,
        3_600,
      ),
    ),
    rewardAddress: optional(
      address(
        "Address that receives the block rewards of a core node; the address of its node key by default.",
      ),
    ),
    api: withMemberDefaults(api),
    p2p,
    peers,
    storage: withMemberDefaults(storage),
    bootstrap: optional(bootstrap),
    backup: optional(backup),
    resources: resources("Resource requests and limits of the node's container."),
    scheduling,
    nodeKeySecret: optional(
      object(
        "Reference to a Secret with the node key; the operator creates a random key for each replica when absent.",
        {
          name: objectName("Name of the Secret."),
          key: withDefault(member("Key of the node key in the Secret, 64 hex digits."), "nodekey"),
          blsKey: optional(
            member("Key of a core node's BLS key in the Secret; derived from the node key when absent."),
          ),
        },
      ),
    ),
    settings: settings(
      "Further settings of the node by flag name. Settings that the operator manages cannot be overridden.",
    ),
    maintenance: withMemberDefaults(maintenance),
    monitoring: withMemberDefaults(
      object("Monitoring of the node.", {
        serviceMonitor: withDefault(
          flag("Creates a ServiceMonitor if the cluster serves that kind (Prometheus Operator)."),
          true,
        ),
        intervalSeconds: withDefault(integer("Scrape interval in seconds.", 5, 3_600), 30),
        labels: withDefault(
          texts("Additional labels of the ServiceMonitor, for the selector of a Prometheus.", 16, 63),
          {},
        ),
      }),
    ),
    networkPolicy: withMemberDefaults(
      object("Access to the node inside the cluster. The gateway always accepts the operator only.", {
        clients: withDefault(
          list(
            namespaceName("Name of a namespace."),
            "Namespaces whose pods may reach JSON-RPC, and metrics without metricsClients; all when empty.",
            { maxItems: 32, "x-kubernetes-list-type": "set" },
          ),
          [],
        ),
        metricsClients: optional(
          list(
            namespaceName("Name of a namespace."),
            "Namespaces whose pods may reach metrics, such as that of a Prometheus; those of clients when absent.",
            { minItems: 1, maxItems: 32, "x-kubernetes-list-type": "set" },
          ),
        ),
      }),
    ),
    gateway: withMemberDefaults(
      object("The gateway: a sidecar through which the operator calls the node.", {
        image: optional(
          image(
            "Container image of the gateway; the operator's image when absent. An upgrade of the operator takes effect when the pod is next recreated.",
          ),
        ),
        imagePullPolicy: optional(
          imagePullPolicy("Pull policy of that image; that of the operator when absent."),
        ),
        resources: resources(
          "Resource requests and limits of the gateway's container; 10m CPU, 80Mi to 192Mi memory when absent.",
        ),
      }),
    ),
    whenDeleted: withDefault(
      oneOf(
        ["Retain", "Delete"],
        "Retains or deletes volumes and created node keys when the Node is deleted.",
      ),
      "Retain",
    ),
  },
  [
    { rule: "self.type != 'core' || self.replicas == 1", message: "a core node has one replica" },
    {
      rule: "!has(self.nodeKeySecret) || self.replicas == 1",
      message: "a named node key is for one replica",
    },
    {
      rule: ["http", "ws"]
        .map((name) => `(!self.api.${name}.enabled || self.api.${name}.port != self.p2p.port)`)
        .join(" && "),
      message: "JSON-RPC and peers need ports of their own",
    },
    {
      rule: "!has(self.rewardAddress) || self.type == 'core'",
      message: "only a core node earns rewards",
    },
    {
      rule: "!has(self.api) || !has(self.api.privileged) || !self.api.privileged || !has(self.serviceTemplate) || !has(self.serviceTemplate.type) || self.serviceTemplate.type == 'ClusterIP'",
      message:
        "privileged modules cannot be served outside the cluster: serviceTemplate.type must be ClusterIP",
    },
    {
      rule: "!has(self.api) || !has(self.api.privileged) || !self.api.privileged || (!has(self.ingress) && !has(self.route))",
      message: "privileged modules cannot be served outside the cluster: remove ingress and route",
    },
  ],
);

/** Spec of a Node, with its defaults. */
export type NodeSpec = ValueOf<typeof nodeSpec>;

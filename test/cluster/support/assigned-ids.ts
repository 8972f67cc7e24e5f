/**
 * Admission of a cluster that assigns user and group ids to pods, as OpenShift does by its constraint `restricted-v2`: a
 * pod names no id, or one of the range of its namespace, and has neither ports of the machine nor other rights.
 */

/** First and last id of the range; 1000, which images have elsewhere, is not in it. */
const RANGE = [1_000_650_000, 1_000_659_999] as const;
/** Kinds of volumes that the constraint permits. */
const VOLUMES = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "persistentVolumeClaim",
  "projected",
  "secret",
];

const NAME = "assigned-ids";
const inRange = (id: string): string => `(${id} >= ${RANGE[0]} && ${id} <= ${RANGE[1]})`;
const free = (path: string, id: string): string => `(!has(${path}.${id}) || ${inRange(`${path}.${id}`)})`;
const own = "variables.containers.all(c, has(c.securityContext)";

/** Expressions of CEL over a pod, each with the message of a refusal. */
const RULES: readonly (readonly [expression: string, message: string])[] = [
  [
    `!has(object.spec.securityContext) || (${free("object.spec.securityContext", "runAsUser")} && ${free("object.spec.securityContext", "fsGroup")})`,
    "the pod names an id outside of the range of its namespace",
  ],
  [
    `variables.containers.all(c, !has(c.securityContext) || ${free("c.securityContext", "runAsUser")})`,
    "a container names an id outside of the range of its namespace",
  ],
  [
    `${own} && has(c.securityContext.capabilities) && c.securityContext.capabilities.drop == ["ALL"])`,
    "a container keeps capabilities",
  ],
  [
    `${own} && has(c.securityContext.allowPrivilegeEscalation) && !c.securityContext.allowPrivilegeEscalation)`,
    "a container can gain rights",
  ],
  [
    "variables.containers.all(c, !has(c.ports) || c.ports.all(p, !has(p.hostPort) || p.hostPort == 0))",
    "a container takes a port of the machine",
  ],
  [
    `!has(object.spec.volumes) || object.spec.volumes.all(v, ${VOLUMES.map((kind) => `has(v.${kind})`).join(" || ")})`,
    "a volume is of another kind",
  ],
];

/** The policy and its binding to all namespaces, to be applied. */
export const ASSIGNED_IDS: readonly object[] = [
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: NAME },
    spec: {
      failurePolicy: "Fail",
      matchConstraints: {
        resourceRules: [
          { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] },
        ],
      },
      variables: [
        {
          name: "containers",
          expression:
            "object.spec.containers + (has(object.spec.initContainers) ? object.spec.initContainers : [])",
        },
      ],
      validations: RULES.map(([expression, message]) => ({ expression, message })),
    },
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name: NAME },
    spec: { policyName: NAME, validationActions: ["Deny"] },
  },
];

/** Fields that several resources share. */
import { managedSettings } from "./managed-settings.ts";
import { pod } from "./names.ts";
import { publicNetworkNames } from "./public-networks.ts";
import {
  integer,
  intOrText,
  object,
  oneOf,
  optional,
  type Rule,
  settingTexts,
  text,
  withDefault,
  withMemberDefaults,
  withRules,
} from "./schema.ts";

/** Pattern of label values and of most object names. */
export const NAME = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";
/** Valid values of `NAME` in words. */
export const NAME_SAYS = "a name of lower-case letters, digits and inner hyphens";
const OBJECT_NAME = "^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$";
const KEY = "^[-._a-zA-Z0-9]+$";

/** Field for the name of a Kubernetes object. */
export const objectName = (description: string) =>
  text(description, { maxLength: 253, pattern: OBJECT_NAME, says: `${NAME_SAYS} and dots` });

/** Field for the name of a namespace. */
export const namespaceName = (description: string) =>
  text(description, { maxLength: 63, pattern: NAME, says: NAME_SAYS });

/** Field for an address of an account or a contract. */
export const address = (description: string) =>
  text(description, {
    maxLength: 42,
    pattern: "^0x[0-9a-fA-F]{40}$",
    says: "an address: 0x and 40 hex digits",
  });

/** Field for an amount in peb: decimal digits, because amounts exceed JSON numbers. */
export const peb = (description: string) =>
  text(description, {
    maxLength: 60,
    pattern: "^[0-9]{1,60}$",
    says: "an amount in peb, decimal digits only",
  });

const ownPorts = [pod.gatewayPort, pod.gatewayHealthPort, pod.metricsPort];

/** Field for an unprivileged port of a pod that the operator does not use itself. */
export const port = (description: string) =>
  withRules(integer(description, 1024, 65_535), {
    rule: `!(self in [${ownPorts.join(", ")}])`,
    message: `cannot be a port of the gateway or of the metrics: ${ownPorts.join(", ")}`,
  });

/** Field for a count. */
export const count = (description: string) => integer(description, 0, Number.MAX_SAFE_INTEGER);

/** Field for a time, RFC 3339. */
export const instantField = (description: string) =>
  text(description, { maxLength: 40, format: "date-time" });

/** Field for a positive Kubernetes quantity. */
export const quantity = (description: string) =>
  withRules(intOrText(description, { maxLength: 32 }), {
    rule: "isQuantity(string(self)) && quantity(string(self)).isGreaterThan(quantity('0'))",
    message: "must be a quantity above 0, such as 10Gi",
  });

/** Field for a container image. */
export const image = (description: string) =>
  text(description, {
    minLength: 1,
    maxLength: 512,
    pattern: "^[^\\s]+$",
    says: "the name of an image, without spaces",
  });

/** Field for the pull policy of an image. */
export const imagePullPolicy = (description: string) =>
  oneOf(["Always", "IfNotPresent", "Never"], description);

const amounts = (description: string) =>
  withMemberDefaults(
    object(description, {
      cpu: optional(quantity("CPU quantity, such as 250m.")),
      memory: optional(quantity("Memory quantity, such as 512Mi.")),
    }),
  );

/** Field for resource requests and limits of a container. */
export const resources = (description: string) =>
  withMemberDefaults(
    object(
      description,
      {
        requests: amounts("Resources reserved for the container, as in resources.requests of a pod."),
        limits: amounts("Maximum resources of the container, as in resources.limits of a pod."),
      },
      [limitRule("cpu"), limitRule("memory")],
    ),
  );

/** Rule: a limit is not below its request. An invalid quantity has a rule of its own. */
function limitRule(name: "cpu" | "memory"): Rule {
  const [request, limit] = [`self.requests.${name}`, `self.limits.${name}`];
  const given = `has(self.requests) && has(self.limits) && has(${request}) && has(${limit})`;
  const valid = `isQuantity(string(${request})) && isQuantity(string(${limit}))`;
  return {
    rule: `!(${given} && ${valid}) || quantity(string(${limit})).compareTo(quantity(string(${request}))) >= 0`,
    message: `limits.${name} cannot be below requests.${name}`,
  };
}

/** Field for settings of the node by flag name. */
export const settings = (description: string) =>
  withDefault(
    withRules(settingTexts(description, 64, 1_024), {
      rule: `self.all(name, !(name in ['${managedSettings.join("','")}']))`,
      message: `cannot contain a setting that the operator manages: ${managedSettings.join(", ")}`,
    }),
    {},
  );

/** Field for the digest of a genesis file. */
export const genesisDigest = text(
  "SHA-256 of the recorded genesis file. For a file that the operator did not create, layout and forks after block 0 are excluded.",
  { maxLength: 64, pattern: "^[0-9a-f]{64}$" },
);

/** Field for the value of an annotation that grants a permission. */
export const permission = (description: string) => text(description, { maxLength: 64 });

/** Field for a key of a ConfigMap or a Secret. */
export const member = (description: string) =>
  text(description, {
    maxLength: 253,
    pattern: KEY,
    says: "a key of letters, digits, hyphens, dots and underscores",
  });

/** Field for a public network, whose genesis and boot nodes knit contains. */
export const publicNetwork = oneOf(
  publicNetworkNames,
  "Public network to join, with the genesis, the network id and the boot nodes in knit. Its nodes find peers by discovery.",
);

/** Reference to a ConfigMap with a genesis file. */
export const genesisReference = object("Reference to a ConfigMap with the genesis file.", {
  name: objectName("Name of the ConfigMap."),
  key: withDefault(member("Key of the genesis file in the ConfigMap."), "genesis.json"),
});

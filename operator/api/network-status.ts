/** What is seen of a Network. */
import { conditions } from "./condition.ts";
import { address, count, genesisDigest, permission } from "./fields.ts";
import { type NetworkConditionType, networkConditionTypes } from "./names.ts";
import { list, object, optional, text, type ValueOf } from "./schema.ts";

const types = Object.keys(networkConditionTypes) as readonly NetworkConditionType[]; // the keys of a constant table

const validator = object("A validator of block 0.", {
  name: text("The Node's name.", { maxLength: 40 }),
  address: text("The address of its key.", { maxLength: 42 }),
});

/** `status` of a Network. */
export const networkStatus = object("What is seen of the network.", {
  observedGeneration: optional(count("The generation that was acted on.")),
  genesisConfigMap: optional(text("The ConfigMap with the genesis file.", { maxLength: 253 })),
  genesis: optional(
    object("What the genesis is known by and, where it was made here, made again from.", {
      digest: genesisDigest,
      time: count("Its second since the epoch."),
      validators: list(address("The address of a key."), "The validators of block 0, in their order.", {
        maxItems: 1_000,
        "x-kubernetes-list-type": "atomic",
      }),
    }),
  ),
  allowedNewChain: optional(permission("The value of `knit.dev/allow-new-chain` that was followed.")),
  genesisHash: optional(text("The hash of block 0, as the nodes first told it.", { maxLength: 66 })),
  validators: optional(
    list(validator, "The validators of block 0 where it was made here.", {
      maxItems: 64,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
    }),
  ),
  nodes: optional(count("How many nodes belong to it, replicas counted.")),
  readyNodes: optional(count("How many of them are ready.")),
  height: optional(count("The number of the newest block that one of them has.")),
  conditions: optional(conditions(types)),
});

/** What is seen of a Network. */
export type NetworkStatus = ValueOf<typeof networkStatus>;

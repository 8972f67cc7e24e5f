/** What is seen of a Network. */
import { conditions } from "./condition.ts";
import { count } from "./fields.ts";
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
  genesisHash: optional(text("The hash of block 0, as the nodes tell it.", { maxLength: 66 })),
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

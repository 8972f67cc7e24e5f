/** Schema of a Network's status. */
import { conditions } from "./condition.ts";
import { address, count, genesisDigest, permission } from "./fields.ts";
import { type NetworkConditionType, networkConditionTypes } from "./names.ts";
import { list, object, optional, text, type ValueOf } from "./schema.ts";

const types = Object.keys(networkConditionTypes) as readonly NetworkConditionType[]; // the keys of a constant table

const validator = object("A validator of the created genesis.", {
  name: text("Name of the Node.", { maxLength: 40 }),
  address: text("Address of its node key.", { maxLength: 42 }),
});

/** `status` of a Network. */
export const networkStatus = object("Observed state of the network.", {
  observedGeneration: optional(count("Last value of metadata.generation that was reconciled.")),
  genesisConfigMap: optional(text("Name of the ConfigMap with the genesis file.", { maxLength: 253 })),
  genesis: optional(
    object("Recorded genesis. A created genesis that is missing is recreated from it.", {
      digest: genesisDigest,
      time: count("Timestamp in seconds since the epoch."),
      forks: optional(
        object("Forks after block 0 that the nodes get.", {
          osaka: optional(count("First block of the Osaka fork.")),
        }),
      ),
      validators: list(address("Address of a validator."), "Validators of the genesis, in order.", {
        maxItems: 1_000,
        "x-kubernetes-list-type": "atomic",
      }),
    }),
  ),
  allowedNewChain: optional(permission("Value of `knit.dev/allow-new-chain` that has taken effect.")),
  genesisHash: optional(text("Genesis hash, as first reported by a node.", { maxLength: 66 })),
  formerGenesis: optional(
    object("Genesis before a permitted new chain, until all nodes report the new one.", {
      digest: genesisDigest,
      hash: text("Genesis hash of its chain.", { maxLength: 66 }),
    }),
  ),
  validators: optional(
    list(validator, "Validators of a created genesis.", {
      maxItems: 64,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
    }),
  ),
  council: optional(
    list(
      object("A validator of the council.", {
        address: text("Address of the validator.", { maxLength: 42 }),
        member: optional(
          text("Replica with this address, NAMESPACE/NAME; absent for a validator elsewhere.", {
            maxLength: 128,
          }),
        ),
      }),
      "Validators of the chain, as a node last reported them.",
      { maxItems: 1_000, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["address"] },
    ),
  ),
  nodes: optional(count("Number of replicas in the network.")),
  readyNodes: optional(count("Number of ready replicas in the network.")),
  height: optional(count("Highest block number of the network's nodes.")),
  conditions: optional(conditions(types)),
});

/** Status of a Network. */
export type NetworkStatus = ValueOf<typeof networkStatus>;

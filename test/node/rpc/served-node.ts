/** A node's whole registry on a chain, without peers, files, listeners and reader threads. */

import { type ProfileName, rpcProfiles } from "../../../node/compat/profiles.ts";
import { ByteCache } from "../../../node/jsonrpc/byte-cache.ts";
import { createEndpoint, type RpcEndpoint } from "../../../node/jsonrpc/dispatch.ts";
import { createBudget } from "../../../node/jsonrpc/dispatch-budget.ts";
import type { Method } from "../../../node/jsonrpc/method.ts";
import type { Registry } from "../../../node/jsonrpc/registry.ts";
import type { Subscription } from "../../../node/jsonrpc/subscription.ts";
import { ReceiptTexts } from "../../../node/presenters/receipt-texts.ts";
import { createNodeRegistry, type NodeRegistryDeps } from "../../../node/rpc/node-registry.ts";
import { withCheckedAnswer, withCheckedNotifications } from "../../support/answer-schemas.ts";
import { idleListeners } from "../../support/idle-listeners.ts";
import { lonelyP2p } from "../../support/lonely-p2p.ts";
import { noBackups, noCheckpoints, noFiles, noGiveaway } from "../../support/no-files.ts";
import { readingParts } from "../../support/reading-parts.ts";
import { onBug } from "./fixture.ts";

/** Parts of a node that a test gives; the rest are stand-ins. */
export type ServedParts = Pick<NodeRegistryDeps, "chain" | "pool" | "accounts" | "dataDirectory"> &
  Partial<NodeRegistryDeps>;

/** The registry. A method or subscription fails when its answer or notification does not keep to its schema. */
export function servedRegistry(profile: ProfileName, parts: ServedParts): Registry {
  const { options } = rpcProfiles[profile];
  const { adaptMethod, adaptSubscription } = options.interfaces;
  const interfaces = {
    ...options.interfaces,
    adaptMethod: (row: Method) => withCheckedAnswer(adaptMethod(row)),
    adaptSubscription: (row: Subscription) => withCheckedNotifications(adaptSubscription(row)),
  };
  return createNodeRegistry({
    ...readingParts(parts.chain, 0),
    ...idleListeners,
    clientName: "x",
    networkId: 1,
    address: new Uint8Array(20),
    p2p: lonelyP2p,
    files: noFiles,
    checkpoints: noCheckpoints,
    backups: noBackups,
    giveaway: noGiveaway,
    sidecars: { sidecarAt: () => undefined, blob: () => undefined },
    auction: undefined,
    gasless: undefined,
    keptBytes: new ByteCache(),
    receiptTexts: new ReceiptTexts(parts.chain, 1 << 20),
    sync: { syncing: () => undefined },
    ...parts,
    ...options,
    interfaces,
  });
}

/** All of it, as IPC serves it. A bug is thrown. */
export function servedNode(profile: ProfileName, parts: ServedParts): RpcEndpoint {
  const view = servedRegistry(profile, parts).view("all", { isLocal: true });
  return createEndpoint({ view, budget: createBudget(), onBug });
}

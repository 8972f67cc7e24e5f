/** Connects the methods of a development chain to its miner, its writer and its state. */
import { randomBytes } from "node:crypto";
import type { Address } from "../bytes/brands.ts";
import { Impersonation } from "../calls/impersonation.ts";
import { isAmended } from "../chain/amended.ts";
import type { OpenChain } from "../chain/open-chain.ts";
import type { Miner } from "../consensus/miner.ts";
import { failure } from "../jsonrpc/errors.ts";
import { LEGACY_KEY } from "../model/account-key.ts";
import { OptionError } from "../options/error.ts";
import type { GoBack } from "../rpc/dev-snapshots.ts";
import { type Edit, Edits } from "../rpc/dev-state.ts";
import type { NodeRegistryDeps } from "../rpc/node-registry.ts";
import type { AdjustableClock } from "../runtime/adjustable-clock.ts";
import type { Rows } from "../store/store.ts";
import type { NodeOptions } from "./options.ts";

/** Parts of a development chain. */
export interface DevelopmentParts {
  readonly open: OpenChain;
  readonly miner: Miner;
  readonly clock: AdjustableClock;
  readonly options: Pick<NodeOptions, "network">;
  readonly setHead: (number: number) => Promise<void>;
}

/** Returns the parts of a registry that only a development chain has. */
export function developmentDeps({
  open: { chain, writer },
  miner,
  clock,
  options,
  setHead,
}: DevelopmentParts): Pick<NodeRegistryDeps, "development" | "impersonation" | "afterSubmit"> {
  const impersonation = new Impersonation();
  const edits = new Edits();
  const head = () => chain.head();
  const checkAlone = (): void => {
    if (options.network.port !== undefined)
      throw failure("other nodes would not accept an edited chain: start it without --port");
  };
  const amend = async (edit: Edit): Promise<void> => {
    checkAlone();
    await miner.idle();
    await writer.exclusively(() => writer.amend(edit));
  };
  const prepare = async (sender: Address): Promise<void> => {
    checkAlone();
    const account = chain.stateAt(head().header.number).account(sender);
    if (account === undefined || account.key.type === LEGACY_KEY.type) return;
    await amend((world) => world.setAccount(sender, { ...account, key: LEGACY_KEY }));
    edits.add(head().header.number, (world) => {
      const now = world.account(sender);
      if (now !== undefined) world.setAccount(sender, { ...now, key: account.key });
    });
  };
  const goBack: GoBack = async (point) => {
    await miner.idle();
    await setHead(point.number);
    const undo = edits.undoAfter(point.edits, point.number);
    if (undo !== undefined) await amend(undo);
    clock.move(point.offsetMs - clock.offsetMs);
    clock.releaseTo(point.timeMs);
  };
  const vmVersion = (): number => chain.rules(head().header.number + 1).vmVersion;
  return {
    development: {
      miner,
      clock,
      head,
      goBack,
      amend,
      edits,
      impersonation,
      vmVersion,
      instance: randomBytes(32),
    },
    impersonation: { has: (sender) => impersonation.has(sender), prepare },
    afterSubmit: () => miner.idle(),
  };
}

/** Throws `OptionError` when peers may connect to a chain that was edited: other nodes would not accept its blocks. */
export function refuseEditedChain({ network }: Pick<NodeOptions, "network">, store: Rows): void {
  if (network.port === undefined || !isAmended(store)) return;
  throw new OptionError(
    "clash",
    "this development chain was edited, other nodes would not accept it: start it without --port",
  );
}

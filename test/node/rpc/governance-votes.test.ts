/** `governance_vote` and the lists of votes, in the form of each line of the Go node. */

import { expect, test } from "@jest/globals";
import type { Chain } from "../../../node/chain/chain.ts";
import { type ProfileName, rpcProfiles } from "../../../node/compat/profiles.ts";
import type { Governance } from "../../../node/governance/governance.ts";
import { createPendingVotes, type PendingVotesDeps } from "../../../node/governance/pending-votes.ts";
import { validatorSet } from "../../../node/governance/validators.ts";
import type { ParameterVote } from "../../../node/governance/vote.ts";
import { createEndpoint } from "../../../node/jsonrpc/dispatch.ts";
import { createBudget } from "../../../node/jsonrpc/dispatch-budget.ts";
import { createRegistry } from "../../../node/jsonrpc/registry.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { governanceVoteMethods } from "../../../node/rpc/governance-votes.ts";
import { testParameters } from "../../support/headers.ts";
import { aCall, aSession } from "./fixture.ts";

const own = new Uint8Array(20).fill(1);
const OWN = `0x${"01".repeat(20)}`;
const cast: ParameterVote = {
  kind: "parameter",
  voter: own,
  name: "reward.mintingamount",
  value: "10000000000000000000",
};
const others: ParameterVote = {
  ...cast,
  voter: new Uint8Array(20).fill(2),
  name: "reward.ratio",
  value: "34/54/12",
};

function onBug(error: unknown): never {
  throw error;
}

/** Results as text: blocks 12 and 13 carry votes, epochs have ten blocks. */
function anAsker(profile: ProfileName, governingNode = own) {
  const context: ReturnType<PendingVotesDeps["governance"]["voteDeps"]> = {
    validators: validatorSet([own], [own], 1),
    formerCouncil: [own],
    decided: { ...testParameters, governanceMode: "single", governingNode },
    account: () => undefined,
  };
  const headerHistory = {
    votes: [
      { number: 12, value: cast },
      { number: 13, value: others },
    ],
    decisions: [],
  };
  const ballots = createPendingVotes({
    governance: { voteDeps: () => context },
    tip: () => 15,
    address: own,
    log: silentLog,
  });
  const chain = { config: { istanbul: { epoch: 10 } }, head: () => ({ header: { number: 15 } }) };
  const registry = createRegistry(rpcProfiles[profile].options.interfaces);
  const read = { chain: chain as unknown as Chain, governance: { headerHistory } as unknown as Governance }; // what is read
  registry.add(governanceVoteMethods({ ...read, ...rpcProfiles[profile].options, address: own, ballots }));
  registry.seal();
  const endpoint = createEndpoint({ view: registry.view("all"), budget: createBudget(), onBug });
  return async (name: string, ...params: readonly unknown[]): Promise<string | undefined> => {
    const answer = await endpoint.answer(aCall(name, params), aSession);
    return /"(?:result|message)":(.*?)\}*\n$/.exec(answer ?? "")?.[1];
  };
}

const PREPARED = "Your vote is prepared. It will be put into the block header or applied when";

test("votes of an epoch and the node's own votes, line 2", async () => {
  const ask = anAsker("kaia");
  expect(await ask("governance_votes", "0x9")).toBe("[]");
  expect(await ask("governance_votes", "0xa")).toBe(
    '[{"BlockNum":12,"Key":"reward.mintingamount","Value":10000000000000000000},{"BlockNum":13,"Key":"reward.ratio","Value":"34/54/12"}]',
  );
  expect(await ask("governance_vote", "governance.unitprice", 5)).toContain(`"(kaiax) ${PREPARED}`);
  expect(await ask("governance_vote", "governance.addvalidator", OWN)).toContain("gov node is found");
  expect(await ask("governance_myVotes")).toBe(
    '[{"BlockNum":12,"Key":"reward.mintingamount","Value":10000000000000000000,"Casted":true},{"BlockNum":0,"Key":"governance.unitprice","Value":5,"Casted":false}]',
  );
  expect(await ask("governance_vote", "governance.price", 5)).toBe(
    "\"your vote couldn't be placed. Please check your vote's key and value\"",
  );
});

test("votes of an epoch and the node's own votes, line 1", async () => {
  const ask = anAsker("klaytn");
  expect(await ask("governance_votes")).toContain(
    `[{"validator":"${OWN}","key":"reward.mintingamount","value":"10000000000000000000"},`,
  );
  expect(await ask("governance_vote", "governance.unitprice", 5)).toContain(`"${PREPARED}`);
  expect(await ask("governance_myVotes")).toBe(
    '[{"Key":"reward.mintingamount","Value":"10000000000000000000","Casted":true,"BlockNum":12},{"Key":"governance.unitprice","Value":5,"Casted":false,"BlockNum":0}]',
  );
});

test("a node that is not the governing node may not vote", async () => {
  const stranger = new Uint8Array(20);
  expect(await anAsker("kaia", stranger)("governance_vote", "x", 1)).toBe(
    '"you don\'t have the right to vote"',
  );
  expect(await anAsker("klaytn", stranger)("governance_vote", "x", 1)).toBe(
    '"You don\'t have the right to vote"',
  );
});

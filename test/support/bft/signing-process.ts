/**
 * A validator that signs for its life: `node signing-process.ts DIRECTORY SEED`. Blocks that nobody has seen before
 * are proposed to it in one round after another; whatever it says is printed once it may be sent, one line each:
 * kind, round and block. Made to be killed and started again in the same directory.
 */
import { bareHex, mapKey } from "../../../node/bytes/hex.ts";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import { encodeRlpList } from "../../../node/bytes/rlp.ts";
import { keyBytes, type ProposedBlock, proposedBlock } from "../../../node/consensus/bft/payload.ts";
import { beginRounds, step } from "../../../node/consensus/bft/round-machine.ts";
import type { BlockValidatorSet, RoundEvent, RoundStep } from "../../../node/consensus/bft/round-state.ts";
import { NO_DIGEST } from "../../../node/consensus/bft/rounds.ts";
import { type BlockMessage, createMessageSigner } from "../../../node/consensus/bft/signed-message.ts";
import { readRecord, SigningRecord } from "../../../node/consensus/bft/signing-record.ts";
import { sign } from "../../../node/crypto/secp256k1.ts";
import { quorum } from "../../../node/governance/validators.ts";
import { encodeExtra } from "../../../node/model/istanbul-extra.ts";
import { openLevelStore } from "../../../node/store/level-store.ts";
import { bareHeader } from "../bare-header.ts";
import { randomBytes, seededRandom } from "../random.ts";
import { seats } from "./council.ts";

const [directory = "", seed = "0"] = process.argv.slice(2);
const random = seededRandom(Number(seed));
const head = { number: 0, hash: mapKey(fixedBytes(1, 32)) };
const council = seats(4).map(({ key, address }) => ({
  name: mapKey(address),
  write: createMessageSigner(address, (digest) => sign(digest, key)),
}));
const [own, ...others] = council;
if (own === undefined) throw new Error("a council has several seats");
const names = council.map(({ name }) => name);
const validators: BlockValidatorSet = {
  qualified: new Set(names),
  ...quorum(names.length),
  proposer: (round) => names[round % names.length] ?? "",
  committee: () => new Set(names),
};

const store = await openLevelStore(directory, {});
const record = new SigningRecord(store);
let state = await performStep(
  beginRounds({ self: own.name, write: own.write, head, validators, restored: readRecord(store) }),
);
for (;;) {
  if (random() < 0.5) record.reserve(state);
  for (const event of nextRound()) state = await performStep(step(state, event));
}

/** Writes the durable state to disk, then sends the messages. */
async function performStep({ state: next, actions }: RoundStep<ProposedBlock>): Promise<typeof next> {
  await record.sync(next);
  for (const action of actions) {
    if (action.type !== "gossip" || action.message.sender !== own?.name) continue;
    const { payload } = action.message;
    const digest = payload.kind === "preprepare" ? payload.proposal.hash : payload.digest;
    process.stdout.write(`${payload.kind} ${payload.view.round} ${bareHex(keyBytes(digest))}\n`);
  }
  record.writeAhead(next);
  return next;
}

/** One round: a new block, or the one it is bound to, and some of the votes of others. */
function nextRound(): RoundEvent<ProposedBlock>[] {
  const { view, lock } = state;
  const proposal = lock !== undefined && random() < 0.5 ? lock.proposal : aBlock();
  const messages: BlockMessage[] = others.map(({ write }) =>
    write({ kind: "round-change", view, digest: NO_DIGEST, parent: head.hash }),
  );
  const proposer = council.find(({ name }) => name === validators.proposer(view.round));
  if (proposer !== undefined) messages.push(proposer.write({ kind: "preprepare", view, proposal }));
  const said = others.slice(1).filter(() => random() < 0.8); // two and our own vote are a quorum
  const { hash: digest, parent } = proposal;
  const votes = said.map(({ write }) => write({ kind: "prepare", view, digest, parent }));
  return [
    ...messages.map(heard),
    { type: "candidate", proposal },
    { type: "verified", view, hash: digest, isValid: true },
    ...votes.map(heard),
    { type: "timeout", view },
  ];
}

function heard(message: BlockMessage): RoundEvent<ProposedBlock> {
  return { type: "message", message };
}

function aBlock(): ProposedBlock {
  const unsealed = {
    vanity: new Uint8Array(32),
    validators: [],
    seal: new Uint8Array(0),
    committedSeals: [],
  };
  const header = bareHeader({
    number: 1,
    parentHash: keyBytes(head.hash),
    stateRoot: randomBytes(random, 32),
    extra: encodeExtra(unsealed),
  });
  return proposedBlock(header, encodeRlpList([]));
}
